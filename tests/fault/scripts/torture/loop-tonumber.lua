-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-tonumber',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local s = ('9'):rep(4e6)
    while true do local _ = tonumber(s) end
  end,
}
