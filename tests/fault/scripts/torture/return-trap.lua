-- perilune-api: 1
-- ends: error
return {
  name = 'return-trap',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return setmetatable({}, { __index = function() while true do end end })
  end,
}
