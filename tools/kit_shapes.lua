-- What the test kit (perilune.testing) hands to the functions of an author: the names of the
-- fields of each noun, gathered by running the kit over a scene and a batch that show them all.
-- Part of tools/check_bindings.lua, which compares them with the annotations.
local M = {}

local SCENE = {
    user = "fix it", goal = { text = "ship it", items = {} }, memory = { {} }, skills = { {} },
    { text = "I look." },
    { call = "Bash", input = { command = "make" }, result = "no", exit_code = 2 },
    { call = "Edit", input = { file_path = "a.c", old_string = "a", new_string = "b" },
        denied = "not allowed" },
    { call = "Write", input = { file_path = "b.c", content = "x\n" }, result = "ok" },
    { note = "the disk is nearly full" },
}

-- The kit under `root`, its modules fresh; `change(name, text)` may give another text of one.
local function kit_of(root, change)
    local loaded, env = {}, setmetatable({}, { __index = _G })
    function env.require(name)
        local path = root .. "/lua/" .. name:gsub("%.", "/") .. ".lua"
        local file = io.open(path, "rb")
        if not file then return require(name) end
        local text = change(name, file:read("*a"))
        file:close()
        if loaded[name] == nil then
            loaded[name] = setfenv(assert(loadstring(text, "@" .. path)), env)()
        end
        return loaded[name]
    end
    return env.require("perilune.testing")
end

local function add(names, value)
    for name in pairs(value or {}) do
        if type(name) == "string" then names[name] = true end
    end
end

local function of_all(list)
    local names = {}
    for _, one in ipairs(list) do add(names, one) end
    return names
end

local function of_turns(shapes, testing)
    local turns = testing.steps(SCENE)
    local items, calls, files = {}, {}, {}
    for _, turn in ipairs(turns) do
        for _, item in ipairs(turn.items) do items[#items + 1] = item end
        for _, call in ipairs(turn.calls()) do calls[#calls + 1] = call end
        for _, file in ipairs(turn.files) do files[#files + 1] = file end
    end
    shapes["perilune.Turn"], shapes["perilune.Item"] = of_all(turns), of_all(items)
    shapes["perilune.Call"], shapes["perilune.File"] = of_all(calls), of_all(files)
    shapes["perilune.Usage"] = of_all({ turns[1].usage })
    testing.run({ name = "probe", observe = function(_, ctx)
        shapes["perilune.Ctx"] = of_all({ ctx })
        shapes["perilune.Ctx"].last = true -- given by the spec
    end }, turns[1])
end

-- Of one policy alone, and of a chain: each has a ctx of its own making.
local function of_policies(shapes, testing)
    local function take(kind, ctx, p)
        local facts = (debug.getmetatable(ctx) or {}).__index or ctx
        shapes["perilune.PolicyCtx" .. kind] = of_all({ facts })
        shapes["perilune.Budget" .. kind] = of_all({ ctx.left })
        shapes["perilune.Limits" .. kind] = of_all({ ctx.limits })
        shapes["perilune.LocalTime" .. kind] = of_all({ ctx.local_time })
        shapes["perilune.VetoCounts" .. kind] = of_all({ ctx.vetoes("a", "f") })
        shapes["perilune.PolicyProposal" .. kind] = of_all({ p })
        for _, given in ipairs({ "data", "invents" }) do -- by the spec
            shapes["perilune.PolicyProposal" .. kind][given] = true
        end
    end
    local function probe(kind)
        return { name = "probe", deliver = function(verdict, p, ctx)
            take(kind, ctx, p)
            return verdict
        end }
    end
    testing.deliver(probe(""), testing.proposal({}), testing.policy_ctx())
    testing.policies({ probe(", of a chain") }):batch({ { text = "Something is wrong." } })
end

--- The fields by class; a class's name may be followed by where they were seen.
function M.of(root, change)
    local shapes, testing = {}, kit_of(root, change or function(_, text) return text end)
    of_turns(shapes, testing)
    of_policies(shapes, testing)
    return shapes
end

return M
