-- perilune-api: 1
-- Tells when the agent adds a dependency nobody asked for: by a package manager's command, or
-- by a new line in a manifest. Installing what the manifest lists, another version of what is
-- there already and types of a known package are no new dependencies. A package from elsewhere
-- than the public registry, or under a mistyped name, counts wherever it is installed.
local changes = require("perilune.changes")
local installs = require("perilune.installs")
local match = require("perilune.match")
local paths = require("perilune.paths")
local shell = require("perilune.shell")
local text = require("perilune.text")
local wishes = require("perilune.wishes")

-- Verbs that write to a manifest.
local ADDERS = {
    npm = { install = true, i = true, add = true }, pnpm = { add = true, install = true,
        i = true },
    yarn = { add = true }, bun = { add = true, install = true, i = true },
    poetry = { add = true }, uv = { add = true }, pdm = { add = true }, rye = { add = true },
    pipenv = { install = true }, cargo = { add = true }, go = { get = true },
    composer = { require = true }, bundle = { add = true }, flutter = { ["pub add"] = true },
    deno = { add = true }, conan = { add = true },
}
-- Words of a user who leaves the choice to the agent.
local OPEN = {
    "dependency", "dependencies", "package", "packages", "library", "libraries", "install",
    "upgrade", "module", "modules", "plugin", "framework", "any tool", "scaffold", "set up",
}

-- Options before the verb that take a value: `pnpm --filter web add`.
local VALUED = {
    ["--filter"] = true, ["-F"] = true, ["-w"] = true, ["--workspace"] = true, ["-C"] = true,
    ["--dir"] = true, ["--prefix"] = true, ["--cwd"] = true, ["--project"] = true,
}
-- And behind it: `npm install --registry URL`; `-w` takes one of npm and none of pnpm.
local VALUED_BEHIND = {
    ["--registry"] = true, ["--git"] = true, ["--branch"] = true, ["--rev"] = true,
    ["--tag"] = true, ["--features"] = true, ["--group"] = true, ["--manifest-path"] = true,
    ["--package"] = true, ["--index-url"] = true, ["--extra-index-url"] = true,
    ["--filter"] = true, ["--dir"] = true, ["--prefix"] = true, ["--cwd"] = true,
    ["--project"] = true,
}

-- The arguments from the verb on, without options and what those take.
local function from_verb(args)
    local rest, at = {}, 1
    while args[at] do
        if args[at]:find("^%-.") then
            local valued = #rest == 0 and VALUED or VALUED_BEHIND
            at = at + (valued[args[at]] and 2 or 1)
        else
            rest[#rest + 1] = args[at]
            at = at + 1
        end
    end
    return rest
end

-- `@scope/name@1.2` and `name[extra]==1.2` without what follows the name.
local function bare(name)
    local scope, rest = name:match("^(@[^/]+/)(.+)$")
    rest = (rest or name):match("^[^@=<>~!%[;%s]+") or ""
    return (scope or "") .. rest
end

local function added_by_command(call)
    local found
    shell.each(match.commands(call), function(command)
        local operands = from_verb(command.args)
        local verbs = ADDERS[command.name]
        if found or not verbs or not verbs[operands[1]] then return end
        -- Into the machine and not into the project, or from a list.
        if shell.has_flag(command.args, "g", "--global") or shell.has_flag(command.args,
            "r") then
            return
        end
        for i = 2, #operands do
            local name = operands[i]
            local is_path = name:find("^[./~]") or name:find("[$*]") or name:find("^file:")
            if name == "-" or is_path or (command.name == "go" and name:find("@none$")) then
                return
            end
            found = found or bare(name)
        end
    end)
    return found
end

-- Manifests, and how a line of theirs names a dependency.
local function name_in(manifest, line)
    if manifest == "package.json" then
        return line:match('^"([@%w][%w@/._-]*)"%s*:%s*"[%^~>=<]*%d+[%w.%s|-]*",?$')
            or line:match('^"([@%w][%w@/._-]*)"%s*:%s*"latest",?$')
            or line:match('^"([@%w][%w@/._-]*)"%s*:%s*"github:[^"]+",?$')
            or line:match('^"([@%w][%w@/._-]*)"%s*:%s*"git%+[^"]+",?$')
            or line:match('^"([@%w][%w@/._-]*)"%s*:%s*"https?://[^"]+%.t?gz",?$')
    elseif manifest == "go.mod" then
        return line:match("^require%s+(%S+/%S+)%s+v%d")
            or line:match("^(%S+%.%S+/%S+)%s+v%d[%w.-]*$")
    elseif manifest == "Cargo.toml" then
        return line:match('^([%w_-]+)%s*=%s*"[%^~>=<]*%d[%w.]*"$')
            or line:match('^([%w_-]+)%s*=%s*{.*version%s*=')
    elseif manifest == "pyproject.toml" then
        return line:match('^"([%a][%w._-]*)[%[><=~!].*",?$')
            or line:match('^([%a][%w._-]*)%s*=%s*"[%^~]=?%d[%w.*]*"$')
    elseif manifest == "Gemfile" then
        return line:match("^gem%s+[\"']([%w_-]+)[\"']")
    elseif manifest:find("^build%.gradle") then
        return line:match("^%a*[Ii]mplementation%s*%(?[\"']([%w._-]+:[%w._-]+):[%w.+-]+[\"']")
            or line:match("^api%s*%(?[\"']([%w._-]+:[%w._-]+):[%w.+-]+[\"']")
    elseif manifest:find("^requirements[%w_-]*%.txt$") then
        return line:match("^([%a][%w._-]*)%s*[%[=<>~!]") or line:match("^(%a[%w._-]*)$")
    end
    return nil
end

-- Keys that look like dependencies and are none.
local NOT_NAMES = { version = true, edition = true, node = true, npm = true, name = true,
    ["rust-version"] = true, python = true, engines = true, rust = true, vscode = true,
    url = true, homepage = true, repository = true }

-- Only lines put among others: a manifest written whole is a project's first.
local function added_by_edit(call)
    for _, change in ipairs(changes.of(call)) do
        local manifest = paths.base(change.path)
        local puts_in = change.kind == "edit" or change.kind == "insert"
            or change.kind == "append"
        if puts_in and (change.old ~= "" or change.new ~= "") then
            local added, removed = changes.lines(change)
            local before = {}
            for _, line in ipairs(removed) do before[name_in(manifest, line) or ""] = true end
            for _, line in ipairs(added) do
                local name = name_in(manifest, line)
                if name and not before[name] and not NOT_NAMES[name] then return name end
            end
        end
    end
    return nil
end

-- The user may write `react query` for `@tanstack/react-query`.
local function is_asked(name, wish)
    if wishes.names(wish, OPEN) then return true end
    local last = name:match("([^/]+)$")
    return wishes.names(wish, { name, last, (last:gsub("%.js$", "")), (last:gsub("^py", "")) })
end

-- A package of a doubtful kind, whether or not it becomes a dependency of the project.
local function doubtful(call, wish)
    local advise, name
    shell.each(match.commands(call), function(command)
        if advise then return end
        local package, host = installs.foreign(command)
        local site = host and host:match("([%w-]+)%.%w+$") or host
        if host and not wishes.names(wish, { host, site }) then
            advise, name = ("`%s` was installed from %s, which is no public registry. Nobody"
                .. " asked for that: say why, and what was looked at."):format(
                text.line(package, 80), text.line(host, 60)), package
            return
        end
        for _, one in ipairs(installs.names(command)) do
            local meant = installs.misspelt(one)
            if meant and not advise and not wishes.names(wish, { one }) then
                advise, name = ("`%s` was installed; the well-known package is `%s`. Check the"
                    .. " name: packages under mistyped names attack."):format(
                    text.line(one, 60), meant), one
            end
        end
    end)
    return advise, name
end

---@type perilune.ObserverSpec
return {
    name = "dep-guard",
    description = "Notices a new dependency that nobody asked for.",
    on = "turn_end",
    sees = { "activity" },
    can = { "advise" },
    deliver = "steer",
    priority = 55,
    severity = "concern",
    observe = function(turn, ctx)
        local wish, from = wishes.follow(ctx.state, turn), match.fresh_from(turn)
        for _, call in ipairs(turn.calls()) do
            local ran = call.seq >= from and match.happened(call) and not match.failed(call)
            local doubt, of = nil, nil
            if ran then doubt, of = doubtful(call, wish) end
            if doubt then
                return { advise = doubt, severity = "blocker", evidence = { call.seq },
                    fingerprint = "dep:doubtful:" .. text.hash(of) }
            end
            local name = ran and (added_by_command(call) or added_by_edit(call))
            if name and not name:find("^@types/") and not is_asked(name, wish) then
                return {
                    advise = ("`%s` was added as a dependency, which the user did not ask"
                        .. " for. Say why it is needed, or do without."):format(
                        text.line(name, 80)),
                    fingerprint = "dep:" .. name:lower(),
                    evidence = { call.seq },
                }
            end
        end
        return nil
    end,
}
