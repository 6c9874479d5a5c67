-- perilune-api: 1
-- ends: error
return {
  name = 'return-unknown-field',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return { advise = 'x', deliver_now = true }
  end,
}
