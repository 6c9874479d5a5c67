-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-print',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    while true do print(('x'):rep(100000)) end
  end,
}
