-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-resume-nested',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local function f() return coroutine.resume(coroutine.create(f)) end
    while true do f() end
  end,
}
