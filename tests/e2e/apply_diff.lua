-- Applies the lines of a guide's ```diff block (standard input) to FILE: each run of `-` lines
-- is replaced by the `+` lines behind it. A line that is not there is an error: the guide is
-- wrong.
local path = assert(arg[1], "usage: luajit apply_diff.lua FILE <DIFF")
local file = assert(io.open(path, "rb"))
local text = file:read("*a")
file:close()

local function replace(old, new)
    local from, to = text:find(old, 1, true)
    if not from then error("not in " .. path .. ":\n" .. old, 0) end
    text = text:sub(1, from - 1) .. new .. text:sub(to + 1)
end

local old, new = "", ""
for line in io.lines() do
    local mark, rest = line:match("^([-+])(.*)$")
    if mark == "-" and new ~= "" then
        replace(old, new)
        old, new = "", ""
    end
    if mark == "-" then old = old .. rest .. "\n" end
    if mark == "+" then new = new .. rest .. "\n" end
end
replace(old, new)

file = assert(io.open(path, "wb"))
file:write(text)
file:close()
