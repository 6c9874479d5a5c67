-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-pcall-tree',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local function f() pcall(f) pcall(f) end
    f()
  end,
}
