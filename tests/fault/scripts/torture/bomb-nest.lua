-- perilune-api: 1
-- ends: timeout or out of memory
return {
  name = 'bomb-nest',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local t = {}
    while true do t = { t } end
  end,
}
