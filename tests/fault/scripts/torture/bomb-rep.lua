-- perilune-api: 1
-- ends: out of memory
return {
  name = 'bomb-rep',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return #(('x'):rep(1024 * 1024 * 1024))
  end,
}
