-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-deep-recursion-caught',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local function deep(n) if n > 0 then return 1 + deep(n - 1) end while true do pcall(deep, 1e5) end end
    while true do pcall(deep, 5000) end
  end,
}
