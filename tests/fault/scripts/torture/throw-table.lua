-- perilune-api: 1
-- ends: error
return {
  name = 'throw-table',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    error({})
  end,
}
