-- perilune-api: 1
-- ends: timeout
return {
  name = 'loop-items',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    while true do for _, item in ipairs(turn.items) do local _ = item.text end end
  end,
}
