-- perilune-api: 1
-- ends: error
return {
  name = 'throw-bytes',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    error(('\0\255'):rep(100), 0)
  end,
}
