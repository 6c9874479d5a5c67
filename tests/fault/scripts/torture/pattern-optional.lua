-- perilune-api: 1
-- ends: timeout
return {
  name = 'pattern-optional',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return ('a'):rep(28):match(('a?'):rep(28) .. ('a'):rep(28))
  end,
}
