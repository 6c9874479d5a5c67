-- perilune-api: 1
-- ends: error
return {
  name = 'return-function',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return print
  end,
}
