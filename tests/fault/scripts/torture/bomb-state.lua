-- perilune-api: 1
-- ends: timeout or out of memory
return {
  name = 'bomb-state',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = ctx.state
    for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end
  end,
}
