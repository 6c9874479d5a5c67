-- perilune-api: 1
-- ends: error
return {
  name = 'tostring-recursion',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = setmetatable({}, { __tostring = function(t) return tostring(t) end })
    return tostring(t)
  end,
}
