/* launch.h -- a plan in the flags of the trainers people run. */
#ifndef CLG_REPORT_LAUNCH_H
#define CLG_REPORT_LAUNCH_H

#include "base/text.h"
#include "evaluate/evaluate.h"

/* Trainers whose flags are known, ended by a NULL name. */
extern const clg_name clg_trainer_names[];

/* Appends the flags that set this layout of a model of so many layers, one line per few; what a
 * trainer cannot do is said. */
void clg_report_launch(clg_text *text, int trainer, int layers, const clg_layout *layout);

#endif
