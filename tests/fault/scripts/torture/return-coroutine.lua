-- perilune-api: 1
-- ends: error
return {
  name = 'return-coroutine',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return coroutine.create(print)
  end,
}
