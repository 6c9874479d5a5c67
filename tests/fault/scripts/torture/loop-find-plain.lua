-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-find-plain',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local s = ('x'):rep(6e6)
    while true do s:find('xxxxxxxxxxxxxxxy', 1, true) end
  end,
}
