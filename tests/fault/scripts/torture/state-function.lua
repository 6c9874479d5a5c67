-- perilune-api: 1
-- ends: error
return {
  name = 'state-function',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    ctx.state.f = print
  end,
}
