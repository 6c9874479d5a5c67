-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-concat',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    for i = 1, 100000 do t[i] = '' end
    while true do table.concat(t) end
  end,
}
