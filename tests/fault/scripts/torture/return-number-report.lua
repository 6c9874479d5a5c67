-- perilune-api: 1
-- ends: error
return {
  name = 'return-number-report',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return { report = 42 }
  end,
}
