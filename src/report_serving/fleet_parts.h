/* fleet_parts.h -- internal: what fleet_report.c and fleet_json.c both say of a model. */
#ifndef CLG_REPORT_SERVING_FLEET_PARTS_H
#define CLG_REPORT_SERVING_FLEET_PARTS_H

#include "serve/joint.h"

#include <math.h>

static inline bool clg_fleet_shares(const clg_joint *j, const clg_joint_model *m) {
    return j->taken == CLG_JOINT_GPUS && m->pool >= 0;
}

static inline double clg_fleet_output_per_s(const clg_joint_model *m) {
    return (double)m->question->demand->output_tokens / m->question->demand->span_s;
}

static inline double clg_fleet_usd_per_million(const clg_joint_model *m, double usd_per_s) {
    return usd_per_s > 0 ? 1e6 * usd_per_s / clg_fleet_output_per_s(m) : (double)NAN;
}

static inline bool clg_fleet_holds(const clg_joint_model *m) {
    return m->lost_share >= m->question->target.share;
}

#endif
