// The string scanner for machines with AVX2: the same text, compiled with those instructions (see
// CMakeLists.txt). json_scan.c takes it where the processor has them.
#ifdef PERI_AVX2
#define PERI__JSON_SCAN_STRING peri__json_scan_string_avx2
#include "base/json_scan_string.c" // NOLINT(bugprone-suspicious-include)
#else
typedef int peri__no_avx2; // a file must declare something
#endif
