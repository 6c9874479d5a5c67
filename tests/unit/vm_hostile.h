// What scripts try against a sandbox, and how each attempt must end. For vm_test.c.
#ifndef PERI_VM_HOSTILE_H
#define PERI_VM_HOSTILE_H

#include "perilune/base.h"

// Hostile scripts and how each must end. 0: any of the three ways.
static const struct {
    const char *source;
    int status;
} hostile[] = {
    {"while true do end", PERI_ETIMEOUT},
    {"for i = 1, 1e15 do end", PERI_ETIMEOUT},
    {"repeat local x = 1 until false", PERI_ETIMEOUT},
    {"::again:: goto again", PERI_ETIMEOUT},
    {"while true do pcall(function() while true do end end) end", PERI_ETIMEOUT},
    {"while true do pcall(error) end", PERI_ETIMEOUT},
    {"local function f() pcall(f) pcall(f) end f()", PERI_ETIMEOUT},
    {"while true do pcall(pcall, pcall, pcall, error) end", PERI_ETIMEOUT},
    {"local function deep(n) if n > 0 then return 1 + deep(n - 1) end while true do "
     "pcall(deep, 1e5) end end while true do pcall(deep, 5000) end",
     PERI_ETIMEOUT},
    {"local t = setmetatable({}, { __tostring = function() while true do end end }) "
     "while true do pcall(error, t) pcall(tostring, t) end",
     PERI_ETIMEOUT},
    {"error(setmetatable({}, { __tostring = function() while true do end end }))",
     PERI_ETIMEOUT},
    {"while true do local c = coroutine.wrap(function() while true do end end) pcall(c) end",
     PERI_ETIMEOUT},
    {"local function f() pcall(coroutine.wrap(f)) pcall(coroutine.wrap(f)) end "
     "while true do pcall(f) end",
     PERI_ETIMEOUT},
    {"local c = coroutine.wrap(function() while true do coroutine.yield() end end) "
     "while true do c() end",
     PERI_ETIMEOUT},
    {"local function f() return coroutine.resume(coroutine.create(f)) end "
     "while true do f() end",
     PERI_ETIMEOUT},
    {"local t = {} while true do t[#t + 1] = coroutine.create(print) end", PERI_ELIMIT},
    {"table.sort({ 2, 1, 3 }, function() while true do end end)", PERI_ETIMEOUT},
    {"local t = {} for i = 1, 200000 do t[i] = i % 7919 end while true do table.sort(t) end",
     PERI_ETIMEOUT},
    {"local m = {} m.__lt = function() table.sort({ setmetatable({}, m), setmetatable({}, m) })"
     " end table.sort({ setmetatable({}, m), setmetatable({}, m) })",
     PERI_ESCRIPT},
    {"('x'):rep(9):gsub('x', function() while true do end end)", PERI_ETIMEOUT},
    {"local function f() return (('x'):gsub('x', f)) end return f()", PERI_ESCRIPT},
    {"local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) while true do end "
     "end ('x'):gsub('x', t)",
     PERI_ETIMEOUT},
    {"local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end "
     "return t.x",
     PERI_ESCRIPT},
    {"local t = setmetatable({}, { __concat = function(a, b) return a .. b end }) return t .. t",
     PERI_ESCRIPT},
    {"local t = setmetatable({}, { __tostring = function(t) return tostring(t) end }) "
     "return tostring(t)",
     PERI_ESCRIPT},
    {"for _ in pairs(setmetatable({}, { __pairs = function() return function() return 1 end end"
     " })) do end",
     PERI_ETIMEOUT},
    {"return ('a'):rep(28):match(('a?'):rep(28) .. ('a'):rep(28))", PERI_ETIMEOUT},
    {"return ('a'):rep(40000):match(('.-'):rep(6) .. 'b')", PERI_ETIMEOUT},
    {"return ('a'):rep(400000):gsub('a*b', '')", PERI_ETIMEOUT},
    {"return ('('):rep(400000):find('%b()')", PERI_ETIMEOUT},
    {"for _ in ('a'):rep(400000):gmatch('a*b') do end", PERI_ETIMEOUT},
    {"local s = ('x'):rep(6e6) while true do s:find('xxxxxxxxxxxxxxxy', 1, true) end",
     PERI_ETIMEOUT},
    {"local a, b = ('x'):rep(3e6) .. 'a', ('x'):rep(3e6) .. 'b' while a < b do end",
     PERI_ETIMEOUT},
    {"local s = ('x'):rep(2e6) while true do local _ = s:upper():reverse() end", PERI_ETIMEOUT},
    {"local s = ('9'):rep(4e6) while true do local _ = tonumber(s) end", PERI_ETIMEOUT},
    {"local t = {} for i = 1, 500000 do t[i] = '' end while true do table.concat(t) end",
     PERI_ETIMEOUT},
    {"local t = {} for i = 1, 500000 do t[i] = i end while true do table.insert(t, 1, 0) end",
     PERI_ETIMEOUT},
    {"local t = {} for i = 1, 99999 do t['k' .. i] = i end for k in next, t do t[k] = nil end "
     "while true do next(t) end",
     PERI_ETIMEOUT},
    {"local t = {} for i = 1, 99999 do t['k' .. i] = i end "
     "while true do for k in pairs(t) do end end",
     PERI_ETIMEOUT},
    {"local t = {} for i = 1, 7000 do t[i] = i end while true do select('#', unpack(t)) end",
     PERI_ETIMEOUT},
    {"while true do print(('x'):rep(100000)) end", PERI_ETIMEOUT},
    {"while true do string.format(('%s'):rep(99), unpack({}, 1, 99)) end", PERI_ETIMEOUT},
    {"return #(('x'):rep(1024 * 1024 * 1024))", PERI_ELIMIT},
    {"return #(('x'):rep(1, ('y'):rep(1e6)):rep(1e300))", PERI_ELIMIT},
    {"pcall(string.rep, 'x', 1e9) return 'caught'", PERI_ELIMIT},
    {"local s = 'z' while true do s = s .. s end", PERI_ELIMIT},
    {"while true do pcall(function() local s = 'z' while true do s = s .. s end end) end",
     PERI_ELIMIT},
    {"local t = {} while true do t[#t + 1] = ('y'):rep(1048576) .. #t end", PERI_ELIMIT},
    {"local t = {} for i = 1, 1000 do t[i] = ('z'):rep(1000) end "
     "return #table.concat(t, ('y'):rep(1e6))",
     PERI_ELIMIT},
    {"for i = 1, 1e6 do _G['g' .. i] = i end", 0},
    {"local t = {} for i = 1, 1e7 do t = { t } end", 0},
    {"local function f() return 1 + f() end return f()", PERI_ESCRIPT},
    {"local function f(...) return f(1, ...) end return f()", 0},
    {"return unpack({}, 1, 1e8)", PERI_ESCRIPT},
    {"return string.char(unpack({}, 1, 1e8))", PERI_ESCRIPT},
    {"error()", PERI_ESCRIPT},
    {"error(nil)", PERI_ESCRIPT},
    {"error({})", PERI_ESCRIPT},
    {"error(setmetatable({}, { __tostring = error }))", PERI_ESCRIPT},
    {"error(setmetatable({}, { __tostring = function() return {} end }))", PERI_ESCRIPT},
    {"error(('x'):rep(1e6))", PERI_ESCRIPT},
    {"error(coroutine.create(print))", PERI_ESCRIPT},
    {"string.format = nil (''):nothing()", PERI_ESCRIPT},
    {"require('spin')", PERI_ETIMEOUT},
    {"require('loop')", PERI_ESCRIPT},
};

#endif
