-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-select',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    for i = 1, 7000 do t[i] = i end
    while true do select('#', unpack(t)) end
  end,
}
