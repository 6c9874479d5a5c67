-- Runs a program and writes what it used: `measure.lua USAGE PROGRAM ARGUMENT...` leaves a line
-- in USAGE, milliseconds of CPU and the peak of resident memory in KiB. Exits as it did.

local ffi = require("ffi")
ffi.cdef [[
typedef struct { long seconds, micros; } period;
typedef struct { period user, system; long peak_kb; long rest[13]; } used;
int fork(void);
int execv(const char *path, const char *const argv[]);
int wait4(int pid, int *status, int options, used *usage);
void _exit(int code);
]]

local count = #arg - 1
local argv = ffi.new("const char *[?]", count + 1)
for i = 1, count do argv[i - 1] = arg[i + 1] end
local pid = ffi.C.fork()
if pid == 0 then
  ffi.C.execv(argv[0], argv)
  ffi.C._exit(127)
end
local status, usage = ffi.new("int[1]"), ffi.new("used")
ffi.C.wait4(pid, status, 0, usage)
local function ms(p)
  return tonumber(p.seconds) * 1000 + math.floor(tonumber(p.micros) / 1000)
end
local out = assert(io.open(arg[1], "w"))
out:write(ms(usage.user) + ms(usage.system), " ", tonumber(usage.peak_kb), "\n")
out:close()
local code = bit.rshift(bit.band(status[0], 0xff00), 8)
os.exit(bit.band(status[0], 0x7f) ~= 0 and 128 or code)
