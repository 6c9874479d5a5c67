-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-yield',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local c = coroutine.wrap(function() while true do coroutine.yield() end end)
    while true do c() end
  end,
}
