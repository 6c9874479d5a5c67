-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-sort',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    for i = 1, 200000 do t[i] = i % 7919 end
    while true do table.sort(t) end
  end,
}
