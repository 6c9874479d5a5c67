-- perilune-api: 1
-- ends: timeout or error or out of memory
return {
  name = 'stack-varargs',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local function f(...) return f(1, ...) end
    return f()
  end,
}
