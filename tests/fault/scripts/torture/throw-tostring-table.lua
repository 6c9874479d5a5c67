-- perilune-api: 1
-- ends: error
return {
  name = 'throw-tostring-table',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    error(setmetatable({}, { __tostring = function() return {} end }))
  end,
}
