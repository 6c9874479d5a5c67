-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-nested-wrap',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local function f() pcall(coroutine.wrap(f)) pcall(coroutine.wrap(f)) end
    while true do pcall(f) end
  end,
}
