// What perilune-exec tells the host of the command it runs: records of two numbers, one to a
// packet, on the socket it was given as descriptor PERI_EXEC_CONTROL. When the host shuts its
// end down, or is gone, the command and all it started are killed. Read by exec/ and proc.c.
#ifndef PERI_IO_EXEC_RECORD_H
#define PERI_IO_EXEC_RECORD_H

#include <stdint.h>

enum { PERI_EXEC_CONTROL = 3 };

typedef enum peri_exec_kind {
    PERI_EXEC_RUNNING,     // nothing was said yet
    PERI_EXEC_NOT_STARTED, // value: the errno of what failed
    PERI_EXEC_EXITED,      // value: its code
    PERI_EXEC_SIGNALED,    // value: the signal that ended it
    PERI_EXEC_STARTED,     // value: its process and group; told before it is the command
    PERI_EXEC_CLEARED,     // all is gone; value: processes found outside its group, killed too
} peri_exec_kind;

typedef struct peri_exec_record {
    int32_t kind, value;
} peri_exec_record;

#endif
