-- perilune-api: 1
-- ends: error
return {
  name = 'pry-path',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    require('../../etc/passwd')
  end,
}
