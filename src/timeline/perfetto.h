/* perfetto.h -- a timeline as Chrome trace JSON, which ui.perfetto.dev opens. */
#ifndef CLG_TIMELINE_PERFETTO_H
#define CLG_TIMELINE_PERFETTO_H

#include "base/text.h"
#include "timeline/timeline.h"

/* Complete events in microseconds with nanosecond decimals; one process per rank, one thread per
 * track. `process` names a rank ("stage", "rank"). */
void clg_timeline_perfetto(clg_text *text, const clg_timeline *timeline, const char *process);

#endif
