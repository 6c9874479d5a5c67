-- perilune-api: 1
-- ends: error
return {
  name = 'state-cyclic',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    ctx.state.me = ctx.state
  end,
}
