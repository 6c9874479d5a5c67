-- perilune-api: 1
-- ends: timeout
return {
  name = 'pattern-balance',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return ('('):rep(400000):find('%b()')
  end,
}
