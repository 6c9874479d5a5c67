local secrets = require("perilune.secrets")

describe("perilune.secrets", function()
    it("knows the files that are kept for secrets", function()
        for _, path in ipairs({ ".env", "/p/.env.production", "~/.ssh/id_rsa", "id_ed25519",
            "config/credentials.json", ".netrc", "server.pem", "/home/x/.aws/config" }) do
            assert.is_true(secrets.is_file(path), path)
        end
        for _, path in ipairs({ ".env.example", "env.lua", "id_rsa.pub", "src/credential.c",
            "ideas.md", ".envrc.sample", "environment" }) do
            assert.is_false(secrets.is_file(path), path)
        end
    end)

    it("finds values by their name and keys by their form", function()
        assert.same({ "Zx81kq93mmLp20vv" }, secrets.values("API_TOKEN=Zx81kq93mmLp20vv"))
        assert.same({ "abc123def456ghi" }, secrets.values('"secret": "abc123def456ghi"'))
        local key = "ghp_" .. ("a1"):rep(18)
        assert.same({ key }, secrets.values("the key is " .. key .. " today"))
    end)

    it("calls no ordinary word a secret", function()
        for _, words in ipairs({ "DEBUG=truetruetrue1", "TOKEN=short1", "password: changeme",
            "SECRET=aaaaaaaaaaaaaaaaaa", "risk-free and task-based work",
                "HOST=abc123def456" }) do
            assert.same({}, secrets.values(words))
        end
    end)
end)
