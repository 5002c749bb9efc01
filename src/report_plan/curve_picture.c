/* curve_picture.c -- how far adding GPUs gets you, as a picture. */
#include "report_plan/curve_report.h"

#include "report/svg.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 880, HEIGHT = 800, LEFT = 90, RIGHT = 150, TOP = 66, MIDDLE = 450, BOTTOM = 50 };

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

/* Each curve has its colour; what is read off it has its stroke. */
static const char *color_of(int index) { return clg_svg_color(index == 0 ? 0 : 1); }

enum { CAP_COLOR = CLG_RED, KNEE_COLOR = CLG_PURPLE };

static void draw_line(clg_text *svg, const clg_curve *c, const clg_svg_axis *x,
                      const clg_svg_axis *y, reading of, const char *color, const char *style) {
    bool first = true;
    clg_text_print(svg, "<path fill=\"none\" stroke=\"%s\" %s d=\"", color, style);
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
                      const clg_svg_axis *y, const char *color) {
    bool first = true;
    clg_text_print(svg, "<path fill=\"%s\" fill-opacity=\"0.16\" d=\"", color);
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

/* Hollow past the cap. */
static void draw_dots(clg_text *svg, const clg_curve *c, const clg_svg_axis *x,
                      const clg_svg_axis *y, reading of, const char *color) {
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        char words[160];
        if (!p->runs) continue;
        clg_layout_print(&p->plan.layout, words, sizeof words);
        clg_text_print(svg,
                       "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" stroke=\"%s\" "
                       "stroke-width=\"1.5\"><title>",
                       clg_svg_place(x, (double)p->gpus), clg_svg_place(y, at_least(y, of(p))),
                       p->past_dp_cap ? "white" : color, color);
        clg_svg_escape(svg, words);
        clg_text_print(svg, ", MFU %.1f %%</title></circle>\n", 100 * p->plan.mfu);
    }
}

/* A line through both panels, named in the gap between them; near the right edge to its left. */
static void draw_mark(clg_text *svg, const clg_svg_axis *x, double gpus, const char *color,
                      const char *words, double y) {
    if (gpus < x->low || gpus > x->high) return;
    double at = clg_svg_place(x, gpus);
    bool left = at > x->end - 80;
    clg_text_print(svg, "<path d=\"M%.1f %dV%d\" stroke=\"%s\" stroke-dasharray=\"6 4\"/>\n", at,
                   TOP, HEIGHT - BOTTOM, color);
    clg_text_print(svg, "<g fill=\"%s\">", color);
    clg_svg_label(svg, left ? at - 5 : at + 5, y, left ? "end" : "start", words);
    clg_text_print(svg, "</g>\n");
}

/* The cap by the laws' band, from the lowest to the highest. In growth it moves with the model:
 * then only the dots say it. */
static void draw_cap(clg_text *svg, const clg_svg_axis *x, const clg_curve *c) {
    if (c->request.mode == CLG_GROW) return;
    double low = at_least(x, c->dp_cap_low_gpus), high = at_least(x, c->dp_cap_high_gpus);
    if (low < high)
        clg_svg_rectangle(svg, clg_svg_place(x, low), TOP,
                          clg_svg_place(x, high) - clg_svg_place(x, low), HEIGHT - BOTTOM - TOP,
                          clg_svg_color(CAP_COLOR), 0.08, NULL);
    draw_mark(svg, x, c->dp_cap_gpus, clg_svg_color(CAP_COLOR), "DP cap", MIDDLE - 18);
}

static void legend(clg_text *svg, double y, const char *color, const char *style,
                   const char *words) {
    clg_text_print(svg, "<path d=\"M%d %.1fh22\" stroke=\"%s\" %s/>\n", WIDTH - RIGHT + 12, y - 4,
                   color, style);
    clg_svg_label(svg, WIDTH - RIGHT + 40, y, "start", words);
}

static const char *const SOLID = "stroke-width=\"2.2\"";
static const char *const DASHED = "stroke-width=\"1.4\" stroke-dasharray=\"6 4\"";
static const char *const DOTTED = "stroke-width=\"1.6\" stroke-dasharray=\"1.5 4\"";

/* The curves of a picture, one or two, and what they share. */
typedef struct picture {
    const clg_drawn *drawn[2];
    int count;
    clg_svg_axis x;
} picture;

static const clg_scale_point *end_of(const clg_curve *c, bool last) {
    const clg_scale_point *found = NULL;
    for (int i = 0; i < c->count; i++)
        if (c->point[i].runs && (last || !found)) found = &c->point[i];
    return found;
}

static double ideal(const clg_scale_point *first, double gpus) {
    return first->plan.tokens_per_s_per_gpu * gpus;
}

static clg_svg_axis speed_axis(const picture *p) {
    clg_svg_axis y = {INFINITY, 0, MIDDLE - 50, TOP, 1};
    for (int i = 0; i < p->count; i++) {
        const clg_scale_point *first = end_of(p->drawn[i]->curve, false),
                              *last = end_of(p->drawn[i]->curve, true);
        if (!first) continue;
        y.low = fmin(y.low, fmin(slow(first), slow(last)) / 1.3);
        y.high = fmax(y.high, fast(last) * 1.2);
        if (p->drawn[i]->curve->request.mode != CLG_GROW)
            y.high = fmax(y.high, ideal(first, (double)last->gpus) * 1.2);
    }
    return y;
}

static void draw_speed(clg_text *svg, const picture *p) {
    clg_svg_axis y = speed_axis(p);
    clg_svg_frame(svg, &p->x, &y, 2, CLG_COUNT, 10, CLG_COUNT);
    for (int i = 0; i < p->count; i++) {
        const clg_curve *c = p->drawn[i]->curve;
        const clg_scale_point *first = end_of(c, false), *last = end_of(c, true);
        if (!first) continue;
        if (c->request.mode != CLG_GROW)
            clg_text_print(svg, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#999\"/>\n",
                           clg_svg_place(&p->x, (double)first->gpus),
                           clg_svg_place(&y, ideal(first, (double)first->gpus)),
                           clg_svg_place(&p->x, (double)last->gpus),
                           clg_svg_place(&y, ideal(first, (double)last->gpus)));
        draw_band(svg, c, &p->x, &y, color_of(i));
        draw_line(svg, c, &p->x, &y, tokens_per_s, color_of(i), SOLID);
        draw_dots(svg, c, &p->x, &y, tokens_per_s, color_of(i));
    }
    clg_svg_label(svg, WIDTH - RIGHT + 12, TOP + 6, "start", "tokens per second");
    legend(svg, TOP + 28, "#555", SOLID, "best plan");
    legend(svg, TOP + 46, "#555", "stroke-opacity=\"0.2\" stroke-width=\"10\"", "P10 to P90");
    legend(svg, TOP + 64, "#999", "", "ideal");
}

static double least_percent(const picture *p) {
    double low = 100;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->drawn[i]->curve->count; k++) {
            const clg_scale_point *at = &p->drawn[i]->curve->point[k];
            if (at->runs) low = fmin(low, fmin(efficiency(at), utilization(at)));
        }
    return low;
}

static void draw_efficiency(clg_text *svg, const picture *p) {
    clg_svg_axis y = {.low = fmax(1, least_percent(p) / 1.3),
                      .high = 130,
                      .start = HEIGHT - BOTTOM,
                      .end = MIDDLE + 20,
                      .anchor = 100};
    clg_svg_frame(svg, &p->x, &y, 2, CLG_COUNT, 2, CLG_COUNT);
    for (int i = 0; i < p->count; i++) {
        const clg_curve *c = p->drawn[i]->curve;
        draw_line(svg, c, &p->x, &y, bound, color_of(i), DASHED);
        draw_line(svg, c, &p->x, &y, utilization, color_of(i), DOTTED);
        draw_line(svg, c, &p->x, &y, efficiency, color_of(i), SOLID);
        draw_dots(svg, c, &p->x, &y, efficiency, color_of(i));
    }
    clg_svg_label(svg, WIDTH - RIGHT + 12, MIDDLE + 26, "start", "percent");
    legend(svg, MIDDLE + 48, "#555", SOLID, "efficiency");
    legend(svg, MIDDLE + 66, "#555", DASHED, "1/(1 + comm.)");
    legend(svg, MIDDLE + 84, "#555", DOTTED, "MFU");
}

/* Under the title, one after the other; a letter is about 6.2 pixels wide at this size. */
static void draw_names(clg_text *svg, const picture *p) {
    double at = LEFT;
    for (int i = 0; i < p->count && p->drawn[i]->label; i++) {
        clg_text_print(svg, "<path d=\"M%.1f 44h22\" stroke=\"%s\" stroke-width=\"4\"/>\n", at,
                       color_of(i));
        clg_svg_label(svg, at + 28, 48, "start", p->drawn[i]->label);
        at += 28 + 6.2 * (double)strlen(p->drawn[i]->label) + 30;
    }
}

static void draw_marks(clg_text *svg, const picture *p) {
    draw_cap(svg, &p->x, p->drawn[0]->curve);
    for (int i = 0; i < p->count; i++) {
        const clg_curve *c = p->drawn[i]->curve;
        if (c->knee < 0) continue;
        draw_mark(svg, &p->x, (double)c->point[c->knee].gpus,
                  p->count == 1 ? clg_svg_color(KNEE_COLOR) : color_of(i), "knee",
                  MIDDLE - 4 + 14 * i);
    }
}

static const char *regime_of(const clg_drawn *one, const clg_drawn *beside) {
    static const char *const words[] = {"strong scaling", "weak scaling", "grown with the cluster"};
    return beside && strcmp(beside->key, "weak") == 0 ? "strong and weak scaling"
                                                      : words[one->curve->request.mode];
}

static const char *title_of(clg_text *svg, const clg_drawn *one, const clg_drawn *beside) {
    const clg_scenario *s = one->scenario;
    if (beside && strcmp(beside->key, "against") == 0)
        return clg_arena_print(svg->arena, "%s, %s", s->model.title, regime_of(one, beside));
    return clg_arena_print(svg->arena, "%s on %s, %s", s->model.title, s->machine.gpu.title,
                           regime_of(one, beside));
}

/* From the first size that runs in either curve to the last. */
static bool span_of(picture *p) {
    p->x = (clg_svg_axis){INFINITY, 0, LEFT, WIDTH - RIGHT, 1};
    for (int i = 0; i < p->count; i++) {
        const clg_scale_point *first = end_of(p->drawn[i]->curve, false),
                              *last = end_of(p->drawn[i]->curve, true);
        if (!first) continue;
        p->x.low = fmin(p->x.low, (double)first->gpus / 1.1);
        p->x.high = fmax(p->x.high, (double)last->gpus * 1.1);
    }
    return p->x.high > 0;
}

void clg_picture_curve(clg_text *svg, const clg_drawn *one, const clg_drawn *beside) {
    picture p = {.drawn = {one, beside}, .count = beside ? 2 : 1};
    clg_svg_open(svg, WIDTH, HEIGHT, title_of(svg, one, beside));
    if (!span_of(&p))
        clg_svg_label(svg, WIDTH / 2.0, HEIGHT / 2.0, "middle", "no size runs");
    else {
        draw_names(svg, &p);
        draw_speed(svg, &p);
        draw_efficiency(svg, &p);
        draw_marks(svg, &p);
        clg_svg_label(svg, (p.x.start + p.x.end) / 2, HEIGHT - 12, "middle",
                      "GPUs (hollow: past the DP cap)");
    }
    clg_svg_close(svg);
}
