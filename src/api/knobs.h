/* knobs.h -- every knob as JSON, with what it may be: forms and completion are drawn from it. */
#ifndef CLG_API_KNOBS_H
#define CLG_API_KNOBS_H

#include "base/text.h"

/* {"kind":"params","groups":[{"name","title","params":[{"flag","kind","argument","default","help",
 * "choices":[{"name","title"}...]}...]}...],"models":[{"name","title","parameters"...}...],
 * "commands":[{"name","flags":[...]}...]} */
void clg_knobs_json(clg_text *text);

#endif
