-- perilune-api: 1
-- ends: error
return {
  name = 'throw-yield',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    coroutine.yield()
  end,
}
