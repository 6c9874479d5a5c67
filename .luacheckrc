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
    "tests/corpus", ".luacheckrc" }
exclude_files = { "lua/meta", "observers/*.md" }

files["lua/perilune/testing.lua"] = { std = "luajit" }
files["lua/perilune/strict.lua"] = { std = "luajit" }
files["lua/perilune/chain.lua"] = { std = "luajit" }
files["lua/perilune/virtual_clock.lua"] = { std = "luajit" }
files["lua/perilune/spec_runner.lua"] = { std = "luajit" }
files["lua/templates/*-spec.lua"] = { std = "luajit+busted" }
files["**/*_spec.lua"] = { std = "luajit+busted" }
files["lua/perilune/dialects"] = { read_globals = { "dialect" }, max_line_length = 120 }
files["tests/corpus"] = { std = "luajit" }
files["tests/support/*.lua"] = { std = "luajit" }
files[".luacheckrc"] = { std = "luajit", globals = { "stds", "std", "max_line_length",
    "include_files", "exclude_files", "files" } }
