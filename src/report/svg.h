/* svg.h -- a few strokes that pictures share. */
#ifndef CLG_REPORT_SVG_H
#define CLG_REPORT_SVG_H

#include "base/text.h"
#include "units/units.h"

enum { CLG_SVG_FONT_PX = 12 };

/* A logarithmic axis: values at the ends, both > 0, and their pixels. */
typedef struct clg_svg_axis {
    double low, high, start, end;
    double anchor; /* a value that has a tick; 0: 1 */
} clg_svg_axis;

double clg_svg_place(const clg_svg_axis *axis, double value);

void clg_svg_open(clg_text *svg, int width, int height, const char *title);
void clg_svg_close(clg_text *svg);

/* Words with the five characters of XML made safe. */
void clg_svg_label(clg_text *svg, double x, double y, const char *anchor, const char *words);
void clg_svg_escape(clg_text *svg, const char *words);

/* The same, turned by so many degrees to the right about its anchor, `font_px` high. */
void clg_svg_turned(clg_text *svg, double x, double y, double degrees, const char *anchor,
                    int font_px, const char *words);

/* Filled in a colour, `opacity` above 0 to 1; `title` is shown under the pointer, NULL: none. */
void clg_svg_rectangle(clg_text *svg, double x, double y, double width, double height,
                       const char *color, double opacity, const char *title);

/* The n-th of twelve colours that are told apart, or the pale one. */
const char *clg_svg_color(int index);

/* Those that pictures mean something by. */
enum { CLG_PALE = -1, CLG_BLUE, CLG_ORANGE, CLG_GREEN, CLG_RED, CLG_PURPLE, CLG_GREY = 7 };

/* A frame of two axes with a grid at powers of `base_x` and `base_y`, labelled in the dimension. */
void clg_svg_frame(clg_text *svg, const clg_svg_axis *x, const clg_svg_axis *y, double base_x,
                   clg_dimension x_dimension, double base_y, clg_dimension y_dimension);

#endif
