-- perilune-api: 1
-- ends: error
return {
  name = 'stack-recursion',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local function f() return 1 + f() end
    return f()
  end,
}
