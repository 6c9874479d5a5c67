-- perilune-api: 1
-- ends: error
return {
  name = 'return-huge-data',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    for i = 1, 2000 do t[i] = 'xxxxxxxxxx' end
    return { report = 'x', data = t }
  end,
}
