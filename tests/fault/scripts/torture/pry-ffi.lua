-- perilune-api: 1
-- ends: error
return {
  name = 'pry-ffi',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    require('ffi')
  end,
}
