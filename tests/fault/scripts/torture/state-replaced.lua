-- perilune-api: 1
-- ends: error
return {
  name = 'state-replaced',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    ctx.state = 7
  end,
}
