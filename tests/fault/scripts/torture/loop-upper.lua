-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-upper',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local s = ('x'):rep(2e6)
    while true do local _ = s:upper():reverse() end
  end,
}
