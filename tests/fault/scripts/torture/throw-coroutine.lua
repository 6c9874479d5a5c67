-- perilune-api: 1
-- ends: error
return {
  name = 'throw-coroutine',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    error(coroutine.create(print))
  end,
}
