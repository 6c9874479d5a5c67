// Files and folders: bounded reads, walks in one order, nothing followed and nothing hung on.
#include "io/files.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char folder[256], path[512];
static peri_buf seen;

static int remove_one(const char *name, const struct stat *info, int type, struct FTW *at) {
    (void)info, (void)type, (void)at;
    return remove(name);
}

static const char *at(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void make(const char *name, const char *text) {
    FILE *out = fopen(at(name), "wb");
    CHECK(out != NULL);
    fputs(text, out);
    fclose(out);
}

static void start(void) {
    const char *above = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/peri-files-XXXXXX", above ? above : P_tmpdir);
    CHECK(mkdtemp(folder) != NULL);
    peri_buf_init(&seen, 1 << 16);
}

static void stop(void) {
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    peri_buf_deinit(&seen);
}

static int visit(void *user, const char *name) {
    (void)user;
    peri_buf_addf(&seen, "%s ", name + strlen(folder) + 1);
    return PERI_OK;
}

static int refuse(void *user, const char *name) {
    (void)name;
    (*(int *)user)++;
    return PERI_EDENIED;
}

static void on_error(void *user, const char *name, int status) {
    (void)user;
    peri_buf_addf(&seen, "%s:%s ", name + strlen(folder) + 1, peri_status_name(status));
}

IT("reads a whole file, within the buffer's maximum") {
    start();
    make("a", "hello");
    peri_buf out;
    peri_buf_init(&out, 5);
    CHECK_OK(peri_file_read(at("a"), &out));
    CHECK_STR(peri_buf_str(&out), "hello");
    peri_buf_clear(&out);
    make("a", "hello!");
    CHECK_EQ(peri_file_read(at("a"), &out), PERI_ELIMIT);
    peri_buf_deinit(&out);
    stop();
}

IT("says what is wrong with a path, and does not hang on a pipe") {
    start();
    peri_buf out;
    peri_buf_init(&out, 100);
    CHECK_EQ(peri_file_read(at("none"), &out), PERI_ENOENT);
    CHECK_EQ(peri_file_read(folder, &out), PERI_EINVAL);
    CHECK_EQ(mkfifo(at("pipe"), 0600), 0);
    CHECK_EQ(peri_file_read(at("pipe"), &out), PERI_EINVAL);
    make("plain", "x");
    CHECK_EQ(peri_file_read(at("plain/below"), &out), PERI_ENOENT);
    CHECK_EQ(peri_path_type_of(at("pipe")), PERI_PATH_OTHER);
    CHECK_EQ(peri_path_type_of(at("plain")), PERI_PATH_FILE);
    CHECK_EQ(peri_path_type_of(folder), PERI_PATH_FOLDER);
    CHECK_EQ(peri_path_type_of(at("none")), PERI_PATH_NONE);
    if (geteuid() != 0) {
        CHECK_EQ(chmod(at("plain"), 0), 0);
        CHECK_EQ(peri_file_read(at("plain"), &out), PERI_EACCES);
    }
    peri_buf_deinit(&out);
    stop();
}

IT("reads a file in pieces and counts them") {
    start();
    make("a", "abcdef");
    peri_file file;
    char piece[4];
    CHECK_OK(peri_file_open(&file, at("a")));
    CHECK_EQ(peri_file_take(&file, piece, sizeof piece), 4);
    CHECK_EQ(peri_file_take(&file, piece, sizeof piece), 2);
    CHECK_EQ(peri_file_take(&file, piece, sizeof piece), 0);
    CHECK_EQ(file.read_bytes, 6);
    peri_file_close(&file);
    peri_file_close(&file);
    stop();
}

IT("walks a tree in byte order, hidden files too, links not") {
    start();
    CHECK_EQ(mkdir(at("b"), 0700), 0);
    CHECK_EQ(mkdir(at("b/deep"), 0700), 0);
    make("b/deep/z", "");
    make("b/1", "");
    make("a", "");
    make("c", "");
    make(".hidden", "");
    CHECK_EQ(symlink("..", at("b/up")), 0);
    CHECK_EQ(symlink("a", at("link")), 0);
    CHECK_OK(peri_folder_walk(folder, visit, on_error, NULL));
    CHECK_STR(peri_buf_str(&seen), ".hidden a b/1 b/deep/z c ");
    stop();
}

IT("walks a folder named with a slash at its end as the same folder") {
    start();
    make("a", "");
    char slashed[300];
    snprintf(slashed, sizeof slashed, "%s/", folder);
    CHECK_OK(peri_folder_walk(slashed, visit, NULL, NULL));
    CHECK_STR(peri_buf_str(&seen), "a ");
    stop();
}

IT("ends a walk by the callback's status, and passes over what it may not read") {
    start();
    make("a", "");
    make("b", "");
    int calls = 0;
    CHECK_EQ(peri_folder_walk(folder, refuse, NULL, &calls), PERI_EDENIED);
    CHECK_EQ(calls, 1);
    if (geteuid() != 0) {
        CHECK_EQ(mkdir(at("aa"), 0), 0);
        CHECK_OK(peri_folder_walk(folder, visit, on_error, NULL));
        CHECK_STR(peri_buf_str(&seen), "a aa:PERI_EACCES b ");
    }
    stop();
}

IT("goes no deeper than its maximum") {
    start();
    char deep[400] = "d";
    for (int i = 0; i < PERI_TREE_MAX_DEPTH + 3; i++) {
        CHECK_EQ(mkdir(at(deep), 0700), 0);
        strcat(deep, "/d");
    }
    make("d/near", "");
    deep[strlen(deep) - 2] = '\0';
    strcat(deep, "/far");
    make(deep, "");
    CHECK_OK(peri_folder_walk(folder, visit, NULL, NULL));
    CHECK_STR(peri_buf_str(&seen), "d/near ");
    stop();
}

IT("lists the files of one folder that have an ending, links to files included") {
    start();
    make("b.lua", "");
    make("a.lua", "");
    make("c.txt", "");
    CHECK_EQ(mkdir(at("folder.lua"), 0700), 0);
    CHECK_EQ(symlink("a.lua", at("z.lua")), 0);
    CHECK_OK(peri_folder_list(folder, ".lua", visit, NULL));
    CHECK_STR(peri_buf_str(&seen), "a.lua b.lua z.lua ");
    CHECK_EQ(peri_folder_list(at("none"), ".lua", visit, NULL), PERI_ENOENT);
    stop();
}

TEST_MAIN
