-- perilune-api: 1
-- ends: error
return {
  name = 'pry-jit',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    jit.on()
  end,
}
