-- perilune-api: 1
-- ends: out of memory
return {
  name = 'bomb-deep-sub',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    local keep, words = {}, {}
    for i = 1, 20000 do words[i] = bit.tohex(i) end
    local text = table.concat(words)
    local function deep(n, i)
      if n > 0 then local made = deep(n - 1, i) return made end
      local made = text:sub(i, i + 8000)
      return made
    end
    for i = 1, 1e6 do
      rawset(keep, i, true)
      keep[i] = deep(60, i)
    end
  end,
}
