// Opening the ledger's file: finds out whose it is, empties it for a replay, brings it to the
// current schema. Opening may wait for two seconds where another program is busy with the file;
// nothing behind it waits. A file is only ever emptied in place, never removed: others may have
// it open, and a database that is unlinked under its readers takes their journal with it. No
// descriptor of the file is opened beside SQLite's: closing one would drop the process's locks.
#include "ledger/ledger_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// "peri" in the file's header: only such a file is taken for a ledger.
#define APPLICATION_ID 0x70657269
#define SCHEMA_VERSION 8

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)

enum { OPEN_WAIT_MS = 2000, ROW_MAX_BYTES = 1024 * 1024 };

#define NUMBER(field) ", \"" #field "\" INTEGER"
#define TEXT(field) ", \"" #field "\" TEXT"

// Said so that two programs which make the file at once make the same. `epoch` holds one random
// number: a file with another one is not the file that was opened.
static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS record (position INTEGER PRIMARY KEY, kind TEXT NOT NULL, "
    "at_wall_ms INTEGER NOT NULL" LEDGER_NUMBER_LIST(NUMBER) LEDGER_TEXT_LIST(
        TEXT) ");"
              "DROP INDEX IF EXISTS record_id; DROP INDEX IF EXISTS record_session;"
              "CREATE INDEX IF NOT EXISTS record_sought ON record (kind, id, session) "
              "WHERE " LEDGER_IS_SOUGHT ";"
              "CREATE TABLE IF NOT EXISTS checkpoint (path TEXT PRIMARY KEY, device INTEGER, "
              "inode INTEGER, offset INTEGER, print INTEGER, tries INTEGER, at_wall_ms INTEGER);"
              "CREATE INDEX IF NOT EXISTS checkpoint_file ON checkpoint (device, inode);"
              "CREATE INDEX IF NOT EXISTS checkpoint_at ON checkpoint (at_wall_ms);"
              "CREATE TABLE IF NOT EXISTS pairing (session TEXT, agent TEXT, observer TEXT, "
              "task_id TEXT, armed_wall_ms INTEGER, mode INTEGER, first INTEGER, cursor INTEGER, "
              "digests INTEGER, proposed INTEGER, seen INTEGER, at_wall_ms INTEGER, saved_state TEXT, "
              "state TEXT, since_wall_ms INTEGER, transcript TEXT, "
              "PRIMARY KEY (session, agent, observer)) WITHOUT ROWID;"
              "CREATE INDEX IF NOT EXISTS pairing_at ON pairing (at_wall_ms);"
              "CREATE TABLE IF NOT EXISTS stop (observer TEXT PRIMARY KEY, at_wall_ms INTEGER) "
              "WITHOUT ROWID;"
              "CREATE TABLE IF NOT EXISTS handing (session TEXT, id TEXT, "
              "PRIMARY KEY (session, id)) WITHOUT ROWID;"
              "CREATE TABLE IF NOT EXISTS spent (session TEXT, day INTEGER, what TEXT, "
              "amount INTEGER, at_wall_ms INTEGER, PRIMARY KEY (session, day, what)) WITHOUT ROWID;"
              "CREATE TABLE IF NOT EXISTS policy_state (session TEXT, policy TEXT, state TEXT, "
              "at_wall_ms INTEGER, PRIMARY KEY (session, policy)) WITHOUT ROWID;"
              "CREATE TABLE IF NOT EXISTS host (id INTEGER PRIMARY KEY, pid INTEGER, "
              "started_wall_ms INTEGER, at_wall_ms INTEGER, ended INTEGER, status TEXT, text TEXT);"
              "CREATE TABLE IF NOT EXISTS standing (session TEXT, agent TEXT, observer TEXT, "
              "state TEXT, cause TEXT, since_wall_ms INTEGER, until_wall_ms INTEGER, last_error TEXT, "
              "last_drop TEXT, runs INTEGER, silent INTEGER, skipped INTEGER, no_runtime INTEGER, "
              "failures INTEGER, proposed INTEGER, "
              "delivered INTEGER, deferred INTEGER, dropped INTEGER, tokens INTEGER, "
              "digest_step INTEGER, digest_wall_ms INTEGER, overdue INTEGER, read_to INTEGER, "
              "at_wall_ms INTEGER, PRIMARY KEY (observer, session, agent)) WITHOUT ROWID;"
              "CREATE TABLE IF NOT EXISTS heard (session TEXT, agent TEXT, items INTEGER, "
              "at_wall_ms INTEGER, PRIMARY KEY (session, agent)) WITHOUT ROWID;"
              "CREATE TABLE IF NOT EXISTS drop_reason (observer TEXT, reason TEXT, amount INTEGER, "
              "at_wall_ms INTEGER, PRIMARY KEY (observer, reason)) WITHOUT ROWID;"
              "CREATE TABLE IF NOT EXISTS epoch (number INTEGER NOT NULL);"
              "INSERT INTO epoch SELECT random() WHERE NOT EXISTS (SELECT 1 FROM epoch);"
              "CREATE TABLE IF NOT EXISTS enable (observer TEXT PRIMARY KEY, at_wall_ms INTEGER) "
              "WITHOUT ROWID;"
              "PRAGMA user_version = " TEXT_OF(SCHEMA_VERSION) ";"
                                                               "COMMIT;";

#undef NUMBER
#undef TEXT

// For retention; a replay's rows have no age.
static const char index_of_age[] =
    "CREATE INDEX IF NOT EXISTS record_at ON record (at_wall_ms)";

// What a table of version 3 has not; the schema leaves a table that is there as it is.
static const char since_version_3[] = "ALTER TABLE pairing ADD COLUMN state TEXT;"
                                      "ALTER TABLE pairing ADD COLUMN since_wall_ms INTEGER;"
                                      "ALTER TABLE pairing ADD COLUMN transcript TEXT;";

static const char *describe(int status) {
    switch (status) {
    case PERI_ENOENT:
        return "there is no such file";
    case PERI_EACCES:
        return "the file or its directory may not be written or read";
    case PERI_EAGAIN:
        return "another program keeps the ledger busy";
    case PERI_ELIMIT:
        return "the disk is full";
    case PERI_EFORMAT:
        return "the file is damaged or not a ledger";
    default:
        return peri_status_message(status);
    }
}

// Makes the directories above `path`.
static int make_parents(const char *path) {
    peri_buf buf;
    peri_buf_init(&buf, 4096);
    peri_buf_add_c(&buf, path);
    (void)peri_buf_c(&buf);
    int status = buf.status;
    for (size_t i = 1; status == PERI_OK && i < buf.len; i++) {
        if (buf.ptr[i] != '/') continue;
        buf.ptr[i] = '\0';
        if (mkdir(buf.ptr, 0700) != 0 && errno != EEXIST) {
            status =
                errno == EACCES || errno == EPERM || errno == EROFS ? PERI_EACCES : PERI_EIO;
        }
        buf.ptr[i] = '/';
    }
    peri_buf_deinit(&buf);
    return status;
}

// Makes the file as the user's own before SQLite would make it readable for all; its journal
// gets the same mode.
static int make_file(const char *path) {
    int status = make_parents(path);
    if (status < 0) return status;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd);
        return PERI_OK;
    }
    if (errno == EEXIST) return PERI_OK;
    return errno == EACCES || errno == EPERM || errno == EROFS ? PERI_EACCES : PERI_EIO;
}

static int ask(sqlite3 *db, const char *sql, int64_t *value) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) code = peri__ledger_step(statement, value);
    sqlite3_finalize(statement);
    return peri__ledger_status(code);
}

static int tell(sqlite3 *db, const char *sql) {
    return peri__ledger_status(sqlite3_exec(db, sql, NULL, NULL, NULL));
}

// An empty file, or a ledger of this version or an older one.
static int check_owner(sqlite3 *db, int64_t *version, const char **error) {
    int64_t application = 0, tables = 0;
    int status = ask(db, "PRAGMA application_id", &application);
    if (status == PERI_OK) status = ask(db, "PRAGMA user_version", version);
    if (status == PERI_OK && application == APPLICATION_ID && *version <= SCHEMA_VERSION) {
        return PERI_OK;
    }
    if (status == PERI_OK && application == APPLICATION_ID) {
        *error = "the ledger was written by a newer perilune";
        return PERI_EFORMAT;
    }
    if (status == PERI_OK) status = ask(db, "SELECT count(*) FROM sqlite_schema", &tables);
    if (status == PERI_OK && (application != 0 || tables != 0)) {
        *error = "the file is a database of another program";
        return PERI_EFORMAT;
    }
    return status;
}

// SQLite's own way to empty a database in place, damaged ones included.
static int empty_file(sqlite3 *db) {
    (void)sqlite3_table_column_metadata(db, NULL, "record", NULL, NULL, NULL, NULL, NULL, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
    int status = tell(db, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM;");
    sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
    if (status == PERI_OK) status = tell(db, "PRAGMA user_version = 0;");
    return status;
}

// A crash of the process loses nothing that was committed; NORMAL means that a crash of the
// machine may lose the last commits, which spares the loop a wait for the disk at each of them.
static const char live_journal[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                                   "PRAGMA journal_size_limit = 4194304;";

// Nearly all pages of a replay are new, and those need no journal: each is written once, into
// the file, when its batch is committed; until then it waits in the cache, and readers are not
// locked out. A crash of the machine may cost the ledger; the recording is still there. The
// mode stays as it was where a reader has the file open as an older version left it.
static const char replay_journal[] = "PRAGMA cache_size = -4096; PRAGMA journal_mode = DELETE;";

static int set_up(sqlite3 *db, const peri_ledger_options *options, int64_t version) {
    int status = PERI_OK;
    if (version == 0) {
        status = tell(db, "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL;"
                          "PRAGMA application_id = " TEXT_OF(APPLICATION_ID) ";");
    }
    if (status == PERI_OK && options->replace) (void)tell(db, replay_journal);
    if (status == PERI_OK && !options->replace) status = tell(db, live_journal);
    // It fails where another program was quicker; what is missing then fails where it is used.
    if (status == PERI_OK && version == 3) (void)tell(db, since_version_3);
    if (status == PERI_OK && version == 5)
        (void)tell(db, "DROP TABLE standing"); // had fewer columns
    if (status == PERI_OK && version < SCHEMA_VERSION) status = tell(db, schema);
    if (status < 0) return status;
    char pragma[64];
    int64_t pages = (options->max_bytes + options->max_bytes / 4) / LEDGER_PAGE_BYTES;
    sqlite3_snprintf(sizeof pragma, pragma, "PRAGMA max_page_count = %lld", (long long)pages);
    status = tell(db, pragma);
    return status == PERI_OK && !options->replace ? tell(db, index_of_age) : status;
}

static int prepare_file(sqlite3 *db, const peri_ledger_options *options, const char **error) {
    sqlite3_busy_timeout(db, OPEN_WAIT_MS);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, ROW_MAX_BYTES);
    int64_t version = 0;
    int status = tell(db, "PRAGMA trusted_schema = OFF");
    if (status == PERI_OK) status = check_owner(db, &version, error);
    if (status < 0) return status;
    if (options->read_only) return version == 0 ? PERI_EFORMAT : PERI_OK;
    if (options->replace) status = tell(db, "PRAGMA synchronous = OFF");
    if (status == PERI_OK && options->replace && version > 0) {
        status = empty_file(db);
        version = 0;
    }
    if (status == PERI_OK) status = set_up(db, options, version);
    sqlite3_busy_timeout(db, 0);
    return status;
}

static int open_as(int mode, const char *path, const peri_ledger_options *options, sqlite3 **db,
                   const char **error) {
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | mode;
    int code = sqlite3_open_v2(path, db, flags, NULL);
    // SQLite opens a write-protected file for reading instead.
    bool locked_out =
        code == SQLITE_OK && !options->read_only && sqlite3_db_readonly(*db, NULL);
    if (locked_out) return PERI_EACCES;
    if (code == SQLITE_OK) return prepare_file(*db, options, error);
    return access(path, R_OK) != 0 && errno == EACCES ? PERI_EACCES : peri__ledger_status(code);
}

// A replay that was killed leaves what it had not committed to
// be taken back, which takes a writer.
static bool was_killed(sqlite3 *db) {
    return db && sqlite3_extended_errcode(db) == SQLITE_READONLY_ROLLBACK;
}

// Reading beside writers takes files of their own beside the ledger, which cannot be made in a
// folder that may not be written.
static bool is_shut(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    bool shut = folder && access(folder, W_OK) != 0 && (errno == EACCES || errno == EROFS);
    free(folder);
    return shut;
}

// The path as SQLite's address of a file that nobody changes.
static void add_address(peri_buf *out, const char *path) {
    peri_buf_add_c(out, path[0] == '/' ? "file://" : "file:");
    for (const char *at = path; *at; at++) {
        bool plain = *at != '%' && *at != '?' && *at != '#';
        if (plain) peri_buf_add_byte(out, *at);
        if (!plain) peri_buf_addf(out, "%%%02X", (unsigned)*at);
    }
    peri_buf_add_c(out, "?immutable=1");
}

// A ledger that its host has closed is whole without these files; of one that it left in the
// midst the last changes stand in the journal alone, and are not passed over.
static int open_unchanging(const char *path, const peri_ledger_options *options, sqlite3 **db,
                           const char **error) {
    peri_buf name;
    peri_buf_init(&name, 3 * 4096);
    peri_buf_addf(&name, "%s-wal", path);
    struct stat journal;
    bool left = stat(peri_buf_c(&name), &journal) == 0 && journal.st_size > 0;
    int status = left ? PERI_EACCES : name.status;
    if (left) {
        *error = "its last changes stand in the -wal file beside it, and its folder may not be "
                 "written: copy both files to one that may";
    } else if (status == PERI_OK) {
        peri_buf_clear(&name);
        add_address(&name, path);
        status = name.status;
    }
    int mode = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    if (status == PERI_OK) status = open_as(mode, peri_buf_c(&name), options, db, error);
    peri_buf_deinit(&name);
    return status;
}

static int open_to_read(const char *path, const peri_ledger_options *options, sqlite3 **db,
                        const char **error) {
    if (access(path, F_OK) != 0 && errno == ENOENT) return PERI_ENOENT;
    int status = open_as(SQLITE_OPEN_READONLY, path, options, db, error);
    if (status == PERI_OK || !*db) return status;
    int code = sqlite3_errcode(*db) & 0xff;
    bool killed = was_killed(*db);
    bool unmade = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
    bool readable = access(path, R_OK) == 0;
    if (!killed && !(unmade && readable && is_shut(path))) return status;
    sqlite3_close(*db);
    *db = NULL;
    return killed ? open_as(SQLITE_OPEN_READWRITE, path, options, db, error)
                  : open_unchanging(path, options, db, error);
}

static int open_file(const char *path, const peri_ledger_options *options, sqlite3 **db,
                     const char **error) {
    if (options->read_only) return open_to_read(path, options, db, error);
    int made = make_file(path);
    return made < 0 ? made : open_as(SQLITE_OPEN_READWRITE, path, options, db, error);
}

int peri__ledger_open_file(const char *path, const peri_ledger_options *options, sqlite3 **out,
                           const char **error) {
    sqlite3 *db = NULL;
    const char *why = NULL;
    int status = open_file(path, options, &db, &why);
    if (status < 0) {
        *error = why ? why : describe(status);
        sqlite3_close(db);
        return status;
    }
    *out = db;
    return PERI_OK;
}
