// The promises of script/outline.h: what a definition says, without running it.
#include "script/outline.h"

#include "base/buf.h"
#include "test.h"

static peri_outline outline_of(const char *text) {
    peri_outline out;
    peri_outline_read(peri_str_c(text), &out);
    return out;
}

static void check_words(const peri_outline_value *value, const char *joined) {
    char text[256] = "";
    size_t len = 0;
    for (size_t i = 0; i < value->count; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s", i ? "," : "",
                                PERI_FMT(value->words[i]));
    }
    CHECK(value->written);
    CHECK_STR(peri_str_c(text), joined);
}

IT("reads the values that are written out in the table that ends the file") {
    peri_outline o = outline_of("-- perilune-api: 1\n"
                                "local match = require('perilune.match')\n"
                                "local function f(a) if a then return { name = 'no' } end end\n"
                                "return {\n"
                                "  name = \"lint-watch\", description = 'What it does',\n"
                                "  on = { 'turn_end', \"tool_denied\" }; can = { \"veto\", },\n"
                                "  deliver = 'hold', priority = 10,\n"
                                "  wake = f,\n"
                                "  observe = function(turn, ctx)\n"
                                "    local x, y = { can = 1, name = 'inner' }, 2\n"
                                "    for i = 1, 2 do x = i end\n"
                                "    repeat y = 1 until y\n"
                                "    return { advise = 'x', name = 'other' }\n"
                                "  end,\n"
                                "}\n");
    CHECK(o.plain);
    check_words(&o.name, "lint-watch");
    check_words(&o.description, "What it does");
    check_words(&o.on, "turn_end,tool_denied");
    check_words(&o.can, "veto");
    check_words(&o.deliver, "hold");
    CHECK(o.has_observe && o.has_wake);
    CHECK(!o.sees.given && !o.agents.given && !o.command.given);
}

IT("C65 tells the outline of the hostile case without running it") {
    peri_outline o = outline_of(
        "local f=io and io.open(\"/tmp/x\",\"w\") if f then f:write(\"x\") f:close() end\n"
        "return { name=\"p\", on=\"turn_end\", observe=function() end }");
    CHECK(o.plain && o.has_observe);
    check_words(&o.name, "p");
}

IT("says what it cannot tell") {
    peri_outline o = outline_of("return { name = 'a', can = words(), on = 'x' .. 'y', "
                                "sees = { 'a', f() }, deliver = \"a\\nb\", command = [[ls]] }");
    CHECK(o.plain);
    CHECK(o.can.given && !o.can.written && o.can.count == 0);
    CHECK(o.on.given && !o.on.written);
    CHECK(o.sees.given && !o.sees.written && o.sees.count == 0);
    CHECK(o.deliver.given && !o.deliver.written);
    CHECK(o.command.given && !o.command.written);
}

IT("takes the last of equal keys, as Lua does") {
    peri_outline o = outline_of("return { can = { 'advise' }, can = { 'veto' } }");
    check_words(&o.can, "veto");
}

IT("is not plain where the file ends in anything else") {
    static const char *const texts[] = {
        "",
        "local M = { name = 'a' } return M",
        "return setmetatable({ name = 'a' }, {})",
        "return { ['can'] = { 'veto' } }",
        "return { 'positional' }",
        "return { name = 'a' }, { name = 'b' }",
        "return { name = 'a' } .. x",
        "return { name = 'a'",
        "do return { name = 'a' } end",
        "return { name = 'open",
        "--[[ return { name = 'a' } ]]",
        "return f { name = 'a' }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        peri_outline o = outline_of(texts[i]);
        if (o.plain) TEST_FAIL("plain: %s", texts[i]);
        CHECK(!o.name.given);
    }
}

IT("is not fooled by comments, long strings and blocks") {
    peri_outline o =
        outline_of("--[==[ return { name = 'comment' } ]] ]==]\n"
                   "local s = [[ return { name = 'string' } ]]\n"
                   "local t = 'return { name = \"quoted\" }' -- return { name = 'x' }\n"
                   "if s then return { name = 'block' } end\n"
                   "return { -- can = { 'report' }\n"
                   "  name = 'real', --[[ can = { 'veto' }, ]] can = { 'advise' } }");
    CHECK(o.plain);
    check_words(&o.name, "real");
    check_words(&o.can, "advise");
}

IT("ends in time that grows with the text on whatever it is given") {
    static const char *const parts[] = {"return {", "{",     "--[[",         "[==[",
                                        "'",        "a = {", "return { a = "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        peri_buf text;
        peri_buf_init(&text, 512 * 1024);
        while (text.len < 256 * 1024) peri_buf_add_c(&text, parts[i]);
        peri_outline out;
        peri_outline_read(peri_buf_str(&text), &out);
        peri_buf_deinit(&text);
        CHECK(!out.plain);
    }
}

IT("finds the name that a file seems to have, even one with a mistake") {
    CHECK_STR(peri_outline_name(PERI_STR("a.md"), PERI_STR("---\nname: reviewer\non: x: y\n")),
              "reviewer");
    CHECK_STR(peri_outline_name(PERI_STR("a.md"), PERI_STR("---\r\nname: \"q\"\r\n")), "q");
    CHECK_STR(peri_outline_name(PERI_STR("a.lua"), PERI_STR("return { name = 'z', nope = 1 }")),
              "z");
    CHECK(!peri_outline_name(PERI_STR("a.md"), PERI_STR("nothing")).ptr);
    CHECK(!peri_outline_name(PERI_STR("a.lua"), PERI_STR("return { name = f() }")).ptr);
}

TEST_MAIN
