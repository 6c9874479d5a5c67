// What a program's exit code says beyond its number.
#ifndef PERI_BASE_EXIT_CODE_H
#define PERI_BASE_EXIT_CODE_H

/// The signal that ended what a shell ran, where `code` is how the shell tells it (128 and the
/// signal's number); else 0.
static inline int peri_exit_code_signal(int code) {
    return code > 128 && code <= 128 + 64 ? code - 128 : 0;
}

#endif
