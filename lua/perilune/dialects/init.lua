-- Turns what a dialect file says into plain data that C compiles (core/script/dialect_load.c): the short
-- forms of picks and tests become their long ones. Runs once a file, at load.
local M = {}

-- "path" | { "first", "second", default = V, after = S, prefix = S } | { const = V }
local function pick(value)
  if type(value) ~= "table" then return { paths = { value } } end
  local out = { paths = {}, after = value.after, prefix = value.prefix, default = value.const }
  if out.default == nil then out.default = value.default end
  for i, path in ipairs(value) do out.paths[i] = path end
  for key in pairs(value) do
    if type(key) == "string" and key ~= "after" and key ~= "prefix" and key ~= "default" and key ~= "const" then
      error(("unknown word '%s' in a pick (paths, default, const, after, prefix)"):format(key), 0)
    end
  end
  return out
end

local function list(value)
  if type(value) == "table" then return value end
  return { value }
end

local ops = {
  prefix = function(v) return { op = "prefix", words = list(v) } end,
  is = function(v) return { op = "word", words = list(v) } end,
  ["not"] = function(v) return { op = "word", words = list(v), negate = true } end,
  type = function(v) return { op = "type", words = list(v) } end,
  present = function(v) return { op = v and "present" or "absent" } end,
  empty = function(v) return { op = v and "empty" or "filled" } end,
}

-- { path = "word" | { "a", "b" } | true | false | { prefix = ..., present = ..., ... } }
local function tests(when)
  local out = {}
  for path, want in pairs(when or {}) do
    if want == true or want == false then
      out[#out + 1] = { path = path, op = want and "true" or "false" }
    elseif type(want) ~= "table" or want[1] ~= nil then
      out[#out + 1] = { path = path, op = "word", words = list(want) }
    else
      for word, value in pairs(want) do
        local op = ops[word]
        if not op then
          error(("unknown test '%s' on '%s' (is, not, prefix, type, present, empty)"):format(tostring(word), path), 0)
        end
        local test = op(value)
        test.path = path
        out[#out + 1] = test
      end
    end
  end
  table.sort(out, function(a, b)
    if a.path ~= b.path then return a.path < b.path end
    return a.op < b.op
  end)
  return out
end

local reserved = { kind = true, when = true, more = true, x = true }

local function sets(emit)
  local out = {}
  for name, value in pairs(emit) do
    if not reserved[name] then out[#out + 1] = { target = name, pick = pick(value) } end
  end
  for name, value in pairs(emit.x or {}) do out[#out + 1] = { target = "x." .. name, pick = pick(value) } end
  table.sort(out, function(a, b) return a.target < b.target end)
  return out
end

local function emits(value)
  if not value then return {} end
  if value.kind then value = { value } end
  local out = {}
  for i, emit in ipairs(value) do
    out[i] = { kind = emit.kind, tests = tests(emit.when), sets = sets(emit), more = emit.more }
  end
  return out
end

local function common(t)
  local out = { session = t.session, agentKey = t.agent, at = t.at, seq = t.seq }
  for name, value in pairs(t.common or {}) do out[name] = value end
  return sets(out)
end

local function rules(t)
  local out = {}
  for _, when in ipairs(t.skip or {}) do out[#out + 1] = { tests = tests(when), emits = {}, after = {} } end
  for _, rule in ipairs(t.rules or {}) do
    out[#out + 1] = { tests = tests(rule.when), each = rule.each, emits = emits(rule.emit), after = emits(rule.after) }
  end
  return out
end

local function detects(t)
  local out = {}
  for i, detect in ipairs(t.detect or {}) do
    local found = tests(detect.when)
    for _, path in ipairs(detect.has or {}) do found[#found + 1] = { path = path, op = "present" } end
    out[i] = { tests = found }
  end
  return out
end

local known = {
  name = true, api = true, detect = true, session = true, agent = true, at = true, seq = true, common = true,
  skip = true, rules = true, sidecar = true, observer_origin = true, lanes = true,
}

function M.new(t)
  for key in pairs(t) do
    if not known[key] then error(("unknown key '%s' in a dialect"):format(tostring(key)), 0) end
  end
  return {
    name = t.name, api = t.api or 1, detects = detects(t), common = common(t), rules = rules(t),
    sidecar = t.sidecar, observerOrigin = t.observer_origin, lanes = t.lanes,
  }
end

return M
