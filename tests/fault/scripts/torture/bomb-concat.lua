-- perilune-api: 1
-- ends: timeout or out of memory
return {
  name = 'bomb-concat',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    for i = 1, 1000 do t[i] = ('z'):rep(1000) end
    return #table.concat(t, ('y'):rep(1e6))
  end,
}
