-- Knows a secret by its form or its name, and the files that are kept for them. Made to miss
-- one rather than to call an ordinary word a secret.
local paths = require("perilune.paths")

local M = {}

-- What well-known keys begin with, followed by enough to be one.
local KEY_FORMS = {
    "sk%-[%w_-]+", "ghp_%w+", "gho_%w+", "github_pat_[%w_]+", "glpat%-[%w_-]+",
    "xox[bpa]%-[%w-]+", "AKIA%u%w+", "AIza[%w_-]+", "npm_%w+", "hf_%w+",
    "eyJ[%w_-]+%.[%w_-]+%.[%w_-]+",
}
local KEY_MIN = 20

--- Shorter values are too common to be told from other words.
M.MIN_BYTES = 12
local NAMES = { "secret", "token", "passw", "api_?key", "apikey", "private_?key", "credential" }
local READ_MAX_BYTES = 16384

--- True if a file of this name is kept for its secrets.
---@param path string
---@return boolean
function M.is_file(path)
    local name = paths.base(path):lower()
    if name:find("example") or name:find("sample") or name:find("template")
        or name:find("%.pub$") or name:find("%.dist$") then
        return false
    end
    return name:find("^%.env$") ~= nil or name:find("^%.env%.") ~= nil
        or name:find("^id_[re][sdc]%a*$") ~= nil or name:find("^id_ed25519$") ~= nil
        or name:find("^credentials") ~= nil or name == ".netrc" or name == ".pgpass"
        or name == ".npmrc" or name:find("%.pem$") ~= nil or name:find("%.p12$") ~= nil
        or path:find("/%.aws/") ~= nil
end

local function is_secret_name(name)
    name = name:lower()
    for _, pattern in ipairs(NAMES) do
        if name:find(pattern) then return true end
    end
    return false
end

--- The secrets that `words` show: keys of known form anywhere, values of telling names in lines
--- such as `NAME=value`.
---@param words string
---@return string[]
function M.values(words)
    local found = {}
    words = words:sub(1, READ_MAX_BYTES)
    for _, form in ipairs(KEY_FORMS) do
        for key in words:gmatch("%f[%w]" .. form) do
            if #key >= KEY_MIN then found[#found + 1] = key end
        end
    end
    for name, value in words:gmatch("%f[%w_]([%w_]+)[\"']?%s*[=:]%s*[\"']?([%w_+/=.~-]+)") do
        local random = value:find("%d") and value:find("%a")
        if #value >= M.MIN_BYTES and random and is_secret_name(name) then
            found[#found + 1] = value
        end
    end
    return found
end

return M
