-- perilune-api: 1
-- ends: error
return {
  name = 'stack-unpack',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return unpack({}, 1, 1e8)
  end,
}
