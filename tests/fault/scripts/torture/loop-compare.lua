-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-compare',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local a, b = ('x'):rep(3e6) .. 'a', ('x'):rep(3e6) .. 'b'
    while a < b do end
  end,
}
