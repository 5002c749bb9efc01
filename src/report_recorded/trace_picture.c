/* trace_picture.c -- a job as stacked bars, one a rank, and beside them who let others wait. */
#include "report_recorded/trace_report.h"

#include "report/number_words.h"
#include "report/svg.h"
enum {
    LEFT = 70,
    LEGEND = 135,
    MIDDLE = 470,
    GAP = 40,
    RIGHT = 830,
    WIDTH = 860,
    TOP = 70,
    MOST = 512
};

static const struct {
    const char *name;
    int color;
} parts[] = {{"compute", CLG_GREEN},
             {"exposed transfer", CLG_BLUE},
             {"exposed waiting", CLG_RED},
             {"exposed copies", CLG_PURPLE},
             {"idle", CLG_PALE}};
enum { PARTS = sizeof parts / sizeof parts[0] };

typedef struct drawing {
    clg_text *svg;
    const clg_recorded_job *job;
    int64_t longest_ns, worst_ns;
    double row;
} drawing;

static void bar(drawing *d, double from, double to, double y, const char *color,
                const char *title) {
    if (to <= from) return;
    double height = d->row > 4 ? d->row - 2 : d->row;
    clg_svg_rectangle(d->svg, from, y, to - from, height, color, 1, title);
}

static void draw_rank(drawing *d, int index) {
    const clg_trace *t = &d->job->traces[index];
    const clg_ledger *l = &t->ledger;
    int64_t waiting_ns = d->job->waiting_ns[index] > 0 ? d->job->waiting_ns[index] : 0;
    const int64_t ns[PARTS] = {l->compute_ns, l->exposed_communication_ns - waiting_ns, waiting_ns,
                               l->exposed_copy_ns, l->idle_ns};
    double y = TOP + d->row * index, scale = (MIDDLE - LEFT) / (double)d->longest_ns;
    int64_t so_far_ns = 0;
    for (int i = 0; i < PARTS; i++) {
        bar(d, LEFT + (double)so_far_ns * scale, LEFT + (double)(so_far_ns + ns[i]) * scale, y,
            clg_svg_color(parts[i].color),
            clg_arena_print(d->svg->arena, "%s %s", parts[i].name, clg_words_ns(d->svg, ns[i])));
        so_far_ns += ns[i];
    }
    if (d->row >= 10 || index % (int)(14 / d->row + 1) == 0)
        clg_svg_label(d->svg, LEFT - 8, y + d->row / 2 + 3, "end",
                      t->rank >= 0 ? clg_arena_print(d->svg->arena, "rank %d", t->rank) : "?");
}

static void draw_straggler(drawing *d, const clg_straggler *s) {
    if (s->trace >= MOST || d->worst_ns <= 0) return;
    double y = TOP + d->row * s->trace, left = MIDDLE + GAP;
    double width = (RIGHT - left - 90) * (double)s->caused_wait_ns / (double)d->worst_ns;
    const char *label =
        clg_arena_print(d->svg->arena, "%s, last %lld x", clg_words_ns(d->svg, s->caused_wait_ns),
                        (long long)s->last_arrivals);
    bar(d, left, left + width, y, clg_svg_color(CLG_ORANGE), label);
    if (d->row >= 10) clg_svg_label(d->svg, left + width + 4, y + d->row / 2 + 3, "start", label);
}

static void draw_legend(drawing *d) {
    for (int i = 0; i < PARTS; i++) {
        clg_svg_rectangle(d->svg, LEFT + i * LEGEND, 36, 10, 10, clg_svg_color(parts[i].color), 1,
                          NULL);
        clg_svg_label(d->svg, LEFT + i * LEGEND + 14, 45, "start", parts[i].name);
    }
    clg_svg_label(d->svg, LEFT, TOP - 8, "start",
                  clg_arena_print(d->svg->arena, "time of each rank, up to %s",
                                  clg_words_ns(d->svg, d->longest_ns)));
    clg_svg_label(d->svg, MIDDLE + GAP, TOP - 8, "start", "time others waited for this rank");
}

/* Ticks at 1, 2 or 5 times a power of ten, five at most beside the one at 0. */
static void draw_axis(drawing *d, double y) {
    enum { MOST_TICKS = 5 };
    static const int64_t widen[] = {2, 5, 10};
    int64_t power_ns = 1, step_ns = 1;
    for (int i = 0; d->longest_ns / step_ns > MOST_TICKS; i++) {
        step_ns = power_ns * widen[i % 3];
        if (i % 3 == 2) power_ns = step_ns;
    }
    for (int64_t tick = 0; tick <= d->longest_ns / step_ns; tick++) {
        int64_t at_ns = tick * step_ns;
        double x = LEFT + (MIDDLE - LEFT) * ((double)at_ns / (double)d->longest_ns);
        clg_svg_rectangle(d->svg, x, y, 1, 4, "#888", 1, NULL);
        clg_svg_label(d->svg, x, y + 16, "middle", at_ns > 0 ? clg_words_ns(d->svg, at_ns) : "0 s");
    }
}

void clg_picture_trace(clg_text *svg, const clg_recorded_job *job) {
    drawing d = {.svg = svg, .job = job, .longest_ns = 1};
    int rows = job->count < MOST ? job->count : MOST;
    d.row = rows <= 40 ? 16 : 640.0 / rows;
    for (int i = 0; i < rows; i++)
        if (job->traces[i].ledger.span_ns > d.longest_ns)
            d.longest_ns = job->traces[i].ledger.span_ns;
    for (int i = 0; i < job->straggler_count; i++)
        if (job->stragglers[i].caused_wait_ns > d.worst_ns)
            d.worst_ns = job->stragglers[i].caused_wait_ns;
    clg_svg_open(svg, WIDTH, TOP + (int)(d.row * rows) + 30,
                 rows < job->count ? "Where the time went: the first 512 ranks"
                                   : "Where the time went");
    draw_legend(&d);
    for (int i = 0; i < rows; i++) draw_rank(&d, i);
    draw_axis(&d, TOP + d.row * rows + 2);
    for (int i = 0; i < job->straggler_count; i++) draw_straggler(&d, &job->stragglers[i]);
    clg_svg_close(svg);
}
