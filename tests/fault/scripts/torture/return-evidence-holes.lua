-- perilune-api: 1
-- ends: error
return {
  name = 'return-evidence-holes',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    return { advise = 'x', evidence = { 1, nil, 3 } }
  end,
}
