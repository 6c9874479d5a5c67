// The promises of project.h.
#include "host/written/project.h"

#include "scratch.h"

typedef struct rig {
    scratch s;
    peri_trust trust;
    peri_project project;
    peri_diag_list diags;
} rig;

static void open_rig(rig *r) {
    scratch_open(&r->s);
    peri_trust_init(&r->trust);
    peri_diag_list_init(&r->diags);
    r->project = (peri_project){0};
}

static void read_again(rig *r) {
    peri_project_deinit(&r->project);
    peri_diag_list_deinit(&r->diags);
    CHECK_OK(peri_project_read(&r->project, r->s.root, &r->trust, &r->diags));
}

static void close_rig(rig *r) {
    peri_project_deinit(&r->project);
    peri_diag_list_deinit(&r->diags);
    peri_trust_deinit(&r->trust);
    scratch_close(&r->s);
}

static const peri_project_file *file_at(rig *r, const char *name) {
    return peri_project_find(&r->project, peri_str_c(scratch_path(&r->s, name)));
}

IT("PI-2 finds what a project brings along, in a fixed order, and nothing else") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, ".perilune/observers/b.lua", "b");
    scratch_write(&r.s, ".perilune/observers/b_spec.lua", "spec");
    scratch_write(&r.s, ".perilune/observers/b_scene.lua", "scene");
    scratch_write(&r.s, ".perilune/observers/a.md", "a");
    scratch_write(&r.s, ".perilune/observers/README.txt", "no");
    scratch_write(&r.s, ".perilune/policies/p.lua", "no");
    scratch_write(&r.s, ".perilune/memory/n.md", "n");
    scratch_write(&r.s, ".perilune/config.yaml", "c");
    scratch_write(&r.s, ".perilune/goal.md", "g");
    scratch_write(&r.s, ".pi/observers/pi.md", "p");
    scratch_write(&r.s, ".pi/observers/pi.lua", "no");
    read_again(&r);
    static const struct {
        const char *name;
        peri_project_kind kind;
        bool of_pi;
    } want[] = {{".perilune/config.yaml", PERI_PROJECT_CONFIG, false},
                {".perilune/goal.md", PERI_PROJECT_GOAL, false},
                {".perilune/memory/n.md", PERI_PROJECT_NOTE, false},
                {".perilune/observers/b.lua", PERI_PROJECT_OBSERVER, false},
                {".perilune/observers/a.md", PERI_PROJECT_OBSERVER, false},
                {".pi/observers/pi.md", PERI_PROJECT_OBSERVER, true}};
    CHECK_EQ(r.project.count, sizeof want / sizeof *want);
    for (size_t i = 0; i < r.project.count; i++) {
        CHECK_STR(r.project.files[i].path, scratch_path(&r.s, want[i].name));
        CHECK_EQ(r.project.files[i].kind, want[i].kind);
        CHECK_EQ(r.project.files[i].of_pi, want[i].of_pi);
    }
    CHECK_EQ(r.project.untrusted_count, 6);
    CHECK_EQ(r.diags.count, 0);
    close_rig(&r);
}

IT("C65 trusts a content, not a file: one changed byte and it is untrusted again") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, ".perilune/observers/a.lua", "return 1");
    read_again(&r);
    const peri_project_file *a = file_at(&r, ".perilune/observers/a.lua");
    CHECK(a && !a->trusted);
    CHECK_OK(peri_trust_add(&r.trust, a->path, a->hash, 0));
    read_again(&r);
    CHECK(file_at(&r, ".perilune/observers/a.lua")->trusted);
    CHECK_EQ(r.project.trusted_count, 1);
    scratch_write(&r.s, ".perilune/observers/a.lua", "return 2");
    read_again(&r);
    CHECK(!file_at(&r, ".perilune/observers/a.lua")->trusted);
    CHECK_EQ(r.project.untrusted_count, 1);
    close_rig(&r);
}

IT("is silent about a project that brings nothing along") {
    rig r;
    open_rig(&r);
    mkdir(scratch_path(&r.s, ".perilune"), 0755);
    mkdir(scratch_path(&r.s, ".perilune/observers"), 0755);
    read_again(&r);
    CHECK_EQ(r.project.count, 0);
    CHECK_EQ(r.diags.count, 0);
    peri_project none;
    CHECK_EQ(peri_project_read(&none, scratch_path(&r.s, "none"), NULL, NULL), PERI_ENOENT);
    peri_project_deinit(&none);
    close_rig(&r);
}

// One refused thing: reported, and nothing of it read.
static void check_refused(rig *r, const char *path) {
    read_again(r);
    CHECK_EQ(r->diags.error_count, 1);
    CHECK_STR(r->diags.items[0].id, "refused");
    CHECK_STR(r->diags.items[0].file, scratch_path(&r->s, path));
    CHECK_EQ(r->project.trusted_count + r->project.untrusted_count, 0);
}

IT("C65 refuses a folder or file that is a link or that everyone may write") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, ".perilune/observers/a.lua", "return 1");
    chmod(scratch_path(&r.s, ".perilune/observers/a.lua"), 0666);
    check_refused(&r, ".perilune/observers/a.lua");
    chmod(scratch_path(&r.s, ".perilune/observers"), 0777);
    check_refused(&r, ".perilune/observers");
    chmod(scratch_path(&r.s, ".perilune"), 0777);
    check_refused(&r, ".perilune");
    char target[4096];
    scratch_write(&r.s, "elsewhere/observers/b.lua", "return 2");
    remove(scratch_path(&r.s, ".perilune/observers/a.lua"));
    remove(scratch_path(&r.s, ".perilune/observers"));
    chmod(scratch_path(&r.s, ".perilune"), 0755);
    strcpy(target, scratch_path(&r.s, "elsewhere/observers"));
    CHECK_EQ(symlink(target, scratch_path(&r.s, ".perilune/observers")), 0);
    check_refused(&r, ".perilune/observers");
    remove(scratch_path(&r.s, ".perilune/observers"));
    remove(scratch_path(&r.s, ".perilune"));
    strcpy(target, scratch_path(&r.s, "elsewhere"));
    CHECK_EQ(symlink(target, scratch_path(&r.s, ".perilune")), 0);
    check_refused(&r, ".perilune");
    close_rig(&r);
}

IT("reports a file over its cap and reads the others") {
    rig r;
    open_rig(&r);
    char *big = malloc(PERI_PROJECT_FILE_MAX_BYTES + 2);
    memset(big, 'x', PERI_PROJECT_FILE_MAX_BYTES + 1);
    big[PERI_PROJECT_FILE_MAX_BYTES + 1] = '\0';
    scratch_write(&r.s, ".perilune/observers/big.lua", big);
    scratch_write(&r.s, ".perilune/observers/small.lua", "return 1");
    free(big);
    read_again(&r);
    CHECK_EQ(r.diags.error_count, 1);
    CHECK_STR(r.diags.items[0].id, "unreadable");
    CHECK_EQ(r.project.untrusted_count, 1);
    close_rig(&r);
}

TEST_MAIN
