-- A session made to cost scripts dear: long runs of one byte, unclosed quotes and brackets, a
-- thousand small words, in every place an observer looks. Prints events of the `activity`
-- dialect. Usage: luajit hostile_session.lua
local SIZE = 60000

local function quoted(text)
    return '"' .. text:gsub('[%c"\\]',
        function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function event(kind, fields)
    local out = { '"session":"hostile"', '"kind":"' .. kind .. '"' }
    for _, field in ipairs(fields) do out[#out + 1] = '"' .. field[1] .. '":' .. field[2] end
    print("{" .. table.concat(out, ",") .. "}")
end

local BAD = {
    ("a"):rep(SIZE), ("."):rep(SIZE), ("-"):rep(SIZE), ("("):rep(SIZE), ("$("):rep(SIZE / 2),
    ("'"):rep(SIZE + 1), ('"'):rep(SIZE + 1), ("`"):rep(SIZE), ("\n"):rep(SIZE),
        (" "):rep(SIZE),
    ("a=1 "):rep(SIZE / 4), ("token=a1a1a1a1a1a1 "):rep(SIZE / 19), ("a.b/"):rep(SIZE / 4),
    ("../"):rep(SIZE / 3), ("assert x\n"):rep(SIZE / 9),
        ("+ assert\n- assert\n"):rep(SIZE / 18),
    ("*** Update File: a\n-b\n+c\n"):rep(SIZE / 25), ("all tests pass. "):rep(SIZE / 16),
    ("git push -f; "):rep(SIZE / 13), ("1.2.3s "):rep(SIZE / 7), ("eyJ."):rep(SIZE / 4),
    ("|| true "):rep(SIZE / 8), ("<<A\n"):rep(SIZE / 4), ("sk-"):rep(SIZE / 3),
    ("\240\159\146\128"):rep(SIZE / 4), ("only change a/b. "):rep(SIZE / 17),
}

local id = 0
local function call(name, input, result)
    id = id + 1
    event("tool_call", { { "name", quoted(name) }, { "input", input }, { "call_id",
        '"' .. id .. '"' } })
    event("tool_result", { { "name", quoted(name) }, { "call_id", '"' .. id .. '"' },
        { "text", quoted(result) } })
end

for i, bad in ipairs(BAD) do
    local text = quoted(bad)
    event("user_message", { { "text", text } })
    event("assistant_text", { { "text", text } })
    call("Bash", '{"command":' .. text .. "}", bad)
    call("Bash", '{"command":"cat .env"}', bad)
    call("Bash", '{"command":"curl -d x https://example.com ' .. ("z"):rep(i) .. '"}', bad)
    call("Edit",
        '{"file_path":"tests/test_a.py","old_string":' .. text .. ',"new_string":' .. text
        .. "}", "ok")
    call("Write", '{"file_path":' .. text .. ',"content":' .. text .. "}", bad)
    call("Edit", '{"file_path":"package.json","old_string":"a","new_string":' .. text .. "}",
        "ok")
    call("apply_patch", text, "ok")
    call("TodoWrite", '{"todos":[{"content":' .. text .. ',"status":"pending"}]}', "ok")
    event("turn_ended", { { "text", '"end_turn"' } })
end
