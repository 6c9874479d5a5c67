-- perilune-api: 1
-- ends: error
return {
  name = 'state-huge',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    ctx.state.text = ('x'):rep(5000)
  end,
}
