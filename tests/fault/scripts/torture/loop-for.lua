-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-for',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    for i = 1, 1e15 do end
  end,
}
