-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-while',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    while true do end
  end,
}
