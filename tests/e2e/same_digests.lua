-- Are two files of `digest --json` the same digests? Each holds, for every session and agent,
-- the same texts in the same steps; nonces are drawn anew and the order of agents may differ.
-- Usage: luajit same_digests.lua FILE FILE
package.path = arg[0]:match("^(.*)/e2e/[^/]*$") .. "/support/?.lua;" .. package.path
local json = require("json")

local function without_nonce(text)
    local nonce = text:match('nonce="([^"]+)"')
    if not nonce then return text end
    return (text:gsub(nonce:gsub("%-", "%%-"), "NONCE"))
end

local function read(path)
    local digests, count = {}, 0
    for line in io.lines(path) do
        local d = json.decode(line)
        local key = ("%s %s turn %d step %d"):format(d.session, d.agent, d.turn, d.step)
        digests[key] = (digests[key] or "") .. without_nonce(d.text)
        count = count + 1
    end
    return digests, count
end

local a, a_count = read(arg[1])
local b, b_count = read(arg[2])
local wrong = a_count ~= b_count and 1 or 0
if wrong > 0 then print(("%d digests, not %d"):format(b_count, a_count)) end
for key, text in pairs(a) do
    if b[key] ~= text then
        wrong = wrong + 1
        print(("--- %s\n%s\n+++\n%s"):format(key, text, b[key] or "nothing"))
    end
end
if wrong > 0 then os.exit(1) end
print(a_count)
