// What host/load.h promises of files that change while agents are observed (PE-2), through a
// live host: definitions of every kind come, change and go between two batches.
#include "host/types.h"
#include "hosting.h"
#include "scratch.h"

typedef struct rig {
    scratch s;
    hosting h;
    peri_source *source;
    char config[128], observers[128];
    const char *given_config; // of the options; NULL: none
} rig;

static void open_place(rig *r) {
    memset(r, 0, sizeof *r);
    scratch_open(&r->s);
    scratch_write(&r->s, "given/readme.txt", "nothing\n");
    snprintf(r->config, sizeof r->config, "%s/home", r->s.root);
    snprintf(r->observers, sizeof r->observers, "%s/given", r->s.root);
    setenv("XDG_CONFIG_HOME", r->config, 1);
    unsetenv("PERILUNE_OBSERVERS");
    unsetenv("PERILUNE_RESTRICTED");
}

static void open_host(rig *r, const char *policies) {
    peri_buf_init(&r->h.records, 1 << 26);
    peri_buf_init(&r->h.deliveries, 1 << 20);
    peri_buf_init(&r->h.log, 1 << 20);
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.use_user_config = true;
    options.observer_dir = r->observers;
    options.exec_path = PERI_EXEC_PATH;
    options.config_path = r->given_config;
    options.no_policies = !policies;
    options.policies = policies;
    options.on_log = hosting_log;
    options.log_user = &r->h;
    CHECK_OK(peri_host_new(&options, &r->h.host));
    CHECK_OK(peri_host_subscribe(r->h.host, hosting_record, &r->h));
    peri_host_set_sink(r->h.host, hosting_sink, &r->h);
    r->source = hosting_stream(&r->h, "activity");
}

static void open_rig(rig *r, const char *policies) {
    open_place(r);
    open_host(r, policies);
}

static void close_rig(rig *r) {
    peri_host_free(r->h.host);
    peri_buf_deinit(&r->h.records);
    peri_buf_deinit(&r->h.deliveries);
    peri_buf_deinit(&r->h.log);
    scratch_close(&r->s);
}

static bool waits(const rig *r) {
    return r->h.host->runs || r->h.host->work_count;
}

// One step of the agent, behind a look at the files. What is said in it, and of the files, is
// in `records` and `log` afterwards, alone.
static void step(rig *r) {
    peri_buf_clear(&r->h.records);
    peri_buf_clear(&r->h.log);
    r->h.host->watch_at_ms = 0;
    hosting_settle(&r->h);
    r->h.host->watch_at_ms = INT64_MAX;
    hosting_feed(&r->h, r->source,
                 PERI_STR("{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"go\"}\n"
                          "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"done\"}\n"
                          "{\"session\":\"s\",\"kind\":\"turn_ended\",\"reason\":\"ok\"}\n"));
    while (waits(r)) (void)!peri_host_step(r->h.host, 1000);
    hosting_settle(&r->h);
}

static bool has(const peri_buf *text, const char *part) {
    return peri_str_find(peri_buf_str(text), peri_str_c(part)) != PERI_NPOS;
}

#define CHECK_SAID(r, part) CHECK_HAS(peri_buf_str(&(r)->h.records), part)
#define CHECK_NOT_SAID(r, part) CHECK(!has(&(r)->h.records, part))
#define CHECK_LOGGED(r, part) CHECK_HAS(peri_buf_str(&(r)->h.log), part)

// Its fingerprints differ, so that nothing is dropped as known.
static void write_lua(rig *r, const char *file, const char *name, const char *words) {
    char text[1024];
    snprintf(text, sizeof text,
             "-- perilune-api: 1\nreturn { name = '%s', description = 'd', on = 'turn_end',\n"
             "    observe = function(turn, ctx)\n"
             "        ctx.state.count = (ctx.state.count or 0) + 1\n"
             "        return { advise = '%s, count ' .. ctx.state.count,\n"
             "            fingerprint = 'f' .. ctx.state.count }\n    end }\n",
             name, words);
    scratch_write(&r->s, file, text);
}

static void remove_file(rig *r, const char *file) {
    CHECK_EQ(unlink(scratch_path(&r->s, file)), 0);
}

static const peri_entry *entry_of(rig *r, const char *layer, const char *name) {
    size_t count;
    const peri_entry *entries = peri_host_entries(r->h.host, &count);
    for (size_t i = 0; i < count; i++) {
        if (peri_str_eq(entries[i].layer, peri_str_c(layer)) &&
            peri_str_eq(entries[i].name, peri_str_c(name))) {
            return &entries[i];
        }
    }
    return NULL;
}

IT("PE-2 a new file's observer watches the agents that are there, one that goes watches none") {
    rig r;
    open_rig(&r, NULL);
    step(&r);
    write_lua(&r, "given/fresh.lua", "fresh", "hello");
    step(&r);
    CHECK_SAID(&r, "hello, count 1");
    CHECK_LOGGED(&r, "fresh.lua: loaded anew (observer)");
    remove_file(&r, "given/fresh.lua");
    step(&r);
    CHECK_NOT_SAID(&r, "hello");
    CHECK_LOGGED(&r, "fresh.lua is gone");
    CHECK(!entry_of(&r, "given", "fresh"));
    write_lua(&r, "given/fresh.lua", "fresh", "back");
    step(&r);
    CHECK_SAID(&r, "back, count 2"); // its state outlived it
    close_rig(&r);
}

IT("PE-2 a changed observer goes on with its state; a broken edit changes nothing and is named") {
    rig r;
    open_rig(&r, NULL);
    write_lua(&r, "home/perilune/observers/o.lua", "o", "first");
    step(&r);
    CHECK_SAID(&r, "first, count 1");
    write_lua(&r, "home/perilune/observers/o.lua", "o", "second");
    step(&r);
    CHECK_SAID(&r, "second, count 2");
    scratch_write(&r.s, "home/perilune/observers/o_spec.lua",
                  "describe('o', function() end)\n");
    step(&r);
    CHECK(!has(&r.h.log, "o_spec")); // a spec is none of the host's
    scratch_write(&r.s, "home/perilune/observers/o.lua", "return {\n  name = 'o' on\n}\n");
    step(&r);
    CHECK_SAID(&r, "second, count 4");
    CHECK_LOGGED(&r, "o.lua:2");
    CHECK_LOGGED(&r, "not loaded; the observer goes on as before");
    CHECK_EQ(entry_of(&r, "user", "o")->state, PERI_ENTRY_ACTIVE);
    write_lua(&r, "home/perilune/observers/o.lua", "o", "mended");
    step(&r);
    CHECK_SAID(&r, "mended, count 5");
    close_rig(&r);
}

IT("PE-2 what is put in a file's place and is none changes nothing and is named") {
    rig r;
    char file[4096], folder[4096];
    open_rig(&r, NULL);
    write_lua(&r, "home/perilune/observers/o.lua", "o", "first");
    strcpy(file, scratch_path(&r.s, "home/perilune/observers/o.lua"));
    strcpy(folder, scratch_path(&r.s, "home/perilune/observers"));
    step(&r);
    CHECK_SAID(&r, "first, count 1");
    CHECK_EQ(remove(file), 0);
    CHECK_EQ(mkfifo(file, 0600), 0); // one that waited for its writer would hang here
    step(&r);
    CHECK_SAID(&r, "first, count 2");
    CHECK_LOGGED(&r, "o.lua: not loaded; the observer goes on as before");
    CHECK_EQ(remove(file), 0);
    CHECK_EQ(mkdir(file, 0700), 0);
    step(&r);
    CHECK_SAID(&r, "first, count 3");
    CHECK_LOGGED(&r, "o.lua: not loaded; the observer goes on as before");
    CHECK_EQ(rmdir(file), 0);
    CHECK_EQ(chmod(folder, 0777), 0);
    write_lua(&r, "home/perilune/observers/o.lua", "o", "another's");
    step(&r);
    CHECK_SAID(&r, "first, count 4");
    CHECK_LOGGED(&r, "stands in a folder that may be written by everyone");
    CHECK_EQ(chmod(folder, 0700), 0);
    write_lua(&r, "home/perilune/observers/o.lua", "o", "my own again");
    step(&r);
    CHECK_SAID(&r, "my own again, count 5");
    close_rig(&r);
}

IT("PE-2 an edit a second, all day: what was before is given back") {
    rig r;
    open_rig(&r, NULL);
    char words[32];
    for (int i = 0; i < 300; i++) {
        snprintf(words, sizeof words, "edit %d", i);
        write_lua(&r, "given/o.lua", "o", words);
        r.h.host->watch_at_ms = 0;
        hosting_settle(&r.h);
    }
    step(&r);
    CHECK_SAID(&r, "edit 299, count 1");
    CHECK_EQ(r.h.host->layers.count, r.h.host->observer_count);
    close_rig(&r);
}

IT("PE-2 another name in the file is another observer, and the old one rests") {
    rig r;
    open_rig(&r, NULL);
    write_lua(&r, "given/o.lua", "one", "of one");
    step(&r);
    write_lua(&r, "given/o.lua", "two", "of two");
    step(&r);
    CHECK_SAID(&r, "of two, count 1");
    CHECK_NOT_SAID(&r, "of one");
    CHECK(!entry_of(&r, "given", "one"));
    write_lua(&r, "given/other.lua", "two", "again");
    step(&r);
    CHECK_LOGGED(&r, "\"two\" is loaded already");
    CHECK_SAID(&r, "of two, count 2");
    close_rig(&r);
}

IT("PE-2 a layer that goes uncovers the one below it, and a lower one stays covered") {
    rig r;
    open_rig(&r, NULL);
    write_lua(&r, "home/perilune/observers/mine.lua", "loop-guard", "the user");
    step(&r);
    CHECK_SAID(&r, "the user, count 1");
    CHECK_EQ(entry_of(&r, "builtin", "loop-guard")->state, PERI_ENTRY_REPLACED);
    write_lua(&r, "given/mine.lua", "loop-guard", "the given");
    step(&r);
    CHECK_SAID(&r, "the given, count 2");
    write_lua(&r, "home/perilune/observers/mine.lua", "loop-guard", "changed below");
    step(&r);
    CHECK_SAID(&r, "the given, count 3");
    remove_file(&r, "given/mine.lua");
    step(&r);
    CHECK_SAID(&r, "changed below, count 4");
    remove_file(&r, "home/perilune/observers/mine.lua");
    step(&r);
    CHECK_NOT_SAID(&r, "count 5");
    CHECK_EQ(entry_of(&r, "builtin", "loop-guard")->state, PERI_ENTRY_ACTIVE);
    close_rig(&r);
}

#define MARKDOWN(description)                                                                  \
    "---\nname: prompt\ndescription: " description "\non: turn_end\n---\nLook.\n"

IT("PE-2 a Markdown observer changes with its header and with the Lua beside it") {
    rig r;
    open_rig(&r, NULL);
    scratch_write(&r.s, "given/prompt.md", MARKDOWN("first"));
    step(&r);
    CHECK_STR(entry_of(&r, "given", "prompt")->observer->description, "first");
    scratch_write(&r.s, "given/prompt.md", MARKDOWN("second"));
    scratch_write(&r.s, "given/prompt.lua",
                  "return { observe = function() return { advise = 'in its stead', "
                  "fingerprint = 'f' } end }\n");
    step(&r);
    CHECK_STR(entry_of(&r, "given", "prompt")->observer->description, "second");
    CHECK_SAID(&r, "in its stead");
    scratch_write(&r.s, "given/prompt.md", "---\nname: prompt\nonn: turn_end\n---\nLook.\n");
    step(&r);
    CHECK_LOGGED(&r, "prompt.md:3");
    CHECK_SAID(&r, "in its stead");
    remove_file(&r, "given/prompt.md");
    write_lua(&r, "given/prompt.lua", "prompt", "all Lua now");
    step(&r);
    CHECK_SAID(&r, "all Lua now");
    close_rig(&r);
}

static void write_command(rig *r, const char *words) {
    char text[512];
    snprintf(
        text, sizeof text,
        "-- perilune-api: 1\nreturn { name = 'program', description = 'd',\n"
        "    on = 'turn_end', timeout_ms = 60000, command = { 'sh', '-c', [[\n"
        "while read -r line; do echo '{\"advise\":\"%s\",\"fingerprint\":\"%s\"}'; done]] } }\n",
        words, words);
    scratch_write(&r->s, "given/program.lua", text);
}

IT("PE-2 a changed command answers from its next run on, and no child of the old one is kept") {
    rig r;
    open_rig(&r, NULL);
    write_command(&r, "old words");
    step(&r);
    CHECK_SAID(&r, "old words");
    write_command(&r, "new words");
    step(&r);
    CHECK_SAID(&r, "new words");
    CHECK_NOT_SAID(&r, "\"text\":\"old words"); // its digest tells what became of it
    write_lua(&r, "given/program.lua", "program", "no program");
    step(&r);
    CHECK_SAID(&r, "no program, count 1");
    CHECK_NOT_SAID(&r, "\"text\":\"new words");
    close_rig(&r);
}

IT("PE-2 an observer that failed three times gets another chance once it is mended") {
    rig r;
    open_rig(&r, NULL);
    scratch_write(&r.s, "given/o.lua",
                  "return { name = 'o', description = 'd', on = 'turn_end', "
                  "observe = function() error('oh') end }\n");
    for (int i = 0; i < 4; i++) step(&r);
    CHECK_NOT_SAID(&r, "\"state\":\"failed\"");
    write_lua(&r, "given/o.lua", "o", "well");
    step(&r);
    CHECK_SAID(&r, "well, count 1");
    CHECK_SAID(&r, "its definition has changed");
    close_rig(&r);
}

IT("PE-2 what a config switches off or shadows holds at once, what it allows from the next start") {
    rig r;
    open_rig(&r, NULL);
    write_lua(&r, "given/o.lua", "o", "spoken");
    write_lua(&r, "given/p.lua", "p", "shadowed");
    step(&r);
    CHECK_SAID(&r, "spoken, count 1");
    scratch_write(&r.s, "home/perilune/config.yaml",
                  "observers: { disable: [o], p: { mode: shadow } }\n");
    step(&r);
    CHECK_NOT_SAID(&r, "spoken");
    CHECK(entry_of(&r, "given", "p")->observer->shadow);
    CHECK_HAS(entry_of(&r, "given", "o")->reason, "disabled in /");
    scratch_write(&r.s, "home/perilune/config.yaml", "observers: { disable: }\n  - x: [\n");
    step(&r);
    CHECK_LOGGED(&r, "config.yaml:");
    CHECK_NOT_SAID(&r, "spoken");
    write_lua(&r, "given/o.lua", "o", "changed while off");
    step(&r);
    CHECK_NOT_SAID(&r, "changed while off");
    remove_file(&r, "home/perilune/config.yaml");
    step(&r);
    CHECK_NOT_SAID(&r, "changed while off");
    close_rig(&r);
}

// A policy of the user's that counts what it was asked about, behind the reason it is given.
static void write_policy(rig *r, const char *file, const char *words) {
    char text[512];
    snprintf(text, sizeof text,
             "-- perilune-api: 1\nreturn { name = 'p', deliver = function(verdict, p, ctx)\n"
             "    ctx.state.count = (ctx.state.count or 0) + 1\n"
             "    verdict.reason = verdict.reason .. ' %s ' .. ctx.state.count\n"
             "    return verdict\nend }\n",
             words);
    scratch_write(&r->s, file, text);
}

IT("PE-2 a changed policy goes on with its state, also where no ledger keeps it") {
    rig r;
    open_place(&r);
    write_policy(&r, "home/perilune/policies/mine.lua", "one");
    open_host(&r, "mine");
    write_lua(&r, "given/o.lua", "o", "said");
    step(&r);
    CHECK_SAID(&r, "one 1\"");
    write_policy(&r, "home/perilune/policies/mine.lua", "two");
    step(&r);
    CHECK_LOGGED(&r, "mine.lua: loaded anew (policy)");
    CHECK_SAID(&r, "two 2\"");
    close_rig(&r);
}

IT("PE-2 of two policies that change, one broken: neither is taken, until both are good") {
    rig r;
    open_place(&r);
    write_policy(&r, "home/perilune/policies/mine.lua", "mine");
    write_policy(&r, "home/perilune/policies/other.lua", "other");
    open_host(&r, "mine,other");
    write_lua(&r, "given/o.lua", "o", "said");
    step(&r);
    CHECK_SAID(&r, "mine 1 other 1\"");
    write_policy(&r, "home/perilune/policies/mine.lua", "new");
    scratch_write(&r.s, "home/perilune/policies/other.lua",
                  "return {\n  name = 'p' deliver\n}\n");
    step(&r);
    CHECK_SAID(&r, "mine 2 other 2\"");
    CHECK_LOGGED(&r, "other.lua:2");
    CHECK_LOGGED(&r, "not loaded; the policies go on as they were");
    write_policy(&r, "home/perilune/policies/other.lua", "mended");
    step(&r);
    CHECK_SAID(&r, "new 3 mended 3\"");
    close_rig(&r);
}

IT("PE-2 PE-3 a lower ceiling of the day holds at once, a higher one from the next start") {
    rig r;
    open_rig(&r, NULL);
    peri_clock_manual now = {.at_wall_ms = 1800000000000};
    r.h.host->clock = peri_clock_of(&now);
    write_lua(&r, "given/o.lua", "o", "said");
    step(&r);
    step(&r);
    CHECK_SAID(&r, "said, count 2");
    scratch_write(&r.s, "home/perilune/config.yaml", "limits: { day: { proposals: 2 } }\n");
    step(&r);
    CHECK_NOT_SAID(&r, "\"record\":\"proposal\"");
    CHECK_SAID(&r, "the day's ceiling of proposals is reached");
    scratch_write(&r.s, "home/perilune/config.yaml", "limits: { day: { proposals: 99 } }\n");
    step(&r);
    CHECK_NOT_SAID(&r, "\"record\":\"proposal\"");
    now.at_wall_ms += 24 * 60 * 60 * 1000;
    step(&r);
    step(&r);
    CHECK_SAID(&r, "\"record\":\"proposal\"");
    step(&r);
    CHECK_NOT_SAID(&r, "\"record\":\"proposal\"");
    close_rig(&r);
}

IT("PE-2 a config that changes lowers no limit that a later config sets") {
    rig r;
    char given[160];
    open_place(&r);
    scratch_write(&r.s, "home/perilune/config.yaml", "limits: { session: { proposals: 0 } }\n");
    scratch_write(&r.s, "given/config.yaml", "limits: { session: { proposals: 3 } }\n");
    snprintf(given, sizeof given, "%s/config.yaml", r.observers);
    r.given_config = given;
    open_host(&r, NULL);
    write_lua(&r, "given/o.lua", "o", "said");
    step(&r);
    scratch_write(&r.s, "home/perilune/config.yaml",
                  "# looked at again\nlimits: { session: { proposals: 0 } }\n");
    step(&r);
    CHECK_LOGGED(&r, "perilune/config.yaml: loaded anew");
    CHECK_SAID(&r, "\"record\":\"proposal\"");
    scratch_write(&r.s, "given/config.yaml", "limits: { session: { proposals: 1 } }\n");
    step(&r);
    CHECK_NOT_SAID(&r, "\"record\":\"proposal\"");
    close_rig(&r);
}

TEST_MAIN
