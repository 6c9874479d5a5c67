-- What the sandbox offers to observers, policies and dialects, and what specs may use besides.
local sandbox = {
    globals = {},
    read_globals = {
        "assert", "error", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget", "rawset",
        "getmetatable", "setmetatable", "select", "tonumber", "tostring", "type", "unpack",
        "print", "require", "bit",
        string = { other_fields = true }, table = { other_fields = true },
        math = { other_fields = true },
    },
}

stds.perilune = sandbox
std = "perilune"
max_line_length = 96
include_files = { "lua", "observers", "policies", "tests/spec", "tests/support/*.lua",
    ".luacheckrc" }
exclude_files = { "lua/meta" }

files["lua/perilune/testing.lua"] = { std = "luajit" }
files["**/*_spec.lua"] = { std = "luajit+busted" }
files["lua/perilune/dialects"] = { read_globals = { "dialect" }, max_line_length = 120 }
files["tests/support/*.lua"] = { std = "luajit" }
files[".luacheckrc"] = { std = "luajit", globals = { "stds", "std", "max_line_length",
    "include_files", "exclude_files", "files" } }
