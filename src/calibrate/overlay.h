/* overlay.h -- calibrations in the form of data files, for --kernels, --network and --stack. */
#ifndef CLG_CALIBRATE_OVERLAY_H
#define CLG_CALIBRATE_OVERLAY_H

#include "base/text.h"
#include "calibrate/calibrate.h"

/* Appends the file of a knob: every value that moved, with its unit, source (`input`: what was
 * read) and kind. False when no calibration is of that knob. */
bool clg_overlay_print(clg_text *text, const clg_calibration *list, int count, const char *knob,
                       const char *input);

#endif
