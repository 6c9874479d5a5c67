-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-calls',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    while true do turn.calls() end
  end,
}
