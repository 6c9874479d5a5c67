-- perilune-api: 1
-- ends: error
return {
  name = 'pry-debug',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    debug.sethook()
  end,
}
