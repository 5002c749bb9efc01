/* cluster_rows.c -- clusters as a table for programs, and time against rent as a picture. */
#include "report_plan/cluster_report.h"

#include "report/number_words.h"
#include "report/svg.h"

#include <math.h>

void clg_report_cluster_rows(clg_text *t, const clg_clusters *all) {
    clg_text_print(t,
                   "gpu,gpus,layout,seconds,seconds_p90,usd,usd_per_gpu_h,power_w,energy_j,step_s,"
                   "mfu,memory_bytes,goodput,meets,past_knee,on_front,best\n");
    for (int i = 0; i < all->count; i++) {
        const clg_cluster *c = &all->cluster[i];
        char words[160];
        clg_layout_print(&c->plan.layout, words, sizeof words);
        clg_text_print(t, "%s,%lld,%s,%.9g,%.9g,", c->offer->scenario.machine.gpu.name,
                       (long long)c->gpus, words, c->seconds, c->seconds * c->late);
        if (c->usd > 0)
            clg_text_print(t, "%.9g,%.6g", c->usd, c->offer->scenario.price.usd_per_s * 3600);
        else
            clg_text_print(t, ",");
        clg_text_print(t, ",%.6g,%.6g,%.9g,%.6g,%.9g,%.6g,%d,%d,%d,%d\n", c->power_w, c->joules,
                       c->plan.step_s, c->plan.mfu, c->plan.memory.total_bytes, c->goodput.share,
                       c->meets, c->past_knee, c->on_front, i == all->best);
    }
}

enum { WIDTH = 880, HEIGHT = 520, LEFT = 90, RIGHT = 210, TOP = 66, BOTTOM = 60, COLORS = 12 };

static bool is_drawn(const clg_cluster *c) { return c->usd > 0 && c->seconds > 0; }

static double days(const clg_cluster *c) { return c->seconds / 86400; }

/* False: there are no prices to draw. */
static bool axes(const clg_clusters *all, clg_svg_axis *x, clg_svg_axis *y) {
    *x = (clg_svg_axis){INFINITY, 0, LEFT, WIDTH - RIGHT, 1};
    *y = (clg_svg_axis){INFINITY, 0, HEIGHT - BOTTOM, TOP, 1e6};
    for (int i = 0; i < all->count; i++) {
        const clg_cluster *c = &all->cluster[i];
        if (!is_drawn(c)) continue;
        x->low = fmin(x->low, days(c) / 1.1);
        x->high = fmax(x->high, days(c) * 1.1);
        y->low = fmin(y->low, c->usd / 1.1);
        y->high = fmax(y->high, c->usd * 1.1);
    }
    return x->low < x->high;
}

/* Clusters of one offer, most GPUs first; a point says its size. */
static void draw_kind(clg_text *svg, const clg_clusters *all, const clg_offer *offer,
                      const clg_svg_axis *x, const clg_svg_axis *y, int row) {
    const char *color = clg_svg_color(row % COLORS);
    int label_y = TOP + 26 + 18 * row;
    for (int i = 0; i < all->count; i++) {
        const clg_cluster *c = &all->cluster[i];
        if (c->offer != offer || !is_drawn(c)) continue;
        clg_text_print(svg,
                       "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" stroke=\"%s\" "
                       "stroke-width=\"1.5\"><title>",
                       clg_svg_place(x, days(c)), clg_svg_place(y, c->usd), i == all->best ? 8 : 4,
                       c->meets ? color : "white", color);
        clg_text_print(svg, "%lld x %s: %s, %s</title></circle>\n", (long long)c->gpus,
                       offer->scenario.machine.gpu.name,
                       clg_words_quantity(svg, c->seconds, CLG_SECONDS),
                       clg_words_quantity(svg, c->usd, CLG_USD));
    }
    clg_text_print(svg, "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/>\n", WIDTH - RIGHT + 20,
                   label_y - 4, color);
    clg_svg_label(svg, WIDTH - RIGHT + 32, label_y, "start", offer->scenario.machine.gpu.name);
}

static bool is_first(const clg_clusters *all, int i) {
    for (int k = 0; k < i; k++)
        if (all->cluster[k].offer == all->cluster[i].offer) return false;
    return true;
}

void clg_picture_clusters(clg_text *svg, const clg_clusters *all) {
    clg_svg_axis x, y;
    int row = 0;
    clg_svg_open(svg, WIDTH, HEIGHT, "Rent of a run against its time, by kind and number of GPUs");
    clg_svg_label(svg, LEFT, 44, "start",
                  "large: taken; hollow: misses a limit; a point is a cluster");
    if (axes(all, &x, &y)) {
        clg_svg_frame(svg, &x, &y, 4, CLG_COUNT, 2, CLG_USD);
        for (int i = 0; i < all->count; i++)
            if (is_first(all, i)) draw_kind(svg, all, all->cluster[i].offer, &x, &y, row++);
        clg_svg_label(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle",
                      "days, losses included");
    } else {
        clg_svg_label(svg, LEFT, HEIGHT / 2.0, "start", "no cluster with a price runs");
    }
    clg_svg_close(svg);
}
