-- perilune-api: 1
-- ends: out of memory
return {
  name = 'bomb-rep-wraps',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return #(('x'):rep(1, ('y'):rep(1e6)):rep(1e300))
  end,
}
