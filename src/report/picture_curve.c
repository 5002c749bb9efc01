/* picture_curve.c -- how far adding GPUs gets you, as a picture. */
#include "report/curve.h"

#include "report/svg.h"

#include <math.h>

enum { WIDTH = 860, HEIGHT = 760, LEFT = 90, RIGHT = 170, TOP = 44, MIDDLE = 430, BOTTOM = 50 };

typedef double (*reading)(const clg_scale_point *point);

static double tokens_per_s(const clg_scale_point *p) { return p->plan.tokens_per_s; }
static double slow(const clg_scale_point *p) {
    return p->plan.tokens_per_s * p->plan.step_s / p->plan.step_p90_s;
}
static double fast(const clg_scale_point *p) {
    return p->plan.tokens_per_s * p->plan.step_s / p->plan.step_p10_s;
}
static double efficiency(const clg_scale_point *p) { return 100 * p->efficiency; }
static double bound(const clg_scale_point *p) { return 100 * p->bound_efficiency; }
static double utilization(const clg_scale_point *p) { return 100 * p->plan.mfu; }

static double at_least(const clg_svg_axis *axis, double value) {
    return value < axis->low ? axis->low : value > axis->high ? axis->high : value;
}

static void draw_line(clg_text *svg, const clg_curve *c, const clg_svg_axis *x,
                      const clg_svg_axis *y, reading of, const char *style) {
    bool first = true;
    clg_text_print(svg, "<path fill=\"none\" %s d=\"", style);
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        if (!p->runs) continue;
        clg_text_print(svg, "%s%.1f %.1f", first ? "M" : "L", clg_svg_place(x, (double)p->gpus),
                       clg_svg_place(y, at_least(y, of(p))));
        first = false;
    }
    clg_text_print(svg, "\"/>\n");
}

/* P10 to P90, there and back. */
static void draw_band(clg_text *svg, const clg_curve *c, const clg_svg_axis *x,
                      const clg_svg_axis *y) {
    bool first = true;
    clg_text_print(svg, "<path fill=\"#1f77b4\" fill-opacity=\"0.18\" d=\"");
    for (int i = 0; i < 2 * c->count; i++) {
        int at = i < c->count ? i : 2 * c->count - 1 - i;
        const clg_scale_point *p = &c->point[at];
        if (!p->runs) continue;
        double value = i < c->count ? slow(p) : fast(p);
        clg_text_print(svg, "%s%.1f %.1f", first ? "M" : "L", clg_svg_place(x, (double)p->gpus),
                       clg_svg_place(y, at_least(y, value)));
        first = false;
    }
    clg_text_print(svg, "Z\"/>\n");
}

static void draw_dots(clg_text *svg, const clg_curve *c, const clg_svg_axis *x,
                      const clg_svg_axis *y, reading of) {
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        char words[160];
        if (!p->runs) continue;
        clg_layout_print(&p->plan.layout, words, sizeof words);
        clg_text_print(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>",
                       clg_svg_place(x, (double)p->gpus), clg_svg_place(y, at_least(y, of(p))),
                       p->past_dp_cap ? "#d62728" : "#1f77b4");
        clg_svg_escape(svg, words);
        clg_text_print(svg, ", MFU %.1f %%</title></circle>\n", 100 * p->plan.mfu);
    }
}

static void draw_mark(clg_text *svg, const clg_svg_axis *x, double gpus, const char *color,
                      const char *words, double y) {
    if (gpus < x->low || gpus > x->high) return;
    double at = clg_svg_place(x, gpus);
    clg_text_print(svg, "<path d=\"M%.1f %dV%d\" stroke=\"%s\" stroke-dasharray=\"6 4\"/>\n", at,
                   TOP, HEIGHT - BOTTOM, color);
    clg_text_print(svg, "<g fill=\"%s\">", color);
    clg_svg_label(svg, at + 4, y, "start", words);
    clg_text_print(svg, "</g>");
}

static void legend(clg_text *svg, double y, const char *color, const char *dash,
                   const char *words) {
    clg_text_print(svg, "<path d=\"M%d %.1fh22\" stroke=\"%s\" %s/>\n", WIDTH - RIGHT + 12, y - 4,
                   color, dash);
    clg_svg_label(svg, WIDTH - RIGHT + 40, y, "start", words);
}

static void draw_speed(clg_text *svg, const clg_curve *c, const clg_svg_axis *x,
                       const clg_scale_point *first, const clg_scale_point *last) {
    double per_gpu = first->plan.tokens_per_s_per_gpu;
    clg_svg_axis y = {slow(first) / 1.3, per_gpu * (double)last->gpus * 1.2, MIDDLE - 50, TOP};
    clg_svg_frame(svg, x, &y, 2, CLG_COUNT, 10, CLG_COUNT);
    clg_text_print(
        svg, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#999\"/>\n",
        clg_svg_place(x, (double)first->gpus), clg_svg_place(&y, per_gpu * (double)first->gpus),
        clg_svg_place(x, (double)last->gpus), clg_svg_place(&y, per_gpu * (double)last->gpus));
    draw_band(svg, c, x, &y);
    draw_line(svg, c, x, &y, tokens_per_s, "stroke=\"#1f77b4\" stroke-width=\"2\"");
    draw_dots(svg, c, x, &y, tokens_per_s);
    clg_svg_label(svg, LEFT, TOP - 6, "start", "tokens per second");
    legend(svg, TOP + 16, "#1f77b4", "stroke-width=\"2\"", "best plan");
    legend(svg, TOP + 34, "#1f77b4", "stroke-opacity=\"0.2\" stroke-width=\"10\"", "P10 to P90");
    legend(svg, TOP + 52, "#999", "", "ideal");
}

static void draw_efficiency(clg_text *svg, const clg_curve *c, const clg_svg_axis *x) {
    double low = 100;
    for (int i = 0; i < c->count; i++)
        if (c->point[i].runs)
            low = fmin(low, fmin(efficiency(&c->point[i]), utilization(&c->point[i])));
    clg_svg_axis y = {fmax(1, low / 1.3), 130, HEIGHT - BOTTOM, MIDDLE + 20};
    clg_svg_frame(svg, x, &y, 2, CLG_COUNT, 2, CLG_COUNT);
    draw_line(svg, c, x, &y, bound, "stroke=\"#2ca02c\" stroke-dasharray=\"5 3\"");
    draw_line(svg, c, x, &y, utilization, "stroke=\"#ff7f0e\"");
    draw_line(svg, c, x, &y, efficiency, "stroke=\"#1f77b4\" stroke-width=\"2\"");
    draw_dots(svg, c, x, &y, efficiency);
    clg_svg_label(svg, LEFT, MIDDLE + 10, "start", "percent");
    legend(svg, MIDDLE + 36, "#1f77b4", "stroke-width=\"2\"", "efficiency");
    legend(svg, MIDDLE + 54, "#2ca02c", "stroke-dasharray=\"5 3\"", "1/(1 + comm.)");
    legend(svg, MIDDLE + 72, "#ff7f0e", "", "MFU");
}

void clg_picture_curve(clg_text *svg, const clg_scenario *s, const clg_curve *c) {
    const clg_scale_point *first = NULL, *last = NULL;
    for (int i = 0; i < c->count; i++) {
        if (!c->point[i].runs) continue;
        if (!first) first = &c->point[i];
        last = &c->point[i];
    }
    clg_svg_open(svg, WIDTH, HEIGHT,
                 clg_arena_print(svg->arena, "%s on %s, %s scaling", s->model.title,
                                 s->machine.gpu.title,
                                 clg_name_of(clg_scale_mode_names, (int)c->request.mode)));
    if (!first)
        clg_svg_label(svg, WIDTH / 2.0, HEIGHT / 2.0, "middle", "no size runs");
    else {
        clg_svg_axis x = {(double)first->gpus / 1.1, (double)last->gpus * 1.1, LEFT, WIDTH - RIGHT};
        draw_speed(svg, c, &x, first, last);
        draw_efficiency(svg, c, &x);
        draw_mark(svg, &x, c->dp_cap_gpus, "#d62728", "DP cap", TOP + 12);
        if (c->knee >= 0)
            draw_mark(svg, &x, (double)c->point[c->knee].gpus, "#9467bd", "knee", TOP + 28);
        clg_svg_label(svg, (x.start + x.end) / 2, HEIGHT - 14, "middle",
                      "GPUs (red: past the cap)");
    }
    clg_svg_close(svg);
}
