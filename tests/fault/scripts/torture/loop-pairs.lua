-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-pairs',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    for _ in pairs(setmetatable({}, { __pairs = function() return function() return 1 end end })) do end
  end,
}
