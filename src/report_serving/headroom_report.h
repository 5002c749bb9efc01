/* headroom_report.h -- how sure a fleet is, as text and JSON. */
#ifndef CLG_REPORT_SERVING_HEADROOM_REPORT_H
#define CLG_REPORT_SERVING_HEADROOM_REPORT_H

#include "base/text.h"
#include "serve/headroom.h"

/* Nothing where it is not known. */
void clg_report_headroom(clg_text *text, const clg_serve_question *question,
                         const clg_serve_answer *answer, const clg_serve_headroom *headroom);
void clg_json_headroom(clg_json_writer *writer, const clg_serve_question *question,
                       const clg_serve_headroom *headroom);

#endif
