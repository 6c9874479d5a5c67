// Tests of a dialect's rules on the values of a record. Internal to ingest.
#ifndef PERI_INGEST_MATCH_H
#define PERI_INGEST_MATCH_H

#include "ingest/dialect.h"

/// Follows a path from where it begins.
peri_json peri_rule_find(const peri_rule_path *path, const peri_rule_scope *scope);

/// True if every test holds.
bool peri_tests_hold(const peri_rule_test *tests, size_t count, const peri_rule_scope *scope);

#endif
