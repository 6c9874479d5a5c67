-- perilune-api: 1
-- ends: timeout
return {
  name = 'pattern-gmatch',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    for _ in ('a'):rep(400000):gmatch('a*b') do end
  end,
}
