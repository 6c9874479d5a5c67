-- perilune-api: 1
-- ends: timeout
return {
  name = 'throw-tostring-loops',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    error(setmetatable({}, { __tostring = function() while true do end end }))
  end,
}
