-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-format',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    while true do string.format(('%s'):rep(99), unpack({}, 1, 99)) end
  end,
}
