-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-tostring',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = setmetatable({}, { __tostring = function() while true do end end })
    while true do pcall(error, t) pcall(tostring, t) end
  end,
}
