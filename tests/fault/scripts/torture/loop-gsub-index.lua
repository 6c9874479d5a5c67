-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-gsub-index',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local m = {}
    m.__index = function() while true do end end
    ;('x'):gsub('x', setmetatable({}, m))
  end,
}
