-- perilune-api: 1
-- ends: error
return {
  name = 'throw-tostring-fails',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    error(setmetatable({}, { __tostring = error }))
  end,
}
