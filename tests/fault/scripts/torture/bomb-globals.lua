-- perilune-api: 1
-- ends: timeout or out of memory
return {
  name = 'bomb-globals',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    for i = 1, 1e6 do _G['g' .. i] = i end
    while true do end
  end,
}
