local act = require("acts")

local memory = {
    { name = "proto-generated", description = "The protobuf bindings under gen/ are generated;"
        .. " edit schema.proto", text = "" },
    { name = "postgres-port", description = "The staging postgres listens on port 5544",
        text = "" },
    { name = "release-signing", description = "Releases are signed with the maintainer yubikey",
        text = "" },
}
local alike = {
    { name = "a", description = "The staging postgres listens on port 5544", text = "" },
    { name = "b", description = "The staging postgres listens on port 5545 for tests",
        text = "" },
}

return {
    { label = "no notes", user = "Connect to the staging postgres port.", act.bash("psql") },
    { label = "another subject", memory = memory, user = "Fix the date parser.",
        act.edit("src/date.c") },
    { label = "one word in common", memory = memory, user = "Open the port of the web server.",
        act.bash("ss -tlnp", "80") },
    { label = "two words in common", memory = memory, user = "Listen on a port.",
        act.read("server.c") },
    { label = "words that all notes have", memory = alike,
        user = "Connect to the staging postgres port it listens on.", act.bash("psql") },
    { label = "common words only", memory = memory,
        user = "Please make the change and run the tests with the tool.", act.bash("make") },
    { label = "a result that names it, but no request", memory = memory, user = "Show the log.",
        act.bash("tail log", "staging postgres listens on port 5544") },
}
