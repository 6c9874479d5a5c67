-- perilune-api: 1
-- ends: error
return {
  name = 'pry-set-metatable',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    setmetatable(turn, {})
  end,
}
