/* validation_picture.c -- predicted against measured. */
#include "report_accuracy/validation.h"

#include "report/svg.h"

#include <math.h>

enum {
    WIDTH = 860,
    HEIGHT = 560,
    LEFT = 80,
    RIGHT = 250,
    TOP = 40,
    BOTTOM = 60,
    LEGEND_LINES = (HEIGHT - TOP) / 15 - 1
};

/* y = factor x, clipped to the frame. */
static void draw_diagonal(clg_text *svg, const clg_svg_axis *x, const clg_svg_axis *y,
                          double factor, const char *style) {
    double low = fmax(x->low, y->low / factor), high = fmin(x->high, y->high / factor);
    clg_text_print(svg, "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>\n", clg_svg_place(x, low),
                   clg_svg_place(y, low * factor), clg_svg_place(x, high),
                   clg_svg_place(y, high * factor), style);
}

static bool has_point(const clg_run *run) {
    return !run->reason && run->measured_step_s > 0 && run->predicted.step_s > 0;
}

/* What a colour says: whether anything was fitted on the run. */
static const char *color_of(bool held_out) {
    return clg_svg_color(held_out ? CLG_ORANGE : CLG_BLUE);
}

static void legend_line(clg_text *svg, int *line, const char *color, const char *words) {
    double y = TOP + 12 + 15 * (*line)++;
    if (color)
        clg_text_print(svg, "<circle cx=\"%d\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
                       WIDTH - RIGHT + 18, y - 4, color);
    clg_svg_label(svg, WIDTH - RIGHT + 28, y, "start", words);
}

/* The source of largest error below that of `before`, or at it further down the list; NULL: none.
 */
static const clg_score *next_worst(const clg_validation *v, const clg_score *before) {
    const clg_score *worst = NULL;
    for (int s = 0; s < v->scores; s++) {
        const clg_score *at = &v->score[s];
        if (at->scored == 0 || clg_score_is_all(at)) continue;
        if (before && (at->mape > before->mape || (at->mape == before->mape && at <= before)))
            continue;
        if (!worst || at->mape > worst->mape) worst = at;
    }
    return worst;
}

static void draw_legend(clg_text *svg, const clg_validation *v) {
    const clg_score *all = &v->score[v->scores - 1], *at = NULL;
    int line = 0;
    if (all->scored == 0) return;
    legend_line(
        svg, &line, NULL,
        clg_arena_print(svg->arena, "%d runs, mean error %.1f %%", all->scored, 100 * all->mape));
    legend_line(svg, &line, color_of(false), "terms may have been set on it");
    legend_line(svg, &line, color_of(true), "held out: nothing was fitted on it");
    line++;
    legend_line(svg, &line, NULL, "mean error by source, worst first:");
    while (line < LEGEND_LINES && (at = next_worst(v, at)) != NULL)
        legend_line(svg, &line, NULL,
                    clg_arena_print(svg->arena, "%.0f %%  %.28s (%d)", 100 * at->mape, at->source,
                                    at->scored));
}

static void draw_runs(clg_text *svg, const clg_svg_axis *x, const clg_svg_axis *y,
                      const clg_validation *v) {
    for (int i = 0; i < v->runs; i++) {
        const clg_run *r = &v->run[i];
        if (!has_point(r)) continue;
        clg_text_print(svg,
                       "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\" "
                       "fill-opacity=\"0.6\"><title>",
                       clg_svg_place(x, r->measured_step_s), clg_svg_place(y, r->predicted.step_s),
                       color_of(r->held_out));
        clg_svg_escape(svg, r->id);
        clg_text_print(svg, " %+.0f %%</title></circle>\n", 100 * r->error);
    }
}

void clg_picture_validation(clg_text *svg, const clg_validation *v) {
    double low = 1e300, high = 0;
    for (int i = 0; i < v->runs; i++) {
        if (!has_point(&v->run[i])) continue;
        low = fmin(low, fmin(v->run[i].measured_step_s, v->run[i].predicted.step_s));
        high = fmax(high, fmax(v->run[i].measured_step_s, v->run[i].predicted.step_s));
    }
    if (high <= 0) low = 1, high = 10;
    clg_svg_axis x = {low / 1.2, high * 1.2, LEFT, WIDTH - RIGHT, 1};
    clg_svg_axis y = {low / 1.2, high * 1.2, HEIGHT - BOTTOM, TOP, 1};
    clg_svg_open(svg, WIDTH, HEIGHT, "Step time: predicted against measured");
    clg_svg_frame(svg, &x, &y, 10, CLG_SECONDS, 10, CLG_SECONDS);
    draw_diagonal(svg, &x, &y, 1, "stroke=\"#333\"");
    draw_diagonal(svg, &x, &y, 1.2, "stroke=\"#999\" stroke-dasharray=\"4 4\"");
    draw_diagonal(svg, &x, &y, 1 / 1.2, "stroke=\"#999\" stroke-dasharray=\"4 4\"");
    draw_runs(svg, &x, &y, v);
    draw_legend(svg, v);
    clg_svg_label(svg, (x.start + x.end) / 2, HEIGHT - 16, "middle",
                  "measured step time (dashed: 20 % either way)");
    clg_svg_turned(svg, 20, (HEIGHT - BOTTOM + TOP) / 2.0, -90, "middle", CLG_SVG_FONT_PX,
                   "predicted step time");
    clg_svg_close(svg);
}
