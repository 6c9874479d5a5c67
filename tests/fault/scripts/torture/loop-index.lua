-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-index',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = setmetatable({}, { __index = function() while true do end end })
    return t.x
  end,
}
