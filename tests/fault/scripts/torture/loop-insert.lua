-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-insert',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    for i = 1, 100000 do t[i] = i end
    while true do table.insert(t, 1, 0) t[#t] = nil end
  end,
}
