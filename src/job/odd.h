/* odd.h -- internal to job/: formats' own rules that are more than keys and defaults. */
#ifndef CLG_JOB_ODD_H
#define CLG_JOB_ODD_H

#include "job/reading.h"

void clg_odd_megatron(clg_reading *reading);

#endif
