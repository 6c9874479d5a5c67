-- perilune-api: 1
-- ends: timeout or out of memory
return {
  name = 'bomb-double-caught',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    while true do pcall(function() local s = 'z' while true do s = s .. s end end) end
  end,
}
