/* picture.h -- answers as SVG pictures that stand alone. */
#ifndef CLG_REPORT_PICTURE_H
#define CLG_REPORT_PICTURE_H

#include "base/text.h"
#include "validate/validate.h"

/* Predicted against measured step time, both axes logarithmic, one colour per source. */
void clg_picture_validation(clg_text *svg, const clg_validation *validation);

#endif
