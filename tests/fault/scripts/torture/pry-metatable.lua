-- perilune-api: 1
-- ends: error
return {
  name = 'pry-metatable',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    getmetatable(turn).__index = print
  end,
}
