// The promises of io/own_files.h.
#include "io/own_files.h"

#include "scratch.h"

IT("replaces a file as a whole, for its owner only, making the folders above it") {
    scratch s;
    scratch_open(&s);
    char path[4096];
    strcpy(path, scratch_path(&s, "a/b/trust.jsonl"));
    CHECK_OK(peri_own_write(path, PERI_STR("one\n")));
    CHECK_OK(peri_own_write(path, PERI_STR("two\n")));
    CHECK(scratch_holds(&s, "a/b/trust.jsonl", "two\n"));
    struct stat info;
    CHECK_EQ(stat(path, &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0600);
    CHECK_EQ(stat(scratch_path(&s, "a"), &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0700);
    CHECK_EQ(access(scratch_path(&s, "a/b/.perilune-1.tmp"), F_OK), -1);
    scratch_close(&s);
}

IT("PI-12 never writes through a symbolic link") {
    scratch s;
    scratch_open(&s);
    scratch_write(&s, "outside/victim.md", "safe");
    scratch_write(&s, "project/.perilune/keep", "");
    char target[4096];
    strcpy(target, scratch_path(&s, "outside/victim.md"));
    CHECK_EQ(symlink(target, scratch_path(&s, "project/.perilune/goal.md")), 0);
    strcpy(target, scratch_path(&s, "outside"));
    CHECK_EQ(symlink(target, scratch_path(&s, "project/.perilune/memory")), 0);
    CHECK_EQ(symlink(target, scratch_path(&s, "project/linked")), 0);
    char root[4096];
    strcpy(root, scratch_path(&s, "project"));
    static const char *const names[] = {".perilune/goal.md", ".perilune/memory/victim.md",
                                        ".perilune/memory/new.md", "linked/a/b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK_EQ(peri_own_write_below(root, names[i], PERI_STR("x"), PERI_OWN_REPLACE),
                 PERI_EDENIED);
        CHECK_EQ(peri_own_write_below(root, names[i], PERI_STR("x"), PERI_OWN_CREATE),
                 PERI_EDENIED);
        CHECK_EQ(peri_own_remove_below(root, names[i]), PERI_EDENIED);
    }
    CHECK(scratch_holds(&s, "outside/victim.md", "safe"));
    CHECK_EQ(access(scratch_path(&s, "outside/new.md"), F_OK), -1);
    strcpy(target, scratch_path(&s, "project/.perilune/goal.md"));
    CHECK_EQ(peri_own_write(target, PERI_STR("x")), PERI_EDENIED);
    scratch_close(&s);
}

IT("creates without replacing, and removes") {
    scratch s;
    scratch_open(&s);
    CHECK_OK(peri_own_write_below(s.root, "a/b.md", PERI_STR("one"), PERI_OWN_CREATE));
    CHECK_EQ(peri_own_write_below(s.root, "a/b.md", PERI_STR("two"), PERI_OWN_CREATE),
             PERI_EDUP);
    CHECK(scratch_holds(&s, "a/b.md", "one"));
    CHECK_OK(peri_own_write_below(s.root, "a/b.md", PERI_STR("two"), PERI_OWN_REPLACE));
    CHECK(scratch_holds(&s, "a/b.md", "two"));
    CHECK_OK(peri_own_remove_below(s.root, "a/b.md"));
    CHECK_EQ(peri_own_remove_below(s.root, "a/b.md"), PERI_ENOENT);
    CHECK_EQ(peri_own_remove_below(s.root, "no/b.md"), PERI_ENOENT);
    CHECK_EQ(peri_own_write_below(scratch_path(&s, "none"), "b", PERI_STR(""), PERI_OWN_CREATE),
             PERI_ENOENT);
    scratch_close(&s);
}

static void check_problem(const char *path, peri_own_kind kind, const char *want) {
    const char *got = peri_own_problem(path, kind);
    CHECK_STR(peri_str_c(got ? got : "none"), want);
}

IT("C65 tells what is not to be relied on") {
    scratch s;
    scratch_open(&s);
    scratch_write(&s, "d/file", "");
    check_problem(scratch_path(&s, "d"), PERI_OWN_FOLDER, "none");
    check_problem(scratch_path(&s, "d/file"), PERI_OWN_FILE, "none");
    check_problem(scratch_path(&s, "missing"), PERI_OWN_FILE, "none");
    check_problem(scratch_path(&s, "d"), PERI_OWN_FILE, "is not a regular file");
    check_problem(scratch_path(&s, "d/file"), PERI_OWN_FOLDER, "is not a folder");
    char target[4096];
    strcpy(target, scratch_path(&s, "d"));
    CHECK_EQ(symlink(target, scratch_path(&s, "l")), 0);
    check_problem(scratch_path(&s, "l"), PERI_OWN_FOLDER, "is a symbolic link");
    CHECK_EQ(chmod(target, 0777), 0);
    check_problem(target, PERI_OWN_FOLDER, "may be written by everyone");
    CHECK(peri_path_open_to_all(scratch_path(&s, "l")));
    CHECK(!peri_path_open_to_all(scratch_path(&s, "d/file")));
    CHECK(!peri_path_open_to_all(scratch_path(&s, "missing")));
    scratch_close(&s);
}

TEST_MAIN
