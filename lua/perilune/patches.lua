-- Reads patches: Codex's `*** Update File: a.c` and unified diffs. Of each file the lines that
-- went and those that came; what stands around them is left out.
local M = {}

local MAX_LINES = 600

local KINDS = { Add = "add", Delete = "delete", Update = "edit" }

--- Calls `add` for every file that `patch` changes, and for every one it moves.
---@param patch string
---@param add fun(path: string, kind: string, old: string?, new: string?, to: string?)
function M.each(patch, add)
    local path, kind, old, new, before, lines = nil, nil, {}, {}, nil, 0
    local head = false -- the line before was a `--- a/FILE`
    local function close()
        if path then add(path, kind, table.concat(old, "\n"), table.concat(new, "\n")) end
        path, old, new = nil, {}, {}
    end
    for line, next_at in patch:gmatch("([^\n]*)\n?()") do
        lines = lines + 1
        if lines > MAX_LINES then break end
        local verb, file = line:match("^%*%*%* (%a+) File: (.+)$")
        local unified = head and (line:match("^%+%+%+ b/([^\t]+)")
            or line:match("^%+%+%+ /?([^\t]+)"))
        -- A line that went may begin with `-- `, too: comments of Lua and SQL do.
        head = line:find("^%-%-%- ") and patch:find("^%+%+%+ ", next_at) ~= nil
        local to = line:match("^%*%*%* Move to: (.+)$")
        if to and path then
            add(path, "move", nil, nil, to)
        elseif unified == "dev/null" and before then
            close()
            path, kind = before, "delete"
        elseif KINDS[verb] or unified then
            close()
            path, kind = file or unified, KINDS[verb] or "edit"
        elseif head then
            close()
            before = line:match("^%-%-%- a/([^\t]+)") or line:match("^%-%-%- ([^\t]+)")
        elseif line:find("^%-") then
            old[#old + 1] = line:sub(2)
        elseif line:find("^%+") then
            new[#new + 1] = line:sub(2)
        end
    end
    close()
end

return M
