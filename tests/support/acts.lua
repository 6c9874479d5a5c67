-- What agents do, for scenes: one constructor a kind of act, the input as Claude Code writes it
-- unless the name says otherwise.
local M = {}

--- A shell command. `code` other than 0 is a failure.
function M.bash(command, result, code)
    return { call = "Bash", input = { command = command }, result = result or "",
        exit_code = code }
end

function M.read(path, result)
    return { call = "Read", input = { file_path = path }, result = result or "some lines" }
end

function M.edit(path, old, new)
    return { call = "Edit", input = { file_path = path, old_string = old or "a",
        new_string = new or "b" }, result = "The file " .. path .. " has been updated." }
end

--- A file written whole; `again` if it was there before.
function M.write(path, content, again)
    return { call = "Write", input = { file_path = path, content = content or "text" },
        result = again and "The file " .. path .. " has been updated."
            or "File created successfully at: " .. path }
end

--- Codex: `hunks` are the lines below the file's head.
function M.patch(verb, path, hunks)
    local patch = ("*** Begin Patch\n*** %s File: %s\n%s\n*** End Patch"):format(verb, path,
        hunks or "")
    return { call = "apply_patch", input = patch, result = "Success. Updated " .. path }
end

function M.todos(...)
    local todos = {}
    for i, entry in ipairs({ ... }) do
        local status, content = entry:match("^(%w+): (.*)$")
        todos[i] = { content = content, status = status == "done" and "completed" or "pending" }
    end
    return { call = "TodoWrite", input = { todos = todos },
        result = "Todos have been modified" }
end

function M.text(words)
    return { text = words }
end

function M.user(words)
    return { user = words }
end

--- The same act, refused or in another form.
function M.with(act, fields)
    local out = {}
    for key, value in pairs(act) do out[key] = value end
    for key, value in pairs(fields) do out[key] = value end
    return out
end

return M
