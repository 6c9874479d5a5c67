-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-nested-pcall',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    while true do pcall(pcall, pcall, pcall, error) end
  end,
}
