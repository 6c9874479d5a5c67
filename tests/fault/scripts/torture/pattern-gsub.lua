-- perilune-api: 1
-- ends: timeout
return {
  name = 'pattern-gsub',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return ('a'):rep(400000):gsub('a*b', '')
  end,
}
