/* curve_report.h -- a scaling curve as text, JSON, CSV and picture, alone or beside another. */
#ifndef CLG_REPORT_PLAN_CURVE_REPORT_H
#define CLG_REPORT_PLAN_CURVE_REPORT_H

#include "base/text.h"
#include "explain/sensitivity.h"
#include "scaling/curve.h"

/* A curve with what it is of. */
typedef struct clg_drawn {
    const clg_scenario *scenario;
    const clg_space *space; /* of its first size */
    const clg_curve *curve;
    const char *key;   /* of the JSON object when it is the second: "against" or "weak" */
    const char *label; /* a few words that tell it from the other; NULL when alone */
} clg_drawn;

/* `beside` is NULL when there is nothing to compare with; its sizes are those of `one`. */
void clg_report_curve(clg_text *text, const clg_drawn *one, const clg_drawn *beside);
void clg_report_sensitivity(clg_text *text, const clg_sensitivity *resources, int64_t gpus);
void clg_report_curve_rows(clg_text *text, const clg_drawn *one, const clg_drawn *beside);
void clg_json_scale(clg_json_writer *writer, const clg_drawn *one, const clg_drawn *beside);

/* Two panels over GPUs, both axes logarithmic: tokens/s with its interval, the ideal and the knee;
 * efficiency with the bound E and MFU. The cap and the band of the laws cross both. */
void clg_picture_curve(clg_text *svg, const clg_drawn *one, const clg_drawn *beside);

#endif
