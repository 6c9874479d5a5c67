-- perilune-api: 1
-- ends: error
return {
  name = 'sort-recursion',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local m = {}
    m.__lt = function() table.sort({ setmetatable({}, m), setmetatable({}, m) }) end
    table.sort({ setmetatable({}, m), setmetatable({}, m) })
  end,
}
