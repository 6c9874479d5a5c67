// The loop as the other files of this folder see it. Nothing outside core/io/ includes this.
#ifndef PERI_IO_LOOP_UV_H
#define PERI_IO_LOOP_UV_H

#include <uv.h>

#include "io/loop.h"

uv_loop_t *peri__loop_uv(peri_loop *loop);

#endif
