-- perilune-api: 1
-- ends: error
return {
  name = 'pry-write-turn',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    turn.step = 1
  end,
}
