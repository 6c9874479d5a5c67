-- perilune-api: 1
-- ends: error
return {
  name = 'pry-dump',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    string.dump(print)
  end,
}
