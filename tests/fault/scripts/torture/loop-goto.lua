-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-goto',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    ::again:: goto again
  end,
}
