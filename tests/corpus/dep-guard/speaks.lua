local act = require("acts")
local user = "Fix the date parser."

return {
    { label = "npm install NAME", says = "`lodash` was added", user = user,
        act.bash("npm install lodash", "added 1 package") },
    { label = "a scoped package with a version", says = "`@scope/dates` was added", user = user,
        act.bash("pnpm add @scope/dates@2.1.0", "ok") },
    { label = "cargo add", says = "`chrono`", user = user, act.bash("cargo add chrono", "ok") },
    { label = "poetry add behind a cd", says = "`pendulum`", user = user,
        act.bash("cd api && poetry add 'pendulum>=3'", "ok") },
    { label = "go get", says = "`github%.com/araddon/dateparse`", user = user,
        act.bash("go get github.com/araddon/dateparse@latest", "ok") },
    { label = "a line in package.json", says = "`moment`", user = user,
        act.edit("package.json", '"a": "^1.0.0"', '"a": "^1.0.0",\n    "moment": "^2.30.1"') },
    { label = "a line in requirements.txt", says = "`python%-dateutil`", user = user,
        act.edit("requirements.txt", "flask==3.0", "flask==3.0\npython-dateutil>=2.9") },
    { label = "a line in Cargo.toml", says = "`regex`", user = user,
        act.edit("Cargo.toml", "[dependencies]", "[dependencies]\nregex = \"1.10\"") },
    { label = "a line in go.mod", says = "`github%.com/x/y`", user = user,
        act.patch("Update", "go.mod", "@@\n require (\n+\tgithub.com/x/y v1.2.3\n )") },
    { label = "against the user's word", says = "`lodash`",
        user = "Fix it without new dependencies.", act.bash("npm i lodash",
            "added 1 package") },
    { label = "into one package of a workspace", says = "axios", user = "Fix the bug.",
        act.bash("pnpm --filter web add axios", "added") },
    { label = "npm's way to say the same", says = "axios", user = "Fix the bug.",
        act.bash("npm -w web install axios", "added") },
}
