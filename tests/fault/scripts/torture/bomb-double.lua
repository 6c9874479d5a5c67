-- perilune-api: 1
-- ends: out of memory
return {
  name = 'bomb-double',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local s = 'z'
    while true do s = s .. s end
  end,
}
