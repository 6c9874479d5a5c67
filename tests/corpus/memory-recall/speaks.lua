local act = require("acts")

local memory = {
    { name = "proto-generated", description = "The protobuf bindings under gen/ are generated;"
        .. " edit schema.proto", text = "" },
    { name = "postgres-port", description = "The staging postgres listens on port 5544",
        text = "" },
    { name = "release-signing", description = "Releases are signed with the maintainer yubikey",
        text = "" },
    { name = "windows-paths", description = "Windows runners need quoted backslash paths",
        text = "" },
}

return {
    { label = "the request is about it", says = "proto%-generated",
        user = "Regenerate the protobuf bindings from the schema.", memory = memory,
        act.edit("gen/api.pb.go") },
    { label = "the agent's own words are", says = "postgres%-port", memory = memory,
        act.text("I will connect to the staging postgres on its default port."),
        act.bash("psql -h staging", "refused", 1) },
    { label = "a command is", says = "postgres%-port", user = "Check the staging database.",
        memory = memory, act.bash("psql 'host=staging port=5432' # postgres listens here?") },
    { label = "two of them in turn, the first one first", says = "release%-signing",
        memory = memory, user = "Sign the releases with the maintainer yubikey.",
        act.bash("gpg --list-keys", "none") },
    { label = "a plural and another form", says = "windows%-paths", memory = memory,
        user = "The windows runner breaks on backslash path quoting.", act.read("ci.yml") },
    { label = "in a later turn", says = "proto%-generated", memory = memory,
        act.text("Done."), act.user("now change the generated protobuf bindings schema"),
        act.read("gen/x.go") },
}
