local testing = require("perilune.testing")
local spec = testing.load("skill-recall.md")

local SKILLS = {
    { name = "pdf-forms", description = "Fill and flatten PDF forms, extract form fields" },
    { name = "release-notes", description = "Write release notes from merged pull requests" },
}

describe("skill-recall without a model", function()
    it("points to a skill once, with the words that call for it", function()
        local said = testing.replay(spec, { user = "Fill this PDF form.", skills = SKILLS,
            { text = "Hm." }, { user = "no, the other pdf form, fill that" } })
        assert.equal(1, #said)
        assert.matches("%(fill, form, pdf%)", said[1].text)
    end)

    it("has the trigger and the right of pi-observers' skill-recall", function()
        assert.same({ "advise" }, spec.can)
        assert.equal("before_agent_start", spec.on)
    end)
end)
