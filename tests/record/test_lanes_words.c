/* The same without the processor's vectors. */
#undef __SSE2__
#include "test_lanes.c"
