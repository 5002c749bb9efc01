/* owning_report.c -- see the header. */
#include "report_plan/owning_report.h"

#include "economics/electricity.h"
#include "report/number_words.h"
#include "units/units.h"

#include <math.h>

/* Watts of one GPU with its share of the host. */
static double gpu_with_host_w(const clg_cluster *c) { return c->plan.cluster_w / (double)c->gpus; }

/* Use above which owning is cheaper than renting; above 1: never. */
static double break_even_use(const clg_cluster *c, const clg_operations *o, const clg_owning *own) {
    double power = gpu_with_host_w(c) * o->pue * o->usd_per_joule;
    double margin = c->offer->scenario.price.usd_per_s - power;
    return margin > 0 ? clg_capital_usd_per_s(own) / margin : (double)INFINITY;
}

static const double uses[] = {0.25, 0.5, 0.75, 1};
enum { USES = sizeof uses / sizeof uses[0], LEAST_YEARS = 2, MOST_YEARS = 6 };

/* What the electricity would cost where it is cheapest and dearest. */
static void print_regions(clg_text *t, double watts) {
    double low, high;
    clg_electricity_band(t->arena, &low, &high);
    clg_text_print(t, ", by region %.2f to %.2f)", watts * low * 3600, watts * high * 3600);
}

void clg_report_owning(clg_text *t, const clg_cluster *c, const clg_operations *o,
                       const clg_owning *own) {
    if (own->capex_usd <= 0) return;
    double gpu_w = gpu_with_host_w(c), rent = c->offer->scenario.price.usd_per_s;
    double owned = clg_owned_usd_per_s(o, own, gpu_w);
    double even = break_even_use(c, o, own);
    size_t from = t->size;
    clg_text_print(t, "owned    %.2f USD/GPU-h at %.0f %% use over %s (of it electricity %.2f",
                   owned * 3600, 100 * own->utilization,
                   clg_words_quantity(t, own->life_s, CLG_SECONDS),
                   gpu_w * o->pue * o->usd_per_joule * 3600);
    print_regions(t, gpu_w * o->pue);
    if (rent > 0 && even <= 1)
        clg_text_print(t, "; owning pays above %.0f %% use", 100 * even);
    else if (rent > 0)
        clg_text_print(t, "; renting is cheaper");
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
    clg_text_print(t, "         USD/GPU-h owned, by use:");
    for (int u = 0; u < USES; u++) clg_text_print(t, "%7.0f %%", 100 * uses[u]);
    if (rent > 0) clg_text_print(t, "   (rent %.2f; *: dearer)", rent * 3600);
    clg_text_print(t, "\n");
    for (int years = LEAST_YEARS; years <= MOST_YEARS; years++) {
        clg_text_print(t, "           written off in %d years", years);
        for (int u = 0; u < USES; u++) {
            clg_owning other = *own;
            other.life_s = years * CLG_YEAR_S;
            other.utilization = uses[u];
            double usd = clg_owned_usd_per_s(o, &other, gpu_w);
            clg_text_print(t, "%8.2f%s", usd * 3600, rent > 0 && usd > rent ? "*" : " ");
        }
        clg_text_print(t, "\n");
    }
}

void clg_json_owning(clg_json_writer *w, const clg_cluster *c, const clg_operations *o,
                     const clg_owning *own) {
    double even = break_even_use(c, o, own);
    clg_json_open(w, "owning", '{');
    clg_json_add_number(w, "capex_usd", own->capex_usd);
    clg_json_add_number(w, "life_s", own->life_s);
    clg_json_add_number(w, "utilization", own->utilization);
    clg_json_add_number(w, "residual_share", own->residual_share);
    clg_json_add_number(w, "interest", own->interest);
    clg_json_add_number(w, "usd_per_gpu_h", 3600 * clg_owned_usd_per_s(o, own, gpu_with_host_w(c)));
    clg_json_add_number(w, "break_even_utilization", even <= 1 ? even : (double)NAN);
    clg_json_close(w, '}');
}
