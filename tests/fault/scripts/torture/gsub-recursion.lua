-- perilune-api: 1
-- ends: error
return {
  name = 'gsub-recursion',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local function f() return (('x'):gsub('x', f)) end
    return f()
  end,
}
