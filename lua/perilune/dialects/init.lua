-- Turns what a dialect file says into plain data that C compiles (core/script/dialect_load.c): the short
-- forms of picks and tests become their long ones. Runs once a file, at load.
local order = require("perilune.lanes")

local M = {}

local MAX_EMITS = 64 -- of one map function for one record

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
  for _, test in ipairs(out) do
    local first, other = test.path:match("^([^|]*)|(.*)$")
    if first then test.path, test.other = first, other end
  end
  return out
end

local pick_words = {
  default = true, const = true, after = true, between = true, prefix = true, json = true, any = true, yes = true,
  join = true,
}

-- "path" | { "first", "second", default = V, after = S, between = { S, S }, prefix = S, join = S, json = true,
-- any = { WHEN... }, yes = V } | { const = V }
local function pick(value)
  if type(value) ~= "table" then return { paths = { value } } end
  local between = value.between or {}
  local out = {
    paths = {}, after = value.after, prefix = value.prefix, join = value.join, json = value.json, default = value.const,
    ["begin"] = between[1], ["end"] = between[2], yes = value.yes,
  }
  if out.default == nil then out.default = value.default end
  for i, path in ipairs(value) do out.paths[i] = path end
  if value.any then
    out.any = {}
    for i, when in ipairs(value.any) do out.any[i] = tests(when) end
    if out.yes == nil then out.yes = true end
    if out.yes == true and out.default == nil and #out.paths == 0 then out.default = false end
  end
  for key in pairs(value) do
    if type(key) == "string" and not pick_words[key] then
      error(("unknown word '%s' in a pick (paths, default, const, after, between, prefix, join, json, any, yes)")
        :format(key), 0)
    end
  end
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
  local answered = t.lanes or {}
  out["x.event"], out["x.eventTool"] = answered.event, answered.tool
  return sets(out)
end

-- The functions that rules name, in the order in which they are named first.
local function functions(t)
  local found, names = {}, {}
  for _, rule in ipairs(t.rules or {}) do
    local name = rule.map
    if name and type(t[name]) ~= "function" then
      error(("a rule says map = '%s', which is no function of the dialect"):format(tostring(name)), 0)
    end
    if name and not names[name] then
      found[#found + 1] = t[name]
      names[name] = #found
    end
  end
  return found, names
end

local function rules(t, map_of)
  local out = {}
  for _, when in ipairs(t.skip or {}) do out[#out + 1] = { tests = tests(when), emits = {}, after = {} } end
  for _, rule in ipairs(t.rules or {}) do
    out[#out + 1] = {
      tests = tests(rule.when), each = rule.each, before = emits(rule.before), emits = emits(rule.emit),
      after = emits(rule.after),
      map = rule.map and map_of[rule.map],
    }
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

-- channels = { ["EVENT[:TOOL]"] = { ANSWER = "ok" | "ignored" | "dropped" | "unknown" | "since VERSION" } }
local function channels(given)
  local out = {}
  for at, answers in pairs(given or {}) do
    for answer, reach in pairs(answers) do out[#out + 1] = { at = at, answer = answer, reach = reach } end
  end
  table.sort(out, function(a, b)
    if a.at ~= b.at then return a.at < b.at end
    return a.answer < b.answer
  end)
  return out
end

local beside_lanes = { event = true, tool = true, channels = true, checked = true }

-- Every lane that leads to an agent, with its ways and what stands in for it.
local function lanes(given)
  if not given then return nil end
  local of = {}
  for lane in pairs(order.INSTEAD) do
    of[#of + 1] = { lane = lane, ways = list(given[lane] or {}), instead = order.INSTEAD[lane] }
  end
  for lane in pairs(given) do
    if not order.INSTEAD[lane] and not beside_lanes[lane] then of[#of + 1] = { lane = tostring(lane) } end
  end
  table.sort(of, function(a, b) return a.lane < b.lane end)
  return { checked = given.checked, channels = channels(given.channels), of = of }
end

local known = {
  name = true, api = true, detect = true, session = true, agent = true, at = true, seq = true, common = true,
  skip = true, rules = true, sidecar = true, observer_origin = true, lanes = true, root = true, rank = true,
  local_ids = true, observer_file = true,
}

-- Runs the function `index` on a record; returns what it emitted.
local function caller(found)
  return function(index, record)
    local out = {}
    found[index](record, function(kind, fields)
      if #out == MAX_EMITS then error(("more than %d observations of one record"):format(MAX_EMITS), 0) end
      out[#out + 1] = { kind = tostring(kind), fields = fields or {} }
    end)
    return out
  end
end

function M.new(t)
  local found, names = functions(t)
  for key in pairs(t) do
    if not known[key] and not names[key] then error(("unknown key '%s' in a dialect"):format(tostring(key)), 0) end
  end
  local data = {
    name = t.name, api = t.api or 1, detects = detects(t), common = common(t), rules = rules(t, names),
    sidecar = t.sidecar, observerOrigin = t.observer_origin, observerFile = t.observer_file,
    lanes = lanes(t.lanes), root = t.root, rank = t.rank,
    localIds = t.local_ids, maps = #found > 0,
  }
  return { data = data, call = #found > 0 and caller(found) or nil }
end

return M
