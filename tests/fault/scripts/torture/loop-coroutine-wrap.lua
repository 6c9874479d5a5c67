-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-coroutine-wrap',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    while true do local c = coroutine.wrap(function() while true do end end) pcall(c) end
  end,
}
