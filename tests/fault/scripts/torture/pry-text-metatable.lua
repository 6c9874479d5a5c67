-- perilune-api: 1
-- ends: error
return {
  name = 'pry-text-metatable',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    getmetatable('').__index = print
  end,
}
