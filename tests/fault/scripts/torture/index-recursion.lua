-- perilune-api: 1
-- ends: error
return {
  name = 'index-recursion',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = setmetatable({}, { __index = function(t, k) return t[k] end })
    return t.x
  end,
}
