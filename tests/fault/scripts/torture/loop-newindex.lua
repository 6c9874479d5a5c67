-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-newindex',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = setmetatable({}, { __newindex = function() while true do end end })
    t.x = 1
  end,
}
