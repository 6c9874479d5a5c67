-- perilune-api: 1
-- ends: timeout or out of memory
return {
  name = 'bomb-coroutines',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    while true do t[#t + 1] = coroutine.create(print) end
  end,
}
