// Running Lua observers: what a run may say, what it keeps, and that whatever it does it fails
// alone.
#include "script/script_internal.h"
#include "script_scene.h"

#define API "-- perilune-api: 1\n"
#define OBSERVER(name, body)                                                                   \
    API "return { name = '" name "', description = 'd', on = 'turn_end', observe = "           \
        "function(turn, ctx)\n" body "\nend }"

static void fails(const char *body, const char *message) {
    scene *s = scene_new();
    peri_run_result result = scene_do(s, body);
    if (result.state != PERI_RUN_FAILED) {
        TEST_FAIL("%s: %.*s", body, PERI_FMT(peri_run_state_word(result.state)));
    }
    CHECK_HAS(result.error, message);
    CHECK(!result.draft.report.ptr && !result.draft.advise.ptr);
    CHECK(!result.saved_state.ptr);
    scene_free(s);
}

IT("is silent when observe returns nil or nothing") {
    scene *s = scene_new();
    CHECK_EQ(scene_do(s, "return nil").state, PERI_RUN_SILENT);
    CHECK_EQ(scene_do(s, "").state, PERI_RUN_SILENT);
    scene_free(s);
}

IT("hands over every field of a proposal") {
    scene *s = scene_new();
    peri_run_result r =
        scene_do(s, "return { advise = 'look', fingerprint = 'f1', severity = 'nit', "
                    "evidence = { 4, 9, 2^53 }, data = { n = 1, list = { 'a', 'b' } } }");
    CHECK_EQ(r.state, PERI_RUN_PROPOSED);
    CHECK_STR(r.draft.advise, "look");
    CHECK(!r.draft.veto.ptr && !r.draft.report.ptr);
    CHECK_STR(r.draft.fingerprint, "f1");
    CHECK_STR(r.draft.severity, "nit");
    CHECK_EQ(r.draft.evidence_count, 3);
    CHECK_EQ(r.draft.evidence[1], 9);
    CHECK_EQ(r.draft.evidence[2], 1ll << 53);
    CHECK_STR(r.draft.data, "{\"list\":[\"a\",\"b\"],\"n\":1}");
    scene_free(s);
}

IT("PE-1 does not run an observer whose wake says no, and nil is no") {
    scene *s = scene_new();
    static const struct {
        const char *wake;
        peri_run_state state;
    } cases[] = {{"false", PERI_RUN_SKIPPED},
                 {"nil", PERI_RUN_SKIPPED},
                 {"turn.step > 99", PERI_RUN_SKIPPED},
                 {"true", PERI_RUN_PROPOSED},
                 {"0", PERI_RUN_PROPOSED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 API "return { name = 'w%zu', on = 'turn_end', wake = function(turn) return %s "
                     "end, observe = function() return { advise = 'ran' } end }",
                 i, cases[i].wake);
        CHECK_EQ(scene_run(s, scene_load(s, "p", text)).state, cases[i].state);
    }
    scene_free(s);
}

IT("C51 says what was returned instead of nil or a table") {
    fails("return 'just a string'", "observe returned a string, not nil or a table");
    fails("return false", "observe returned a boolean, not nil or a table");
    fails("return 42", "observe returned a number, not nil or a table");
    fails("return coroutine.create(print)", "observe returned a thread, not nil or a table");
    fails("return turn", "observe returned a userdata, not nil or a table");
    fails("return print", "observe returned a function, not nil or a table");
}

IT("C51 names the field that has the wrong type") {
    fails("return { report = 42 }", "report is a number, not text");
    fails("return { report = function() end }", "report is a function, not text");
    fails("return { report = 'ok', severity = 0/0 }", "severity is a number, not text");
    fails("return { report = 'ok', fingerprint = {} }", "fingerprint is a table, not text");
    fails("return { report = 'ok', data = 'x' }", "data is a string, not a table");
    fails("return { report = 'ok', evidence = 5 }", "evidence is a number, not a list");
    fails("return { report = 'ok', evidence = { '7' } }", "evidence[1] is not a whole number");
    fails("return { report = 'ok', evidence = { 1, 2.5 } }", "evidence[2] is not a whole");
    fails("return { report = 'ok', evidence = { -1 } }", "evidence[1] is not a whole number");
    fails("return { report = 'ok', evidence = { 0/0 } }", "evidence[1] is not a whole number");
    fails("return { report = 'ok', evidence = { 1, nil, 3 } }", "evidence has holes");
    fails("return { report = 'ok', evidence = { x = 1 } }", "evidence is not a list");
    fails("local e = {} for i = 1, 17 do e[i] = i end return { report = 'x', evidence = e }",
          "evidence is not a list of at most 16");
}

IT("names the nearest key for an unknown one") {
    fails("return { advice = 'x' }", "unknown key \"advice\", did you mean \"advise\"?");
    fails("return { advise = 'x', colour = 'red' }", "unknown key \"colour\"");
    fails("return { zeta = 1, omega = 2, [1] = 3, [true] = 4, alpha = 5, colour = 6, mu = 7 }",
          "unknown key \"alpha\""); // the same one in every process
    fails("return { 'just text' }", "a key is a number, not a name");
    fails("return { ['\\255\\0bad'] = 1 }", "unknown key \"\"");
}

IT("says file and line with what is wrong") {
    scene *s = scene_new();
    CHECK_STR(scene_do(s, "return 1").error,
              "o.lua:3: observe returned a number, not nil or a table");
    CHECK_HAS(scene_do(s, "local t = nil return t.x").error, "o.lua:3: attempt to index");
    scene_free(s);
}

IT("C51 reads a returned table raw: its metamethods never run") {
    scene *s = scene_new();
    peri_run_result r = scene_do(
        s, "return setmetatable({ report = 'mine' }, { __index = function() error('trap') end, "
           "__pairs = function() error('trap') end, __len = function() error('trap') end })");
    CHECK_EQ(r.state, PERI_RUN_PROPOSED);
    CHECK_STR(r.draft.report, "mine");
    r = scene_do(s,
                 "return { report = 'x', data = setmetatable({ a = 1 }, { __index = function() "
                 "error('trap') end }) }");
    CHECK_STR(r.draft.data, "{\"a\":1}");
    r = scene_do(s, "return setmetatable({}, { __index = function() return 'forged' end })");
    CHECK(!r.draft.report.ptr && !r.draft.advise.ptr && !r.draft.severity.ptr);
    scene_free(s);
}

IT("C18 refuses data that is cyclic, too deep or too large") {
    fails("local t = {} t.self = t return { report = 'x', data = t }", "data");
    fails("local t = {} local r = t for i = 1, 1e4 do local n = {} r[1] = n r = n end "
          "return { report = 'x', data = t }",
          "data");
    fails("local t = {} for i = 1, 1e5 do t[i] = i end return { report = 'x', data = t }",
          "data is over 4096 bytes as JSON");
    fails("return { report = 'x', data = { f = print } }", "data");
}

IT("refuses a result of a hundred thousand entries at its first wrong key") {
    fails("local t = { report = 'x' } for i = 1, 1e5 do t['k' .. i] = i end return t",
          "unknown key");
}

IT("C51 lives through every kind of thrown value, and says what it was") {
    static const char *const bodies[] = {
        "error()",
        "error(nil)",
        "error({ code = 7 })",
        "error(setmetatable({}, { __tostring = function() error('again') end }))",
        "error(('\\0'):rep(10) .. 'bin\\255')",
        "error(turn)",
        "error(('x'):rep(1e6))",
    };
    scene *s = scene_new();
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        peri_run_result r = scene_do(s, bodies[i]);
        CHECK_EQ(r.state, PERI_RUN_FAILED);
        CHECK(r.error.len > 0 && r.error.len <= PERI_RUN_MAX_ERROR_BYTES);
        CHECK_HAS(r.error, "o.lua:3");
    }
    scene_free(s);
}

// Runs `body` beside an honest observer of the same pack: it must fail by itself and the other
// must work on, every time.
static void fails_alone(const char *body, peri_run_state state) {
    char text[1024];
    scene *s = scene_new();
    snprintf(text, sizeof text, OBSERVER("bad", "%s"), body);
    const peri_observer *bad = scene_load(s, "p", text);
    const peri_observer *good =
        scene_load(s, "p", OBSERVER("good", "return { advise = 'step ' .. turn.step }"));
    for (int i = 0; i < 2; i++) {
        peri_run_result r = scene_run(s, bad);
        if (r.state != state) {
            TEST_FAIL("%s: %.*s", body, PERI_FMT(peri_run_state_word(r.state)));
        }
        CHECK(r.error.len > 0);
        CHECK_STR(scene_run(s, good).draft.advise, "step 3");
    }
    scene_free(s);
}

IT("C46 ends an observer that loops, which fails alone") {
    fails_alone("while true do end", PERI_RUN_TIMEOUT);
    fails_alone("local x = 0 for i = 1, 1e15 do x = x + i % 7 end return x", PERI_RUN_TIMEOUT);
    fails_alone("while true do local x = #turn.items end", PERI_RUN_TIMEOUT);
    fails_alone("while true do local x = turn.calls() end", PERI_RUN_TIMEOUT);
}

IT("C47 ends an observer that catches the end of its time") {
    fails_alone("while true do pcall(function() while true do end end) end", PERI_RUN_TIMEOUT);
    fails_alone("while true do pcall(coroutine.wrap(function() while true do end end)) end",
                PERI_RUN_TIMEOUT);
}

IT("C49 ends an observer that fills memory, which fails alone") {
    fails_alone("return #(('x'):rep(1024 * 1024 * 1024))", PERI_RUN_FAILED);
    fails_alone("return #(('x'):rep(1024 * 1024 * 10000))", PERI_RUN_FAILED);
    fails_alone("local t = {} while true do t[#t + 1] = ('y'):rep(1048576) .. #t end",
                PERI_RUN_FAILED);
    fails_alone("local s = 'z' while true do s = s .. s end", PERI_RUN_FAILED);
}

IT("C46 names the place where the time ran out") {
    scene *s = scene_new();
    CHECK_HAS(scene_do(s, "\n while true do end").error, "o.lua:4");
    scene_free(s);
}

IT("keeps ctx.state from run to run") {
    scene *s = scene_new();
    const peri_observer *o = scene_load(
        s, "p", OBSERVER("o", "ctx.state.n = (ctx.state.n or 0) + 1; ctx.state.big = 2^60"));
    peri_run_result r = scene_run(s, o);
    CHECK_HAS(r.saved_state, "\"n\":1");
    r = scene_run_with(s, o, r.saved_state, (peri_outcome){0});
    CHECK_HAS(r.saved_state, "\"n\":2");
    scene_free(s);
}

IT("says nothing of a ctx.state that did not change") {
    scene *s = scene_new();
    const peri_observer *quiet = scene_load(s, "p", OBSERVER("quiet", ""));
    CHECK(!scene_run(s, quiet).saved_state.ptr);
    CHECK(!scene_run_with(s, quiet, PERI_STR("{\"a\":[1,2]}"), (peri_outcome){0})
               .saved_state.ptr);
    const peri_observer *wipes = scene_load(s, "p", OBSERVER("wipes", "ctx.state = nil"));
    CHECK_STR(scene_run_with(s, wipes, PERI_STR("{\"a\":1}"), (peri_outcome){0}).saved_state,
              "{}");
    const peri_observer *swaps = scene_load(s, "p", OBSERVER("swaps", "ctx.state = { b = 2 }"));
    CHECK_STR(scene_run_with(s, swaps, PERI_STR("{\"a\":1}"), (peri_outcome){0}).saved_state,
              "{\"b\":2}");
    scene_free(s);
}

IT("begins with an empty ctx.state where the saved one cannot be read") {
    scene *s = scene_new();
    const peri_observer *o =
        scene_load(s, "p", OBSERVER("o", "return { advise = tostring(next(ctx.state)) }"));
    CHECK_STR(scene_run_with(s, o, PERI_STR("{\"a\":"), (peri_outcome){0}).draft.advise, "nil");
    CHECK_STR(scene_run_with(s, o, PERI_STR("17"), (peri_outcome){0}).draft.advise, "nil");
    scene_free(s);
}

IT("fails a run whose ctx.state is over 4 KiB, naming its size, or no plain table") {
    fails("ctx.state.x = ('y'):rep(5000)", "ctx.state is 5008 bytes as JSON, at most 4096");
    fails("ctx.state.x = ('y'):rep(1e6)", "ctx.state is over 65536 bytes as JSON");
    fails("ctx.state = 5", "ctx.state is a number, not a table");
    fails("ctx.state.f = print", "ctx.state");
    fails("ctx.state.turn = turn", "ctx.state");
    fails("ctx.state.me = ctx.state", "ctx.state");
}

IT("drops the proposal and the state of a run that fails") {
    fails("ctx.state.n = 1 error('late')", "late");
    fails("ctx.state.n = 1 return { advise = 7 }", "advise is a number");
}

IT("PE-5 tells an observer what became of its last proposal") {
    scene *s = scene_new();
    const peri_observer *o = scene_load(
        s, "p",
        OBSERVER("o", "local l = ctx.last return { advise = ctx.observer .. ':' .. (l and "
                      "l.verdict .. '/' .. l.reason .. '/' .. tostring(l.lane) or 'none') }"));
    CHECK_STR(scene_run(s, o).draft.advise, "o:none");
    peri_outcome last = {.text = PERI_STR("t"),
                         .verdict = PERI_STR("drop"),
                         .reason = PERI_STR("already delivered")};
    CHECK_STR(scene_run_with(s, o, (peri_str){0}, last).draft.advise,
              "o:drop/already delivered/nil");
    scene_free(s);
}

IT("mends text that is no UTF-8 and bounds text that is too long") {
    scene *s = scene_new();
    CHECK_STR(scene_do(s, "return { advise = 'a\\255b' }").draft.advise, "a\xEF\xBF\xBD"
                                                                         "b");
    peri_str text = scene_do(s, "return { report = ('é'):rep(1e6) }").draft.report;
    CHECK(peri_utf8_valid(text));
    CHECK_EQ(text.len, 16 * 1024);
    text = scene_do(s, "return { report = 'x' .. ('é'):rep(1e5) }").draft.report;
    CHECK(peri_utf8_valid(text));
    scene_free(s);
}

IT("ends views with the call they were made for") {
    scene *s = scene_new();
    scene_call(s, "Bash", "c1", "{\"command\":\"ls\"}");
    const peri_observer *o = scene_load(
        s, "p",
        API
        "local kept\nlocal function tries(name, f) local ok, e = pcall(f) return name .. "
        "tostring(ok) .. (e and e:find('expired: ', 1, true) and '!' or '') end\n"
        "return { name = 'o', on = 'turn_end', observe = function(turn)\n"
        "if not kept then kept = { t = turn, i = turn.items, f = turn.items[1],\n"
        "  c = turn.calls()[1], m = turn.calls } return nil end\n"
        "return { advise = tries('turn ', function() return kept.t.step end) .. tries(' items ',"
        " function() return #kept.i end) .. tries(' item ', function() return kept.f.name end)"
        " .. tries(' call ', function() return kept.c.name end) .. tries(' method ', function()"
        " return kept.m() end) .. ' repeats ' .. tostring(pcall(turn.repeats, kept.f)) } end }");
    CHECK_EQ(scene_run(s, o).state, PERI_RUN_SILENT);
    CHECK_STR(scene_run(s, o).draft.advise,
              "turn false! items false! item false! call false! method false! repeats false");
    scene_free(s);
}

IT("keeps a view of an earlier call expired however many calls there were") {
    scene *s = scene_new();
    scene_call(s, "Bash", "c1", "{\"command\":\"ls\"}");
    const peri_observer *o = scene_load(
        s, "p",
        API "local kept return { name = 'o', on = 'turn_end', observe = function(turn)\n"
            "if not kept then kept = turn.items[1] return { advise = 'first' } end\n"
            "return { advise = tostring(pcall(function() return kept.name end)) } end }");
    peri__pack *pack = ((peri__scripted *)o->owner)->unit.pack;
    CHECK_STR(scene_run(s, o).draft.advise, "first");
    uint64_t vm_number = pack->vm_number;
    pack->call_number = PERI__MAX_CALLS - 1;
    CHECK_STR(scene_run(s, o).draft.advise, "false");
    CHECK_EQ(pack->vm_number, vm_number);
    CHECK_STR(scene_run(s, o).draft.advise, "first"); // in a new VM, which counts anew
    CHECK(pack->vm_number > vm_number && pack->call_number < 10);
    scene_free(s);
}

IT("gives observers of one pack globals of their own") {
    scene *s = scene_new();
    CHECK_EQ(scene_run(s, scene_load(s, "p", OBSERVER("a", "leak = 1 string.find = 7"))).state,
             PERI_RUN_SILENT);
    const peri_observer *b = scene_load(
        s, "p", OBSERVER("b", "return { advise = tostring(leak) .. ('abc'):find('b') }"));
    CHECK_STR(scene_run(s, b).draft.advise, "nil2");
    scene_free(s);
}

IT("loads an observer again after its VM was given up") {
    scene *s = scene_new();
    const peri_observer *o = scene_load(
        s, "p",
        API
        "local runs = 0 return { name = 'o', on = 'turn_end', observe = function(turn, ctx)\n"
        "runs = runs + 1 if runs == 2 then while true do end end\n"
        "return { advise = tostring(runs) } end }");
    CHECK_STR(scene_run(s, o).draft.advise, "1");
    CHECK_EQ(scene_run(s, o).state, PERI_RUN_TIMEOUT);
    CHECK_STR(scene_run(s, o).draft.advise, "1");
    scene_free(s);
}

IT("tells who printed") {
    scene *s = scene_new();
    CHECK_EQ(scene_run(s, scene_load(s, "p", OBSERVER("chatty", "print('hi', 2)"))).state,
             PERI_RUN_SILENT);
    CHECK_STR(peri_str_c(s->printed), "chatty: hi\t2");
    scene_free(s);
}

IT("does not touch an observer of another runtime") {
    scene *s = scene_new();
    peri_observer other = {.name = PERI_STR("m"), .runtime = PERI_RUN_MODEL};
    CHECK_EQ(scene_run(s, &other).state, PERI_RUN_NO_RUNTIME);
    scene_free(s);
}

IT("runs a definition the host has copied and changed") {
    scene *s = scene_new();
    peri_observer copy = *scene_load(s, "p", OBSERVER("o", "return { advise = 'x' }"));
    copy.shadow = true;
    CHECK_EQ(scene_run(s, &copy).state, PERI_RUN_PROPOSED);
    scene_free(s);
}

IT("answers with an error text even when the batch's memory is used up") {
    scene *s = scene_new();
    const peri_observer *o = scene_load(s, "p", OBSERVER("o", "return { advise = 'x' }"));
    peri_arena_deinit(&s->arena);
    peri_arena_init(&s->arena, 0);
    peri_run_result r = scene_run(s, o);
    CHECK_EQ(r.state, PERI_RUN_FAILED);
    CHECK_STR(r.error, "out of memory");
    scene_free(s);
}

IT("C49 leaks nothing over two hundred memory bombs") {
    scene *s = scene_new();
    const peri_observer *o =
        scene_load(s, "p", OBSERVER("o", "return #(('x'):rep(1024 * 1024 * 1024))"));
    for (int i = 0; i < 200; i++) {
        CHECK_EQ(scene_run(s, o).state, PERI_RUN_FAILED);
        peri_arena_reset(&s->arena);
    }
    scene_free(s);
}

TEST_MAIN
