-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-repeat',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    repeat local x = 1 until false
  end,
}
