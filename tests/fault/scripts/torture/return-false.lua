-- perilune-api: 1
-- ends: error
return {
  name = 'return-false',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return false
  end,
}
