-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-eq',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local m = { __eq = function() while true do end end }
    return setmetatable({}, m) == setmetatable({}, m)
  end,
}
