/* picture.c -- SVG, drawn by hand: a frame, logarithmic axes, dots. */
#include "report/picture.h"

#include "units/units.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 860, HEIGHT = 560, LEFT = 80, RIGHT = 250, TOP = 40, BOTTOM = 60 };

typedef struct axis {
    double low, high;  /* values at the ends, both > 0 */
    double start, end; /* pixels */
} axis;

static double place(const axis *a, double value) {
    return a->start + (a->end - a->start) * log(value / a->low) / log(a->high / a->low);
}

static const char *color(int index) {
    static const char *const colors[] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                         "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
                                         "#bcbd22", "#17becf", "#3949ab", "#00897b"};
    return colors[index % 12];
}

/* Text between tags: the five characters XML gives a meaning to. */
static void escape(clg_text *svg, const char *text) {
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            clg_text_print(svg, "%s", entity);
        else
            clg_text_add(svg, text, 1);
    }
}

static void label(clg_text *svg, double x, double y, const char *anchor, const char *words) {
    clg_text_print(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    escape(svg, words);
    clg_text_print(svg, "</text>\n");
}

static void open_picture(clg_text *svg, const char *title) {
    clg_text_print(svg,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                   "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                   WIDTH, HEIGHT, WIDTH, HEIGHT);
    clg_text_print(svg, "<text x=\"%d\" y=\"22\" font-size=\"15\" font-weight=\"bold\">", LEFT);
    escape(svg, title);
    clg_text_print(svg, "</text>\n");
}

/* Decades with their seconds, as grid lines of both axes. */
static void draw_grid(clg_text *svg, const axis *x, const axis *y) {
    char words[32];
    for (double v = pow(10, ceil(log10(x->low) - 1e-9)); v <= x->high * 1.0001; v *= 10) {
        clg_quantity_print(v, CLG_SECONDS, 2, words, sizeof words);
        clg_text_print(svg, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>\n", place(x, v),
                       y->start, y->end);
        label(svg, place(x, v), y->start + 18, "middle", words);
        clg_text_print(svg, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", x->start,
                       place(y, v), x->end);
        label(svg, x->start - 6, place(y, v) + 4, "end", words);
    }
    clg_text_print(svg, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#333\"/>\n",
                   x->start, y->end, y->start, x->end);
}

/* y = factor x, clipped to the frame. */
static void draw_diagonal(clg_text *svg, const axis *x, const axis *y, double factor,
                          const char *style) {
    double low = fmax(x->low, y->low / factor), high = fmin(x->high, y->high / factor);
    clg_text_print(svg, "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>\n", place(x, low),
                   place(y, low * factor), place(x, high), place(y, high * factor), style);
}

static bool has_point(const clg_run *run) {
    return !run->reason && run->measured_step_s > 0 && run->predicted.step_s > 0;
}

static void draw_legend(clg_text *svg, const clg_validation *v) {
    int line = 0;
    for (int s = 0; s < v->scores; s++) {
        const clg_score *score = &v->score[s];
        if (score->scored == 0 || strcmp(score->source, "all") == 0) continue;
        double y = TOP + 12 + 17 * line++;
        if (y > HEIGHT - BOTTOM) break;
        clg_text_print(svg, "<circle cx=\"%d\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
                       WIDTH - RIGHT + 18, y - 4, color(s));
        label(svg, WIDTH - RIGHT + 28, y, "start",
              clg_arena_print(svg->arena, "%.24s: %.0f %%", score->source, 100 * score->mape));
    }
}

void clg_picture_validation(clg_text *svg, const clg_validation *v) {
    double low = INFINITY, high = 0;
    for (int i = 0; i < v->runs; i++) {
        if (!has_point(&v->run[i])) continue;
        low = fmin(low, fmin(v->run[i].measured_step_s, v->run[i].predicted.step_s));
        high = fmax(high, fmax(v->run[i].measured_step_s, v->run[i].predicted.step_s));
    }
    if (high <= 0) low = 1, high = 10;
    axis x = {low / 1.2, high * 1.2, LEFT, WIDTH - RIGHT};
    axis y = {low / 1.2, high * 1.2, HEIGHT - BOTTOM, TOP};
    open_picture(svg, "Step time: predicted against measured");
    draw_grid(svg, &x, &y);
    draw_diagonal(svg, &x, &y, 1, "stroke=\"#333\"");
    draw_diagonal(svg, &x, &y, 1.2, "stroke=\"#999\" stroke-dasharray=\"4 4\"");
    draw_diagonal(svg, &x, &y, 1 / 1.2, "stroke=\"#999\" stroke-dasharray=\"4 4\"");
    for (int i = 0; i < v->runs; i++) {
        const clg_run *r = &v->run[i];
        if (!has_point(r)) continue;
        int source = 0;
        while (source + 1 < v->scores && strcmp(v->score[source].source, r->source) != 0) source++;
        clg_text_print(svg,
                       "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\" "
                       "fill-opacity=\"0.6\"><title>",
                       place(&x, r->measured_step_s), place(&y, r->predicted.step_s),
                       color(source));
        escape(svg, r->id);
        clg_text_print(svg, " %+.0f %%</title></circle>\n", 100 * r->error);
    }
    draw_legend(svg, v);
    label(svg, (x.start + x.end) / 2, HEIGHT - 16, "middle",
          "measured step time (dashed: 20 % either way)");
    clg_text_print(svg,
                   "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">"
                   "predicted step time</text>\n</svg>\n",
                   (HEIGHT - BOTTOM + TOP) / 2);
}
