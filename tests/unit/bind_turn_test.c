// The views a Lua observer is shown: turn, its items, its calls and its files.
#include "script_scene.h"

// A turn with a failed command, an edit, a refusal and a last word.
static scene *busy_scene(void) {
    scene *s = scene_new();
    scene_add(s, PERI_ITEM_ASSISTANT_TEXT, NULL, NULL, "I will look.");
    scene_call(s, "Bash", "c1",
               "{\"command\":\"make test\",\"timeout\":5,\"env\":[\"A\",\"B\"]}");
    scene_call(s, "Read", "c2", "{\"file_path\":\"/p/a.c\"}");
    peri_item *failed = scene_result(s, "c1", "2 failed");
    failed->is_error = true;
    failed->exit_code = 2;
    scene_result(s, "c2", "int main");
    scene_call(s, "Edit", "c3", "{\"file_path\":\"/p/a.c\",\"old_string\":\"a\"}");
    scene_result(s, "c3", "ok");
    scene_call(s, "Write", "c4", "{\"path\":\"/p/b.c\"}");
    scene_add(s, PERI_ITEM_TOOL_DENIED, "Write", "c4", "not allowed");
    scene_call(s, "Bash", "c5",
               "{\"command\":\"make test\",\"timeout\":5,\"env\":[\"A\",\"B\"]}");
    return s;
}

static void shows(scene *s, const char *expression, const char *value) {
    peri_str got = scene_eval(s, expression);
    if (!peri_str_eq(got, peri_str_c(value))) {
        TEST_FAIL("%s is \"%.*s\", not \"%s\"", expression, PERI_FMT(got), value);
    }
}

static void raises(scene *s, const char *expression, const char *message) {
    peri_str got = scene_eval(s, expression);
    if (peri_str_find(got, peri_str_c(message)) == PERI_NPOS) {
        TEST_FAIL("%s gives \"%.*s\"", expression, PERI_FMT(got));
    }
}

IT("shows the plain fields of a turn") {
    scene *s = scene_new();
    s->turn.dropped_count = 4;
    s->turn.ending = true;
    shows(s, "turn.step .. ' ' .. turn.turn", "3 2");
    shows(s, "turn.session .. ' ' .. turn.agent .. ' ' .. turn.agent_name", "s1 main coder");
    shows(s, "turn.trigger", "turn_end");
    shows(s, "turn.cwd", "/home/dev/project");
    shows(s, "turn.last_user", "please fix it");
    shows(s, "turn.dropped", "4");
    shows(s, "turn.ending", "true");
    shows(s, "turn.usage.input .. ' ' .. turn.usage.cached .. ' ' .. turn.usage.output",
          "1200 800 90");
    scene_free(s);
}

IT("shows nil for what is not known") {
    scene *s = scene_new();
    s->turn.cwd = s->turn.last_user = (peri_str){0};
    shows(s, "turn.cwd", "nil");
    shows(s, "turn.last_user", "nil");
    shows(s, "turn.goal", "nil");
    scene_free(s);
}

IT("shows the goal with its items") {
    scene *s = scene_new();
    peri_goal_item items[] = {{PERI_STR("docs"), true}, {PERI_STR("tests"), false}};
    peri_goal goal = {.text = PERI_STR("ship it"), .items = items, .item_count = 2};
    s->turn.goal = &goal;
    shows(s, "turn.goal.text", "ship it");
    shows(s, "turn.goal.check", "nil");
    shows(s, "#turn.goal.items", "2");
    shows(s, "turn.goal.items[2].text .. tostring(turn.goal.items[2].done)", "testsfalse");
    scene_free(s);
}

IT("lists items by number and through ipairs") {
    scene *s = busy_scene();
    shows(s, "#turn.items", "10");
    shows(s, "turn.items[1].kind", "assistant_text");
    shows(s, "turn.items[10].kind", "tool_call");
    shows(s, "turn.items[11]", "nil");
    shows(s, "turn.items[0]", "nil");
    shows(s, "turn.items[-1]", "nil");
    shows(s, "turn.items[1.5]", "nil");
    shows(s, "turn.items[0/0]", "nil");
    shows(s, "turn.items[1e300]", "nil");
    shows(s,
          "(function() local n, s = 0, '' for i, item in ipairs(turn.items) do n = i s = s .. "
          "item.seq .. ' ' end return s end)()",
          "1 2 3 4 5 6 7 8 9 10 ");
    scene_free(s);
}

IT("lists nothing for a step without activity") {
    scene *s = scene_new();
    shows(s, "#turn.items .. #turn.calls() .. #turn.files", "000");
    shows(s, "turn.items[1]", "nil");
    scene_free(s);
}

IT("shows every field of an item") {
    scene *s = busy_scene();
    shows(s, "turn.items[2].name", "Bash");
    shows(s, "turn.items[2].call_id", "c1");
    shows(s, "turn.items[2].seq", "2");
    shows(s, "turn.items[2].step .. ' ' .. turn.items[2].turn", "3 2");
    shows(s, "turn.items[2].is_error", "false");
    shows(s, "turn.items[2].exit_code", "nil");
    shows(s, "turn.items[1].text", "I will look.");
    shows(s, "turn.items[1].name", "nil");
    shows(s, "turn.items[4].kind .. turn.items[4].exit_code", "tool_result2");
    shows(s, "turn.items[4].is_error", "true");
    shows(s, "turn.items[9].kind .. ': ' .. turn.items[9].text", "tool_denied: not allowed");
    scene_free(s);
}

IT("shows text as a string even where there is none, and both ends of a long one") {
    scene *s = scene_new();
    scene_add(s, PERI_ITEM_TURN_ENDED, "end_turn", NULL, "")->text = (peri_text){0};
    peri_item *item = scene_add(s, PERI_ITEM_ASSISTANT_TEXT, NULL, NULL, "");
    item->text = peri_text_of(PERI_STR("abcdefghij"), (peri_text_caps){3, 2});
    shows(s, "turn.items[1].text", "");
    shows(s, "turn.items[2].text", "abc\n… [5 characters left out] …\nij");
    scene_free(s);
}

IT("shows a tool call's input as a table of the observer's own") {
    scene *s = busy_scene();
    shows(s, "turn.items[2].input.command", "make test");
    shows(s, "turn.items[2].input.timeout + 1", "6");
    shows(s, "#turn.items[2].input.env .. turn.items[2].input.env[2]", "2B");
    shows(s, "turn.items[1].input", "nil");
    shows(s, "turn.items[2].input == turn.items[2].input", "true");
    shows(s,
          "(function() turn.items[2].input.command = 'rm' return turn.items[10].input.command "
          "end)()",
          "make test");
    scene_free(s);
}

IT("parses the bounded input of a cut call, and gives nil where there is nothing to parse") {
    scene *s = scene_new();
    peri_item *bounded = scene_call(s, "Write", "c1", "");
    bounded->text =
        peri_text_of(PERI_STR("{\"content\":\"aaaaaaaaaaaa\"}"), (peri_text_caps){5, 2});
    bounded->bounded = PERI_STR("{\"content\":\"aa…\"}");
    peri_item *cut = scene_call(s, "Write", "c2", "");
    cut->text = bounded->text;
    scene_call(s, "apply_patch", "c3", "\"*** Begin Patch\"");
    scene_call(s, "Odd", "c4", "{\"broken\":");
    scene_call(s, "None", "c5", "");
    scene_call(s, "List", "c6", "[1,2]");
    shows(s, "turn.items[1].input.content", "aa…");
    shows(s, "turn.items[2].input", "nil");
    shows(s, "turn.items[3].input", "*** Begin Patch");
    shows(s, "turn.items[4].input", "nil");
    shows(s, "turn.items[5].input", "nil");
    shows(s, "turn.items[6].input[2]", "2");
    scene_free(s);
}

IT("joins the turn's calls with their results") {
    scene *s = busy_scene();
    shows(s, "#turn.calls()", "5");
    shows(s, "turn.calls()[1].result .. turn.calls()[1].exit_code", "2 failed2");
    shows(s, "turn.calls()[1].is_error", "true");
    shows(s, "turn.calls()[1].input.command", "make test");
    shows(s, "turn.calls()[2].result", "int main");
    shows(s, "turn.calls()[2].exit_code", "nil");
    shows(s, "turn.calls()[4].denied", "true");
    shows(s, "turn.calls()[4].result", "not allowed");
    shows(s, "turn.calls()[3].denied", "false");
    shows(s, "turn.calls()[5].result", "nil");
    shows(s, "turn.calls()[5].is_error", "false");
    shows(s, "turn.calls()[5].call_id .. turn.calls()[5].seq .. turn.calls()[5].step", "c5103");
    scene_free(s);
}

IT("hands out the list of calls afresh each time") {
    scene *s = busy_scene();
    shows(s, "(function() table.remove(turn.calls()) return #turn.calls() end)()", "5");
    scene_free(s);
}

IT("counts how often a call was made, for a call and for an item") {
    scene *s = busy_scene();
    shows(s, "turn.repeats(turn.calls()[1])", "2");
    shows(s, "turn.repeats(turn.items[10])", "2");
    shows(s, "turn.repeats(turn.items[3])", "1");
    shows(s, "turn.repeats(turn.items[1])", "0");
    shows(s, "select('#', turn.repeats(turn.items[2]))", "2");
    raises(s, "turn.repeats({ name = 'Bash' })", "repeats wants a call or an item");
    raises(s, "turn.repeats(turn)", "repeats wants a call or an item");
    raises(s, "turn.repeats()", "repeats wants a call or an item");
    scene_free(s);
}

IT("lists the files that calls which went well have touched") {
    scene *s = busy_scene();
    scene_call(s, "read_file", "c6", "{\"absolute_path\":\"/p/c \\\"q\\\".c\"}");
    peri_item *missing = scene_call(s, "Read", "c7", "{\"file_path\":\"/p/none\"}");
    (void)missing;
    scene_result(s, "c7", "no such file")->is_error = true;
    scene_call(s, "Grep", "c8", "{\"path\":\"/p\"}");
    scene_call(s, "Read", "c9", "{\"file_path\":7}");
    shows(s, "#turn.files", "2");
    shows(s, "turn.files[1].path", "/p/a.c");
    shows(s, "tostring(turn.files[1].read) .. tostring(turn.files[1].edited)", "truetrue");
    shows(s, "turn.files[1].seq", "6");
    shows(s, "turn.files[2].path", "/p/c \"q\".c");
    shows(s, "turn.files[2].edited", "false");
    scene_free(s);
}

IT("refuses to be written to") {
    scene *s = busy_scene();
    raises(s, "(function() turn.step = 9 end)()", "read-only: turn");
    raises(s, "(function() turn.state = {} end)()", "read-only: turn");
    raises(s, "(function() turn.items[1] = 9 end)()", "read-only: turn.items");
    raises(s, "(function() turn.items[1].text = 9 end)()", "read-only: item");
    raises(s, "(function() turn.calls()[1].text = 9 end)()", "read-only: call");
    raises(s, "(function() setmetatable(turn, {}) end)()", "bad argument");
    shows(s, "getmetatable(turn)", "nil");
    scene_free(s);
}

IT("raises on a field it does not have, naming the nearest") {
    scene *s = busy_scene();
    raises(s, "turn.itmes", "turn has no field \"itmes\", did you mean \"items\"?");
    raises(s, "turn.xyzzy", "turn has no field \"xyzzy\"");
    raises(s, "turn[1]", "turn has no field of type number");
    raises(s, "turn[turn]", "turn has no field of type userdata");
    raises(s, "turn.items[1].txt", "item has no field \"txt\", did you mean \"text\"?");
    raises(s, "turn.calls()[1].results",
           "call has no field \"results\", did you mean \"result\"");
    raises(s, "turn.items.first", "turn.items has no field \"first\"");
    raises(s, "#turn", "turn has no length");
    scene_free(s);
}

IT("names where a wrong field was asked for") {
    scene *s = scene_new();
    raises(s, "turn.itmes", "o.lua:3: turn has no field");
    scene_free(s);
}

IT("shows no addresses") {
    scene *s = busy_scene();
    shows(s, "turn", "turn");
    shows(s, "turn.items[1]", "item");
    scene_free(s);
}

IT("gives the same item and the same list for the whole call") {
    scene *s = busy_scene();
    shows(s, "turn.items[2] == turn.items[2] and turn.items == turn.items", "true");
    shows(s, "(function() local t = { [turn.items[2]] = 'x' } return t[turn.items[2]] end)()",
          "x");
    scene_free(s);
}

IT("works inside a coroutine") {
    scene *s = busy_scene();
    shows(s, "coroutine.wrap(function() return turn.items[2].input.command end)()",
          "make test");
    scene_free(s);
}

IT("tells how many lines the calls put into a file and took out") {
    scene *s = scene_new();
    scene_call(s, "Edit", "c1",
               "{\"file_path\":\"a\",\"old_string\":\"1\\n2\\n\",\"new_string\":\"1\"}");
    scene_call(s, "MultiEdit", "c2",
               "{\"file_path\":\"a\",\"edits\":[{\"old_string\":\"x\\\\n\",\"new_string\":"
               "\"x\\ny\\nz\"},{\"old_string\":\"q\",\"new_string\":\"\"}]}");
    scene_call(s, "Write", "c3", "{\"file_path\":\"b\",\"content\":\"1\\n\\n3\"}");
    scene_call(s, "Read", "c4", "{\"file_path\":\"c\",\"content\":\"not counted\"}");
    shows(s, "#turn.files", "3");
    shows(s, "turn.files[1].added .. ' ' .. turn.files[1].removed", "4 4");
    shows(s, "turn.files[2].added .. ' ' .. turn.files[2].removed", "3 0");
    shows(s, "turn.files[3].added .. ' ' .. turn.files[3].removed", "0 0");
    scene_free(s);
}

IT("tells how full the context is by the last answer's tokens") {
    scene *s = scene_new();
    s->turn.usage.cache_created = 7;
    s->turn.last_usage =
        (peri_usage){.input = 100, .cached = 2000, .cache_created = 30, .output = 4};
    shows(s, "turn.usage.cache_created", "7");
    shows(s, "turn.usage.context", "2034");
    s->turn.last_usage = (peri_usage){.input = 3000, .cached = 2500, .output = 4};
    shows(s, "turn.usage.context", "3004");
    scene_free(s);
}

IT("shows the notes and skills the host has read") {
    scene *s = scene_new();
    peri_recall note = {PERI_STR("port"), PERI_STR("It is 5544."),
                        PERI_STR("It is 5544.\nYes.")};
    peri_recall skill = {PERI_STR("pdf"), PERI_STR("Fill forms."), {0}};
    shows(s, "#turn.memory .. #turn.skills", "00");
    s->turn.memory = &note;
    s->turn.skills = &skill;
    s->turn.memory_count = s->turn.skill_count = 1;
    shows(s, "turn.memory[1].name .. turn.memory[1].description", "portIt is 5544.");
    shows(s, "turn.memory[1].text", "It is 5544.\nYes.");
    shows(s, "turn.skills[1].name .. tostring(turn.skills[1].text)", "pdfnil");
    scene_free(s);
}

TEST_MAIN
