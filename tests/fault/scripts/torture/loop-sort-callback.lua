-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-sort-callback',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    table.sort({ 2, 1, 3 }, function() while true do end end)
  end,
}
