// The settings the gate judges by (spec CC-4): which files there are for a folder, read again
// when they change. Files are read here; what they mean is core/gate's. Called by
// host/admit/gate.c.
#ifndef PERI_HOST_PERMISSIONS_H
#define PERI_HOST_PERMISSIONS_H

#include "base/yaml.h"
#include "gate/gate.h"
#include "gate/rule.h"
#include "perilune/host.h"

typedef struct host_permissions host_permissions;

/// Takes note of the files that `options` name. PERI_ENOENT for one of --settings that is not
/// there, after a line of log; PERI_ENOMEM.
PERI_MUST_USE int host_permissions_new(peri_host *host, const peri_host_options *options,
                                       host_permissions **out);
void host_permissions_free(host_permissions *permissions); // NULL is fine

/// What holds for an agent that works in `folder` (absent or relative: the files of no
/// project). Borrowed until the next call. A file that changed is read again first; one that
/// cannot be used is reported to the host's diagnostics and its last good content stays.
/// PERI_EPARSE if such a file never was good: `*problem` names it. PERI_ENOMEM.
PERI_MUST_USE int host_permissions_get(host_permissions *permissions, peri_str folder,
                                       const peri_permissions **out, const char **problem);

/// Checks the map `permissions` of a config: keys, types, rules, mode, hooks. Mistakes go to
/// the document's diagnostics with their place. PERI_EINVAL if there was one.
PERI_MUST_USE int host_permissions_check(peri_yaml_doc *doc, const peri_yaml *from);

/// Checks one of the agent's own settings files as the gate reads it. Negative if it cannot be
/// used; why is in `diags`.
PERI_MUST_USE int host_settings_check(const char *path, peri_str text, peri_diag_list *diags);

/// A part of a YAML document as the tree that the agent's own settings
/// are; owned; NULL out of memory.
peri_tree *host_permissions_tree(const peri_yaml *node);

/// One permission rule of a config, tried on requests.
typedef struct peri_tried_rule {
    const char *effect; // deny, ask, allow
    peri_str text;      // as written; lent for the call
    uint32_t line;
    bool of_agent;  // it can speak of observers at all
    size_t matched; // of the requests
} peri_tried_rule;
typedef void (*peri_tried_rule_fn)(void *user, const peri_tried_rule *rule);

/// Tries each rule of the config `path`, which was found valid. What reading the file answers.
PERI_MUST_USE int peri_host_try_rules(const char *path, const peri_agent_request *requests,
                                      size_t count, peri_tried_rule_fn fn, void *user);

#endif
