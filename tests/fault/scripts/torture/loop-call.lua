-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-call',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = setmetatable({}, { __call = function() while true do end end })
    t()
  end,
}
