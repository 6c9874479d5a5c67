-- perilune-api: 1
-- ends: silent
return {
  name = 'finaliser',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    for i = 1, 1000 do setmetatable({}, { __gc = function() while true do end end }) end
  end,
}
