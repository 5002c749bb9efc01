/* named_gpus.h -- kinds of GPU in a list: "NAME,NAME", or with how many there are of each.
 */
#ifndef CLG_API_NAMED_GPUS_H
#define CLG_API_NAMED_GPUS_H

#include "api/request.h"

typedef struct clg_named_gpu {
    const char *name, *count; /* "NAME:64"; count NULL where none is said */
} clg_named_gpu;

clg_named_gpu clg_named_gpu_of(clg_arena *arena, const char *word);

/* The list of --gpu where it has one of these marks; NULL where it names one GPU, or has a file. */
const char *clg_named_gpus(const clg_request *request, const char *marks);

#endif
