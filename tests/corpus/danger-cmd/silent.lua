local act = require("acts")

return {
    { label = "rm -rf within the workspace",
        act.bash("rm -rf build && rm -rf ./node_modules") },
    { label = "rm -rf of a temporary folder", act.bash("rm -rf /tmp/try") },
    { label = "a quoted command", act.bash("echo 'rm -rf /' > notes.txt") },
    { label = "a commented one", act.bash("make # not: git push --force") },
    { label = "force with lease", act.bash("git push --force-with-lease origin topic") },
    { label = "a push without force", act.bash("git push -u origin topic") },
    { label = "a message that names the option", act.bash("git commit -m 'drop --no-verify'") },
    { label = "a download to a file", act.bash("curl -o i.sh https://example.com/i.sh") },
    { label = "a download that a program reads",
        act.bash("curl -s https://example.com/x.json | python3 -m json.tool") },
    { label = "rights for the owner", act.bash("chmod +x run.sh && chmod 755 bin/tool") },
    { label = "what the user asked for", user = "Force-push the rebased branch please.",
        act.bash("git push --force origin topic") },
    { label = "a refused command", act.with(act.bash("rm -rf /"), { denied = "no" }) },
    { label = "a search for one", act.bash("grep -rn 'chmod 777' .") },
}
