/* serving.c -- names. */
#include "layout/serving.h"

const clg_name clg_expert_kernel_names[] = {
    {"timed", CLG_EXPERTS_TIMED, "what the engine takes by itself"},
    {"whole", CLG_EXPERTS_WHOLE, "rows of all experts are written and summed on every rank"},
    {"grouped", CLG_EXPERTS_GROUPED, "grouped products"},
    {NULL, 0, NULL}};
