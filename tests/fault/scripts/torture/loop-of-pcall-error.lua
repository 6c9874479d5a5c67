-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-of-pcall-error',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    while true do pcall(error) end
  end,
}
