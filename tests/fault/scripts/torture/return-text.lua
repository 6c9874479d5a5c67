-- perilune-api: 1
-- ends: error
return {
  name = 'return-text',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return 'just a text'
  end,
}
