-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-arithmetic',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = setmetatable({}, { __add = function() while true do end end })
    return t + 1
  end,
}
