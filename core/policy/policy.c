// Words of the policy stage.
#include "policy/policy.h"

peri_str peri_run_phase_word(peri_run_phase phase) {
    static const peri_str words[] = {
        [PERI_PHASE_IDLE] = {"idle", 4},       [PERI_PHASE_RUNNING] = {"running", 7},
        [PERI_PHASE_SETTLED] = {"settled", 7}, [PERI_PHASE_PLAN] = {"plan", 4},
        [PERI_PHASE_STOPPED] = {"stopped", 7}, [PERI_PHASE_ENDED] = {"ended", 5},
    };
    return words[phase];
}
