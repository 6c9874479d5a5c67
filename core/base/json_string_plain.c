// The strings of the scanner for any processor (json_string.h).
#include "base/json_string_edit.h"
#include "base/json_string_scan.h"

const peri__json_string_ops peri__json_string_plain = {
    .scan = scan_string, .cut = cut, .unescape = unescape, .plain_run = plain_run};
