// The text functions of the sandbox that LuaJIT has in assembler: LuaJIT's own results for any
// arguments, and no harm when memory ends in them.
#include <lauxlib.h>
#include <lualib.h>

#include "script/vm.h"
#include "test.h"

// What each function gives for each combination of arguments, and its message where it fails.
// Without numbers near 2^31, where LuaJIT's sub wraps around.
static const char probe[] =
    "local values = { 0, 1, 2, 3, 7, 512, 513, 599, 600, 601, -1, -2, -600, -601, 1.5, -1.5,\n"
    "                 255, 256, 2^30, -2^30, '2', ' 3 ', 'x', true, {} }\n"
    "local texts = { '', 'a', 'aZ\\0\\255[@`{', ('Straße 12 '):rep(60), 12, -0.5 }\n"
    "local out = {}\n"
    "local function add(name, ...)\n"
    "  out[#out + 1] = name\n"
    "  for i = 1, select('#', ...) do\n"
    "    local value = select(i, ...)\n"
    "    out[#out + 1] = type(value) == 'table' and '{}' or tostring(value)\n"
    "  end\n"
    "end\n"
    "for _, text in ipairs(texts) do\n"
    "  for _, name in ipairs({ 'lower', 'upper', 'reverse' }) do\n"
    "    add(name, pcall(string[name], text))\n"
    "    add(name, pcall(string[name], text, 'more'))\n"
    "  end\n"
    "  add('sub', pcall(string.sub, text))\n"
    "  for i, from in ipairs(values) do\n"
    "    add('sub ' .. i, pcall(string.sub, text, from))\n"
    "    for j, to in ipairs(values) do\n"
    "      add('sub ' .. i .. ' ' .. j, pcall(string.sub, text, from, to))\n"
    "    end\n"
    "  end\n"
    "end\n"
    "for _, one in ipairs(values) do\n"
    "  add('char', pcall(string.char, one))\n"
    "  for _, name in ipairs({ 'lower', 'upper', 'reverse' }) do add(name, pcall(string[name])) end\n"
    "  for _, other in ipairs(values) do add('char', pcall(string.char, 65, one, other)) end\n"
    "end\n"
    "local many = {}\n"
    "for i = 1, 1000 do many[i] = i % 256 end\n"
    "add('char', string.char(), string.char(unpack(many)))\n"
    "return table.concat(out, '\\n')\n";

IT("D4 gives LuaJIT's results and messages for sub, char, lower, upper and reverse") {
    peri_vm_options options = {.limits.wall_ms = 5000};
    peri_vm *vm;
    peri_arena arena;
    peri_str error = {0};
    peri_arena_init(&arena, 1 << 20);
    CHECK_OK(peri_vm_new(&options, &vm));
    if (peri_vm_load(vm, peri_str_c(probe), PERI_STR("probe.lua"), &arena, &error) < 0) {
        TEST_FAIL("%.*s", PERI_FMT(error));
    }
    lua_State *plain = luaL_newstate();
    CHECK(plain != NULL);
    luaL_openlibs(plain);
    CHECK_EQ(luaL_loadbuffer(plain, probe, sizeof probe - 1, "@probe.lua"), 0);
    lua_call(plain, 0, 1);
    size_t got_len, want_len, at = 0;
    const char *got = lua_tolstring(peri_vm_lua(vm), -1, &got_len);
    const char *want = lua_tolstring(plain, -1, &want_len);
    CHECK(want_len > 100000);
    while (at < got_len && at < want_len && got[at] == want[at]) at++;
    if (at < got_len || at < want_len) {
        TEST_FAIL("differs at byte %zu: \"%.80s\" is not \"%.80s\"", at,
                  got + at - (at < 40 ? at : 40), want + at - (at < 40 ? at : 40));
    }
    lua_close(plain);
    peri_vm_free(vm);
    peri_arena_deinit(&arena);
}

// Texts are kept until memory ends, most likely in the call at the end of 60 others: nothing
// since `rawset` told LuaJIT where the stack ends by then.
static const char filler[] =
    "return function(name)\n"
    "  local keep, words, make = {}, {}, string[name]\n"
    "  for i = 1, 2000 do words[i] = bit.tohex(i * 40503, i % 2 == 0 and 8 or -8) end\n"
    "  local text = table.concat(words)\n"
    "  local function deep(n, i)\n"
    "    if n > 0 then local made = deep(n - 1, i) return made end\n"
    "    local made = make(text, i, i + 8000)\n"
    "    return made\n"
    "  end\n"
    "  for i = 1, 1e6 do\n"
    "    if name ~= 'sub' then text = text .. (i % 2 == 0 and 'x' or 'X') end\n"
    "    rawset(keep, i, true)\n"
    "    keep[i] = deep(60, i)\n"
    "  end\n"
    "end\n";

IT("C49 no text function harms the process when memory ends in it, far from the last stack mark") {
    static const char *const names[] = {"sub", "lower", "upper", "reverse"};
    enum { LIMITS = 12, LEAST_BYTES = 1 << 20, STEP_BYTES = 4099 };
    peri_arena arena;
    peri_arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < sizeof names / sizeof *names * LIMITS; i++) {
        peri_vm_options options = {
            .limits = {.wall_ms = 5000, .memory_bytes = LEAST_BYTES + i % LIMITS * STEP_BYTES}};
        peri_vm *vm;
        peri_str error = {0};
        CHECK_OK(peri_vm_new(&options, &vm));
        CHECK_OK(peri_vm_load(vm, peri_str_c(filler), PERI_STR("filler.lua"), &arena, &error));
        lua_pushstring(peri_vm_lua(vm), names[i / LIMITS]);
        CHECK_EQ(peri_vm_call(vm, 1, 0, &arena, &error), PERI_ELIMIT);
        CHECK_HAS(error, "memory");
        peri_vm_free(vm);
    }
    peri_arena_deinit(&arena);
}

TEST_MAIN
