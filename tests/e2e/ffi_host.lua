-- The library from another language (PE-11): LuaJIT's FFI over the public header and the shared
-- object.
-- Usage: luajit ffi_host.lua DECLARATIONS LIBRARY MODE CONFIG PATH
--   records   replays PATH and prints every record
--   sink      feeds PATH as a live stream and prints what is delivered; a second host beside it
local ffi = require("ffi")
jit.off() -- the library calls back

local declarations, library, mode, config, path = unpack(arg)
local header = assert(io.open(declarations, "rb"))
ffi.cdef(header:read("*a"))
header:close()
local C = ffi.load(library)

local function ok(status, what)
    if status < 0 then
        error(("%s: %s"):format(what, ffi.string(C.peri_status_message(status))), 2)
    end
    return status
end

local function text(str)
    return ffi.string(str.ptr, str.len)
end

local function new_host(mode_of)
    local options = ffi.new("peri_host_options")
    options.struct_size = ffi.sizeof("peri_host_options")
    options.mode, options.config_path = mode_of, config
    local out = ffi.new("peri_host *[1]")
    ok(C.peri_host_new(options, out), "peri_host_new")
    return ffi.gc(out[0], C.peri_host_free)
end

local function settle(host)
    while ok(C.peri_host_step(host, 0), "peri_host_step") > 0 do end
end

local function records()
    local host = new_host(C.PERI_MODE_REPLAY)
    local hear = ffi.cast("peri_record_fn", function(_, record)
        io.write(text(record.json), "\n")
    end)
    ok(C.peri_host_subscribe(host, hear, nil), "peri_host_subscribe")
    ok(C.peri_host_open_path(host, path, nil), "peri_host_open_path")
    settle(host)
    ok(C.peri_host_finish(host), "peri_host_finish")
    settle(host)
    C.peri_host_free(ffi.gc(host, nil))
    hear:free()
end

local function feed(host, source, bytes)
    local at, used = 0, ffi.new("size_t[1]")
    while at < #bytes do
        local status = C.peri_source_feed(source, ffi.cast("const char *", bytes) + at,
            #bytes - at, used)
        if status ~= C.PERI_EAGAIN then ok(status, "peri_source_feed") end
        at = at + (status == C.PERI_EAGAIN and 0 or tonumber(used[0]))
        settle(host)
    end
    ok(C.peri_source_end(source), "peri_source_end")
end

local function sink()
    local file = assert(io.open(path, "rb"))
    local bytes = file:read("*a")
    file:close()
    local hear = ffi.cast("peri_sink_fn", function(_, delivery)
        print(text(delivery.observer), text(delivery.lane))
        return 0
    end)
    local idle, host = new_host(C.PERI_MODE_LIVE), new_host(C.PERI_MODE_LIVE)
    for _, one in ipairs({ idle, host }) do C.peri_host_set_sink(one, hear, nil) end
    local source = ffi.new("peri_source *[1]")
    ok(C.peri_host_open_stream(host, "events", nil, source), "peri_host_open_stream")
    feed(host, source[0], bytes)
    for _, one in ipairs({ host, idle }) do
        ok(C.peri_host_finish(one), "peri_host_finish")
        settle(one)
        C.peri_host_free(ffi.gc(one, nil))
    end
    hear:free()
end

local run = assert(({ records = records, sink = sink })[mode], "no such mode")
run()
