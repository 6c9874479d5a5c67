-- perilune-api: 1
-- ends: error
return {
  name = 'throw-long',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    error(('x'):rep(1e6))
  end,
}
