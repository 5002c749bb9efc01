/* svg.c -- frames, labels and colours of pictures. */
#include "report/svg.h"

#include <math.h>
#include <stdio.h>

double clg_svg_place(const clg_svg_axis *a, double value) {
    return a->start + (a->end - a->start) * log(value / a->low) / log(a->high / a->low);
}

const char *clg_svg_color(int index) {
    static const char *const colors[] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                         "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
                                         "#bcbd22", "#17becf", "#3949ab", "#00897b"};
    return index == CLG_PALE ? "#dddddd" : colors[index % 12];
}

void clg_svg_escape(clg_text *svg, const char *words) {
    for (; *words; words++) {
        const char *entity = *words == '&'   ? "&amp;"
                             : *words == '<' ? "&lt;"
                             : *words == '>' ? "&gt;"
                             : *words == '"' ? "&quot;"
                                             : NULL;
        if (entity)
            clg_text_print(svg, "%s", entity);
        else
            clg_text_add(svg, words, 1);
    }
}

void clg_svg_label(clg_text *svg, double x, double y, const char *anchor, const char *words) {
    clg_text_print(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    clg_svg_escape(svg, words);
    clg_text_print(svg, "</text>\n");
}

void clg_svg_turned(clg_text *svg, double x, double y, double degrees, const char *anchor,
                    int font_px, const char *words) {
    clg_text_print(svg,
                   "<text transform=\"translate(%.1f %.1f) rotate(%.0f)\" text-anchor=\"%s\" "
                   "font-size=\"%d\">",
                   x, y, degrees, anchor, font_px);
    clg_svg_escape(svg, words);
    clg_text_print(svg, "</text>\n");
}

void clg_svg_rectangle(clg_text *svg, double x, double y, double width, double height,
                       const char *color, double opacity, const char *title) {
    clg_text_print(svg, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"", x,
                   y, width, height, color);
    if (opacity < 1) clg_text_print(svg, " fill-opacity=\"%.2f\"", opacity);
    if (title) {
        clg_text_print(svg, "><title>");
        clg_svg_escape(svg, title);
        clg_text_print(svg, "</title></rect>\n");
    } else
        clg_text_print(svg, "/>\n");
}

void clg_svg_open(clg_text *svg, int width, int height, const char *title) {
    clg_text_print(svg,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                   "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"%d\">\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                   width, height, width, height, CLG_SVG_FONT_PX);
    clg_text_print(svg, "<text x=\"80\" y=\"22\" font-size=\"15\" font-weight=\"bold\">");
    clg_svg_escape(svg, title);
    clg_text_print(svg, "</text>\n");
}

void clg_svg_close(clg_text *svg) { clg_text_print(svg, "</svg>\n"); }

/* First power of the base, times the anchor, at or above the low end. */
static double first_tick(const clg_svg_axis *axis, double base) {
    double tick = axis->anchor > 0 ? axis->anchor : 1, low = axis->low * (1 - 1e-9);
    while (tick < low) tick *= base;
    while (tick / base >= low) tick /= base;
    return tick;
}

/* Ticks are round: plain digits where people count, a unit of its own where they measure. */
static void tick_words(double value, clg_dimension dimension, char *out, size_t size) {
    if (dimension == CLG_SECONDS)
        snprintf(out, size, "%g s", value);
    else if (dimension == CLG_COUNT && (value < 1e4 || (value < 1e5 && fmod(value, 1e3) > 0)))
        snprintf(out, size, "%g", value);
    else
        clg_quantity_print(value, dimension, 1, out, size);
}

void clg_svg_frame(clg_text *svg, const clg_svg_axis *x, const clg_svg_axis *y, double base_x,
                   clg_dimension x_dimension, double base_y, clg_dimension y_dimension) {
    char words[48];
    for (double v = first_tick(x, base_x); v <= x->high * 1.0001; v *= base_x) {
        double at = clg_svg_place(x, v);
        tick_words(v, x_dimension, words, sizeof words);
        clg_text_print(svg, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>\n", at, y->start,
                       y->end);
        clg_svg_label(svg, at, y->start + 18, "middle", words);
    }
    for (double v = first_tick(y, base_y); v <= y->high * 1.0001; v *= base_y) {
        double at = clg_svg_place(y, v);
        tick_words(v, y_dimension, words, sizeof words);
        clg_text_print(svg, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", x->start, at,
                       x->end);
        clg_svg_label(svg, x->start - 6, at + 4, "end", words);
    }
    clg_text_print(svg, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#333\"/>\n",
                   x->start, y->end, y->start, x->end);
}
