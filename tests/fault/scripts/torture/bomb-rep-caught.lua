-- perilune-api: 1
-- ends: out of memory
return {
  name = 'bomb-rep-caught',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    pcall(string.rep, 'x', 1e9)
    return { advise = 'caught' }
  end,
}
