-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-next',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    for i = 1, 99999 do t['k' .. i] = i end
    for k in next, t do t[k] = nil end
    while true do next(t) end
  end,
}
