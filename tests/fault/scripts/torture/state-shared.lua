-- perilune-api: 1
-- ends: timeout
local big = {}
for i = 1, 2 ^ 16 do big[i + 0.5] = true end
for i = 1, 2 ^ 16 do big[i + 0.5] = nil end

return {
  name = 'state-shared',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    for i = 1, 2 ^ 14 do ctx.state[i] = big end
  end,
}
