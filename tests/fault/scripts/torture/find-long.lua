-- perilune-api: 1
-- ends: silent
return {
  name = 'find-long',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local s = ('a'):rep(2 ^ 20) -- begun anew at each place, this takes seconds
    s:find(('a'):rep(2 ^ 18) .. 'b', 1, true)
  end,
}
