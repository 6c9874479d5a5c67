-- perilune-api: 1
-- ends: timeout
return {
  name = 'pattern-lazy',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return ('a'):rep(40000):match(('.-'):rep(6) .. 'b')
  end,
}
