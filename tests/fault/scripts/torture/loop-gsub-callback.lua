-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-gsub-callback',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    ('x'):rep(9):gsub('x', function() while true do end end)
  end,
}
