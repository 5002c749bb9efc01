/* portfolio_picture.c -- how full clusters of several sizes are, and each GPU that is added. */
#include "report_serving/portfolio_report.h"

#include "report/number_words.h"
#include "report/svg.h"

#include <math.h>

enum { WIDTH = 880, HEIGHT = 460, LEFT = 90, RIGHT = 210, TOP = 66, BOTTOM = 60 };

/* Shares below it are drawn at it: the axis is logarithmic. */
static const double LEAST = 0.01;

typedef double reading(const clg_portfolio_point *point);

static double taken(const clg_portfolio_point *p) { return p->utilization; }
static double useful(const clg_portfolio_point *p) { return p->useful_share; }
static double marginal(const clg_portfolio_point *p) { return p->marginal_fill; }

static const struct {
    reading *of;
    const char *words;
    int color;
} lines[] = {{taken, "taken", CLG_BLUE},
             {useful, "useful", CLG_GREEN},
             {marginal, "of those added", CLG_ORANGE}};

static void draw_line(clg_text *svg, const clg_portfolio *p, int row, const clg_svg_axis *x,
                      const clg_svg_axis *y) {
    const char *color = clg_svg_color(lines[row].color);
    for (int i = 0; i < p->points; i++) {
        double share = lines[row].of(&p->point[i]), at = clg_svg_place(y, fmax(LEAST, share));
        double from = clg_svg_place(x, (double)p->point[i > 0 ? i - 1 : i].gpus);
        double before = i > 0 ? fmax(LEAST, lines[row].of(&p->point[i - 1])) : fmax(LEAST, share);
        double here = clg_svg_place(x, (double)p->point[i].gpus);
        clg_text_print(svg,
                       "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"2.2\"/>\n",
                       from, clg_svg_place(y, before), here, at, color);
        clg_text_print(
            svg,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>%lld GPUs: %.1f %% "
            "%s</title></circle>\n",
            here, at, i == p->knee ? clg_svg_color(CLG_RED) : color, (long long)p->point[i].gpus,
            100 * share, lines[row].words);
    }
    clg_svg_label(svg, WIDTH - RIGHT + 40, TOP + 26 + 20 * row, "start", lines[row].words);
    clg_text_print(svg, "<path d=\"M%d %dh22\" stroke=\"%s\" stroke-width=\"2.2\"/>\n",
                   WIDTH - RIGHT + 12, TOP + 22 + 20 * row, color);
}

void clg_picture_portfolio(clg_text *svg, const clg_portfolio_shown *s) {
    const clg_portfolio *p = s->portfolio;
    clg_svg_axis x = {(double)p->point[0].gpus / 1.2, (double)p->point[p->points - 1].gpus * 1.2,
                      LEFT, WIDTH - RIGHT, 1};
    clg_svg_axis y = {LEAST, 1.1, HEIGHT - BOTTOM, TOP, 1};
    clg_svg_open(svg, WIDTH, HEIGHT,
                 "Share of paid GPU time that jobs take, by size of the cluster");
    clg_svg_label(svg, LEFT, 44, "start",
                  clg_arena_print(svg->arena, "%d jobs on %s; red: the knee", s->jobs->count,
                                  s->scenario->machine.gpu.title));
    clg_svg_frame(svg, &x, &y, 2, CLG_COUNT, 2, CLG_FRACTION);
    for (int row = 0; row < (int)(sizeof lines / sizeof lines[0]); row++)
        draw_line(svg, p, row, &x, &y);
    clg_svg_label(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle", "GPUs");
    clg_svg_close(svg);
}
