// The strings of the scanner for processors with AVX-512, which CMakeLists.txt lets it use
// (json_string.h).
#ifdef PERI_X86
#include "base/json_string_edit.h"
#include "base/json_string_scan.h"

const peri__json_string_ops peri__json_string_avx512 = {
    .scan = scan_string, .cut = cut, .unescape = unescape, .plain_run = plain_run};
#else
typedef int peri__no_avx512; // a file must declare something
#endif
