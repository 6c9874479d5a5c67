-- perilune-api: 1
-- ends: error
return {
  name = 'return-deep-data',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    local r = t
    for i = 1, 10000 do r[1] = {} r = r[1] end
    return { report = 'x', data = t }
  end,
}
