-- perilune-api: 1
-- ends: error
return {
  name = 'pry-write-item',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    turn.items[1] = nil
  end,
}
