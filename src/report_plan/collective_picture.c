/* collective_picture.c -- bus bandwidth of collectives over the ranks that take part. */
#include "report_plan/collective_report.h"

#include "report/number_words.h"
#include "report/svg.h"

#include <math.h>

enum { WIDTH = 880, HEIGHT = 460, LEFT = 90, RIGHT = 250, TOP = 66, BOTTOM = 60 };

/* Reduce-scatter and all-gather take the same time: dashes let the line below show. */
static const char *dashes(int row) { return row % 3 == 2 ? "9 9" : "none"; }

static bool begins(const clg_sweep *s, int i) {
    const clg_sweep_point *p = &s->point[i];
    return i == 0 || p->collective != p[-1].collective || p->bytes != p[-1].bytes;
}

static void axes(const clg_sweep *s, clg_svg_axis *x, clg_svg_axis *y) {
    *x = (clg_svg_axis){INFINITY, 0, LEFT, WIDTH - RIGHT, 1};
    *y = (clg_svg_axis){INFINITY, 0, HEIGHT - BOTTOM, TOP, 1e9};
    for (int i = 0; i < s->count; i++) {
        x->low = fmin(x->low, s->point[i].ranks / 1.1);
        x->high = fmax(x->high, s->point[i].ranks * 1.1);
        y->low = fmin(y->low, s->point[i].bus_bytes_per_s / 1.3);
        y->high = fmax(y->high, s->point[i].bus_bytes_per_s * 1.3);
    }
}

static void draw_line(clg_text *svg, const clg_sweep *s, int from, const clg_svg_axis *x,
                      const clg_svg_axis *y, int row) {
    clg_text_print(svg,
                   "<path fill=\"none\" stroke-width=\"2.2\" stroke=\"%s\" "
                   "stroke-dasharray=\"%s\" d=\"",
                   clg_svg_color(row), dashes(row));
    for (int i = from; i < s->count && (i == from || !begins(s, i)); i++)
        clg_text_print(svg, "%s%.1f %.1f", i == from ? "M" : "L",
                       clg_svg_place(x, s->point[i].ranks),
                       clg_svg_place(y, s->point[i].bus_bytes_per_s));
    clg_text_print(svg, "\"/>\n");
}

static void draw_dots(clg_text *svg, const clg_sweep *s, int from, const clg_svg_axis *x,
                      const clg_svg_axis *y, int row) {
    for (int i = from; i < s->count && (i == from || !begins(s, i)); i++) {
        const clg_sweep_point *p = &s->point[i];
        clg_text_print(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>",
                       clg_svg_place(x, p->ranks), clg_svg_place(y, p->bus_bytes_per_s),
                       clg_svg_color(row));
        clg_text_print(svg, "%d GPUs: %s, %s, %s</title></circle>\n", p->ranks,
                       clg_words_quantity(svg, p->bus_bytes_per_s, CLG_BYTES_PER_S),
                       clg_words_quantity(svg, p->seconds, CLG_SECONDS), p->algorithm->name);
    }
}

static void legend(clg_text *svg, const clg_sweep_point *p, int row) {
    int y = TOP + 40 + 20 * row;
    clg_text_print(svg,
                   "<path d=\"M%d %dh22\" stroke=\"%s\" stroke-width=\"2.2\" "
                   "stroke-dasharray=\"%s\"/>\n",
                   WIDTH - RIGHT + 12, y - 4, clg_svg_color(row), dashes(row));
    clg_svg_label(svg, WIDTH - RIGHT + 40, y, "start",
                  clg_arena_print(svg->arena, "%s, %.4g MiB",
                                  clg_name_of(clg_collective_names, (int)p->collective),
                                  p->bytes / 1048576));
}

void clg_picture_sweep(clg_text *svg, const clg_sweep *s) {
    clg_svg_axis x, y;
    int row = 0;
    axes(s, &x, &y);
    clg_svg_open(svg, WIDTH, HEIGHT, "Bus bandwidth of collectives over GPUs");
    clg_svg_label(svg, 80, 44, "start",
                  clg_arena_print(svg->arena, "%s over %s; other jobs' traffic not modelled",
                                  s->machine->gpu.title, s->machine->fabric.title));
    clg_svg_frame(svg, &x, &y, 2, CLG_COUNT, 2, CLG_BYTES_PER_S);
    for (int i = 0; i < s->count; i++) {
        if (!begins(s, i)) continue;
        draw_line(svg, s, i, &x, &y, row);
        draw_dots(svg, s, i, &x, &y, row);
        legend(svg, &s->point[i], row++);
    }
    clg_svg_label(svg, WIDTH - RIGHT + 12, TOP + 6, "start", "bus bandwidth per GPU");
    clg_svg_label(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle", "GPUs");
    clg_svg_close(svg);
}
