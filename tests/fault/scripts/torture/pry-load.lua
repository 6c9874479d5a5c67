-- perilune-api: 1
-- ends: error
return {
  name = 'pry-load',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    loadstring('return 1')()
  end,
}
