// What the processor at hand can run beyond what every one of its kind can. Files compiled for
// AVX2 or AVX-512 (CMakeLists.txt) are called only where these say so.
#ifndef PERI_BASE_PROCESSOR_H
#define PERI_BASE_PROCESSOR_H

#include <stdbool.h>

static inline bool peri_processor_avx2(void) {
#ifdef PERI_X86
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

static inline bool peri_processor_avx512(void) {
#ifdef PERI_X86
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

#endif
