// Names and messages of the one status list (include/perilune/base.h), and the version.
#include "perilune/base.h"

const char *peri_status_name(int status) {
    switch (status) {
#define STATUS_CASE(name, number, message)                                                     \
    case -(number):                                                                            \
        return "PERI_" #name;
        PERI_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    default:
        return status >= 0 ? "PERI_OK" : "PERI_EINTERNAL";
    }
}

const char *peri_status_message(int status) {
    switch (status) {
#define STATUS_CASE(name, number, message)                                                     \
    case -(number):                                                                            \
        return message;
        PERI_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    default:
        return status >= 0 ? "ok" : "unknown status";
    }
}

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *peri_version(void) {
    return VERSION_TEXT(PERI_VERSION_MAJOR, PERI_VERSION_MINOR, PERI_VERSION_PATCH);
}
