-- perilune-api: 1
-- ends: silent
return {
  name = 'pry-spoil',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    string.upper = nil
    table.sort = nil
    _G.ipairs = nil
    _G.leak = 1
    setmetatable(_G, { __index = error })
  end,
}
