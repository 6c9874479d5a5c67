// The step-limited patterns against LuaJIT's own: same results, same captures, same messages.
#include "script/pattern.h"

#include <lauxlib.h>
#include <lualib.h>

#include "script/vm.h"
#include "test.h"

static const char probe[] =
    "return function(s, p, init)\n"
    "  local out = {}\n"
    "  local function add(name, ok, ...)\n"
    "    out[#out + 1] = name .. '=' .. tostring(ok)\n"
    "    for i = 1, select('#', ...) do out[#out + 1] = tostring((select(i, ...))) end\n"
    "  end\n"
    "  add('find', pcall(string.find, s, p, init))\n"
    "  add('match', pcall(string.match, s, p, init))\n"
    "  add('gsub', pcall(string.gsub, s, p, '<%0>'))\n"
    "  add('gsub1', pcall(string.gsub, s, p, '%%%1', 2))\n"
    "  add('gsubt', pcall(string.gsub, s, p, { a = 'A', b = false, [''] = '-' }))\n"
    "  add('gsubf', pcall(string.gsub, s, p, function(a, b) return b or a end))\n"
    "  add('gmatch', pcall(function()\n"
    "    local n = 0\n"
    "    for a, b in string.gmatch(s, p) do\n"
    "      n = n + 1\n"
    "      out[#out + 1] = tostring(a) .. ',' .. tostring(b)\n"
    "      if n > 50 then break end\n"
    "    end\n"
    "  end))\n"
    "  return table.concat(out, '\\n')\n"
    "end\n";

static const char *const patterns[] = {
    "",
    "a",
    "abc",
    ".",
    ".*",
    ".-",
    ".+",
    "a*",
    "a-b",
    "a?b",
    "^a",
    "^",
    "$",
    "a$",
    "^$",
    "^.*$",
    "b*$",
    "(a)(b)",
    "((a)b)",
    "()",
    "()a()",
    "(a*)(b*)",
    "(.-)%s",
    "%a+",
    "%A+",
    "%d+",
    "%D",
    "%s*",
    "%S+",
    "%w+",
    "%W",
    "%l+",
    "%u+",
    "%p+",
    "%P+",
    "%x+",
    "%X",
    "%c",
    "%C+",
    "%z",
    "%g+",
    "%.",
    "%%",
    "%-",
    "%(",
    "[abc]",
    "[^abc]+",
    "[a-c]+",
    "[^a-c]",
    "[%a_][%w_]*",
    "[]]",
    "[^]]+",
    "[a-]",
    "[-a]+",
    "[%]]",
    "[%-x]",
    "[a%-z]",
    "[.]",
    "%b()",
    "%b[]x",
    "%bxx",
    "%f[%w]%w+",
    "%f[%W]",
    "%f[a]",
    "(%a)%1",
    "(.)(.)%2%1",
    "(%w+)%s*=%s*(%w+)",
    "^%s*(.-)%s*$",
    "a.-b.-c",
    "(a+(b*))c?",
    "x*y*z*",
    "[\\x]",
    "\\",
    "-",
    "a-",
    "*",
    "+a",
    "?",
    "a**",
    "a+?",
    "^^a",
    "a^",
    "$a",
    "a$b",
    "(a$)",
    "(^a)",
    "%1",
    "(a)%2",
    "(a",
    "a)",
    "((a)",
    "%",
    "a%",
    "[",
    "[a",
    "[^",
    "[]",
    "[a-",
    "[%",
    "[%a",
    "%b",
    "%bx",
    "%f",
    "%fa",
    "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)",
    "(()",
    "(((((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))))",
    "%é",
    "é+",
    "[é]+",
};

static const char *const subjects[] = {
    "",
    "a",
    "b",
    "abc",
    "aaa",
    "aabbcc",
    "hello world",
    "  padded  ",
    "key = value, k2=v2",
    "(a(b)c) [x]x ((",
    "THE (quick) fox_2 jumps!",
    "xyzzy",
    "abcabcabc",
    "a]b-c^d%e.f",
    "a\\b\\\\c",
    "12 34.5 0xFF",
    "caf\xc3\xa9 na\xc3\xafve",
    "line1\nline2\t\x01\x7f",
    "abba xyyx",
};

enum {
    PATTERN_COUNT = sizeof patterns / sizeof patterns[0],
    SUBJECT_COUNT = sizeof subjects / sizeof subjects[0],
};

typedef struct pair {
    peri_vm *vm;
    lua_State *plain;
    peri_arena arena;
} pair;

static void open_pair(pair *p) {
    peri_vm_options options = {.limits.wall_ms = 5000};
    peri_str error = {0};
    peri_arena_init(&p->arena, 1 << 20);
    CHECK_OK(peri_vm_new(&options, &p->vm));
    CHECK_OK(peri_vm_load(p->vm, peri_str_c(probe), PERI_STR("probe.lua"), &p->arena, &error));
    p->plain = luaL_newstate();
    CHECK(p->plain != NULL);
    luaL_openlibs(p->plain);
    CHECK_EQ(luaL_loadbuffer(p->plain, probe, sizeof probe - 1, "@probe.lua"), 0);
    lua_call(p->plain, 0, 1);
}

static void close_pair(pair *p) {
    peri_vm_free(p->vm);
    lua_close(p->plain);
    peri_arena_deinit(&p->arena);
}

static void push_arguments(lua_State *L, const char *subject, const char *pattern, int init) {
    lua_pushvalue(L, 1);
    lua_pushstring(L, subject);
    lua_pushstring(L, pattern);
    lua_pushinteger(L, init);
}

static void compare(pair *p, const char *subject, const char *pattern, int init) {
    peri_str error = {0};
    lua_State *ours = peri_vm_lua(p->vm);
    push_arguments(p->plain, subject, pattern, init);
    lua_call(p->plain, 3, 1);
    push_arguments(ours, subject, pattern, init);
    if (peri_vm_call(p->vm, 3, 1, &p->arena, &error) < 0) {
        TEST_FAIL("\"%s\" on \"%s\": %.*s", pattern, subject, PERI_FMT(error));
    }
    const char *got = lua_tostring(ours, -1), *want = lua_tostring(p->plain, -1);
    if (strcmp(got, want) != 0) {
        TEST_FAIL("\"%s\" on \"%s\" from %d:\n%s\nnot\n%s", pattern, subject, init, got, want);
    }
    lua_pop(ours, 1);
    lua_pop(p->plain, 1);
}

IT("D4 gives LuaJIT's results, captures and messages for every pattern on every subject") {
    static const int inits[] = {1, 3, -2, 0, 99, -99};
    pair p;
    open_pair(&p);
    for (size_t i = 0; i < PATTERN_COUNT; i++) {
        for (size_t j = 0; j < SUBJECT_COUNT; j++) {
            compare(&p, subjects[j], patterns[i], inits[(i + j) % 6]);
        }
    }
    close_pair(&p);
}

// Patterns nobody would think of, the same ones in every run.
IT("D4 gives LuaJIT's results for 3,000 random patterns") {
    static const char *const parts[] = {"a",  "b",     ".",    "%a", "%w", "[ab]", "[^a]",
                                        "(",  ")",     "()",   "*",  "+",  "-",    "?",
                                        "%1", "%f[a]", "%bab", "^",  "$",  "c"};
    pair p;
    open_pair(&p);
    peri_random random;
    peri_random_seed(&random, 7);
    for (int i = 0; i < 3000; i++) {
        char pattern[64] = "", subject[16] = "";
        for (uint64_t n = peri_random_next(&random) % 8; n > 0; n--) {
            strcat(pattern, parts[peri_random_next(&random) % 20]);
        }
        for (uint64_t n = peri_random_next(&random) % 12; n > 0; n--) {
            strcat(subject,
                   (const char *[]){"a", "b", "c", " "}[peri_random_next(&random) % 4]);
        }
        compare(&p, subject, pattern, 1);
    }
    close_pair(&p);
}

static void check_text(const char *source, const char *want) {
    peri_vm_options options = {.limits.wall_ms = 5000};
    peri_vm *vm;
    peri_arena arena;
    peri_str error = {0};
    peri_arena_init(&arena, 1 << 16);
    CHECK_OK(peri_vm_new(&options, &vm));
    int status = peri_vm_load(vm, peri_str_c(source), PERI_STR("p.lua"), &arena, &error);
    if (status < 0) TEST_FAIL("%s: %.*s", source, PERI_FMT(error));
    CHECK_STR(peri_str_c(lua_tostring(peri_vm_lua(vm), -1)), want);
    peri_vm_free(vm);
    peri_arena_deinit(&arena);
}

IT("D4 has LuaJIT's characters in every class and in sets of them") {
    static const char letters[] = "acdglpsuwxzACDGLPSUWXZ.]-q";
    static const char *const forms[] = {"%%%c", "[%%%c\200-\376_]+", "[^%%%cb-e]-x",
                                        "(%%%c*)%%d"};
    pair p;
    open_pair(&p);
    for (const char *letter = letters; *letter; letter++) {
        for (int form = 0; form < 4; form++) {
            char pattern[32], subject[4] = "";
            snprintf(pattern, sizeof pattern, forms[form], *letter);
            for (int c = 1; c < 256; c++) {
                subject[0] = subject[1] = (char)c;
                subject[2] = '7';
                compare(&p, subject, pattern, 1);
            }
        }
    }
    close_pair(&p);
}

IT("D4 skips to where a pattern may begin without passing a match") {
    static const char *const beginnings[] = {
        "x",    "[xy]+z", "((x)y)", "(()x)", "x*",
        "x-z",  "x?y",    "%.x",    "$x",    "%f[x]x",
        "%bxy", ".z",     "(x",     "x)",    "((((((((((x))))))))))"};
    char subject[9001];
    pair p;
    open_pair(&p);
    memset(subject, '-', sizeof subject - 1);
    memcpy(subject + 8990, "$x.xyxz", 7);
    subject[9000] = '\0';
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        compare(&p, subject, beginnings[i], 1);
        compare(&p, subject + 8985, beginnings[i], 1);
        compare(&p, "", beginnings[i], 1);
    }
    close_pair(&p);
}

IT("takes a NUL in text or pattern like any other character") {
    check_text("return (('a\\0b\\0c'):gsub('\\0', '-'))", "a-b-c");
    check_text("return ('a\\0b'):find('[\\0]')", "2");
    check_text("return ('a\\0b'):match('%z(.)')", "b");
    check_text("return ('x\\0y\\0'):find('y\\0', 1, true)", "3");
}

IT("finds plain text without looking at it as a pattern") {
    check_text("return ('a.b'):find('.', 1, true)", "2");
    check_text("return ('a+b'):find('+b', -2, true)", "2");
    check_text("return tostring(('abc'):find('d', 1, true))", "nil");
    check_text("return (('abc'):find('', 10, true))", "4");
}

IT("expands replacements as Lua does and refuses those of another kind") {
    check_text("return (('ab'):gsub('(a)(b)', '%2%1%%%0%x'))", "ba%abx");
    check_text("return (('a'):gsub('a', '%%1'))", "%1");
    check_text("return (('abc'):gsub('%w', '%0%0', 2))", "aabbc");
    check_text("return (('abc'):gsub('', '-'))", "-a-b-c-");
    check_text("return (('$x $y'):gsub('%$(%w)', setmetatable({}, { __index = function(_, k) "
               "return k:upper() end })))",
               "X Y");
    check_text("return select(2, pcall(string.gsub, 'a', 'a', function() return {} end))",
               "invalid replacement value (a table)");
    check_text("return select(2, pcall(string.gsub, 'a', 'a', '%2'))", "invalid capture index");
}

IT("refuses patterns that nest too deep instead of using up the C stack") {
    check_text("return select(2, pcall(string.match, ('a'):rep(300), ('a?'):rep(300)))",
               "pattern too complex");
}

TEST_MAIN
