-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-in-pcall',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    while true do pcall(function() while true do end end) end
  end,
}
