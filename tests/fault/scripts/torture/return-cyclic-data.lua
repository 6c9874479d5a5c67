-- perilune-api: 1
-- ends: error
return {
  name = 'return-cyclic-data',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    t.self = t
    return { report = 'x', data = t }
  end,
}
