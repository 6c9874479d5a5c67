// The version of block.h for machines without SSE2 gives the same masks.
#define PERI_BLOCK_PORTABLE
#include "block_test.c"
