-- perilune-api: 1
-- ends: error
return {
  name = 'stack-char',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return string.char(unpack({}, 1, 1e8))
  end,
}
