-- perilune-api: 1
-- ends: error
return {
  name = 'concat-recursion',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = setmetatable({}, { __concat = function(a, b) return a .. b end })
    return t .. t
  end,
}
