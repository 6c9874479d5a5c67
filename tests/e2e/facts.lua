-- Counts what a recording holds, without perilune's rules, and compares it with what perilune
-- says: calls by name, results, a person's prompts, tokens once for each model answer; for
-- each agent. Usage: luajit facts.lua RECORDING RECORDS, the latter of `replay --json
-- --no-observers RECORDING`.
package.path = arg[0]:match("^(.*)/e2e/[^/]*$") .. "/support/?.lua;" .. package.path
local json = require("json")

local function lines(path)
    local next_line = io.lines(path)
    return function()
        for line in next_line do
            local ok, record = pcall(json.decode, line)
            if ok and type(record) == "table" then return record end
        end
    end
end

local function facts()
    return setmetatable({}, { __index = function(agents, key)
        local new = { calls = {}, results = {}, prompts = 0, tokens = {} }
        agents[key] = new
        return new
    end })
end

local function is_list(value) return type(value) == "table" and value[1] ~= nil end
local function is_map(value) return type(value) == "table" end

-- One record a content block; a person's are those that nothing marks as a machine's.
local function claude_transcript(of, r)
    if not is_map(r.message) then return end
    local agent, content = of[r.agentId or "main"], r.message.content
    local human = not r.isMeta and (not is_map(r.origin) or r.origin.kind == "human")
    if r.type == "user" and type(content) == "string" then
        agent.prompts = agent.prompts + (human and 1 or 0)
    end
    for _, block in ipairs(is_list(content) and content or {}) do
        if block.type == "tool_use" then agent.calls[block.id] = block.name end
        if block.type == "tool_result" then agent.results[block.tool_use_id] = true end
        if r.type == "user" and block.type == "text" and human then
            agent.prompts = agent.prompts + 1
        end
    end
    local usage = r.type == "assistant" and is_map(r.message.usage) and r.message.usage
    if usage then agent.tokens[r.message.id] = { usage.input_tokens, usage.output_tokens } end
end

local function codex_rollout(of, r)
    local agent, p = of.main, r.payload
    local kind = is_map(p) and p.type or ""
    if kind == "function_call" or kind == "custom_tool_call" then
        agent.calls[p.call_id] = p.name
    end
    if kind:match("_call_output$") then agent.results[p.call_id] = true end
    if is_map(p.item) and p.item.type == "UserMessage" then
        agent.prompts = agent.prompts + 1
    end
    if kind == "token_count" and is_map(p.info) then
        local total = p.info.total_token_usage
        agent.tokens.all = { total.input_tokens, total.output_tokens }
    end
end

local function pi_message(of, m)
    local agent = of.main
    if m.role == "user" then agent.prompts = agent.prompts + 1 end
    if m.role == "toolResult" then agent.results[m.toolCallId] = true end
    if m.role ~= "assistant" then return end
    agent.tokens[#agent.tokens + 1] = { m.usage.input, m.usage.output }
    for _, block in ipairs(m.content) do
        if block.type == "toolCall" then agent.calls[block.id] = block.name end
    end
end

local function pi_session(of, r)
    if r.type == "message" then pi_message(of, r.message) end
end

local function pi_json(of, r)
    if r.type == "message_end" then pi_message(of, r.message) end
end

local function opencode_run(of, r)
    local agent, part = of.main, r.part or {}
    local tokens = part.type == "step-finish" and part.tokens
    if tokens then agent.tokens[part.id] = { tokens.input, tokens.output } end
    if part.type ~= "tool" then return end
    agent.calls[part.callID] = part.tool
    if part.state.status == "completed" then agent.results[part.callID] = true end
end

local function gemini_session(of, r)
    local agent = of.main
    local first = r.type == "user" and is_list(r.content) and r.content[1]
    if first and first.text then agent.prompts = agent.prompts + 1 end
    if is_map(r.tokens) then agent.tokens[r.id] = { r.tokens.input, r.tokens.output } end
    for _, call in ipairs(is_list(r.toolCalls) and r.toolCalls or {}) do
        agent.calls[call.id] = call.name
        if call.status ~= "executing" then agent.results[call.id] = true end
    end
end

local formats = { ["claude-transcript"] = claude_transcript, ["codex-rollout"] = codex_rollout,
    ["pi-session"] = pi_session, ["pi-json"] = pi_json, ["opencode-run"] = opencode_run,
    ["gemini-session"] = gemini_session }

-- What perilune says, as the same facts; its running totals are increments, so all are added.
local function told(of, o)
    if o.record ~= "observation" then return end
    local agent = of[o.agent]
    if o.kind == "tool" then agent.calls[o.callId] = o.name end
    local is_result = o.kind == "tool-result" or o.kind == "tool-denied"
    if is_result then agent.results[o.callId] = true end
    if o.kind == "prompt" and not o.x.origin then agent.prompts = agent.prompts + 1 end
    if o.kind == "message-usage" then
        agent.tokens[#agent.tokens + 1] = { o.tokens.input, o.tokens.output }
    end
end

local function counted(agents)
    local out = {}
    for key, agent in pairs(agents) do
        local names, parts, results, input, output = {}, {}, 0, 0, 0
        for _, name in pairs(agent.calls) do names[name] = (names[name] or 0) + 1 end
        for name, count in pairs(names) do parts[#parts + 1] = name .. "=" .. count end
        for _ in pairs(agent.results) do results = results + 1 end
        for _, pair in pairs(agent.tokens) do
            input, output = input + (tonumber(pair[1]) or 0), output + (tonumber(pair[2]) or 0)
        end
        table.sort(parts)
        out[#out + 1] = ("%s: calls %s, %d results, %d prompts, %d + %d tokens"):format(key,
            table.concat(parts, " "), results, agent.prompts, input, output)
    end
    table.sort(out)
    return table.concat(out, "\n")
end

local summary
for r in lines(arg[2]) do summary = r end
local format
for name, reader in pairs(formats) do
    if summary.text:find("\n%s+" .. name:gsub("%-", "%%-") .. " ") then format = reader end
end
if not format then
    print("skipped: not one of the formats that are counted")
    os.exit(2)
end
local held, said = facts(), facts()
for r in lines(arg[1]) do format(held, r) end
for r in lines(arg[2]) do told(said, r) end
local want, got = counted(held), counted(said)
print("holds:\n" .. want .. "\nsays:\n" .. got)
os.exit(want == got and 0 or 1)
