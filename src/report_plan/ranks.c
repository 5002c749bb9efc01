/* ranks.c -- what stages hold, whom groups of ranks talk to, tensor parallelism at every width. */
#include "report_plan/plan_text.h"

#include "explain/widths.h"
#include "report/number_words.h"

#include <math.h>
#include <string.h>

void clg_report_stages(clg_text *t, const clg_evaluation *e) {
    if (!e->stages || e->layout.pp == 1) return;
    clg_text_print(t,
                   "\nstage  layers  busy        alive  weights   states  activations     total\n");
    for (int i = 0; i < e->layout.pp; i++) {
        const clg_stage_report *s = &e->stages[i];
        /* Long pipelines: the ends and every stage that differs from the one above it. */
        bool same = i > 0 && i + 1 < e->layout.pp && s->layers == e->stages[i - 1].layers &&
                    fabs(s->memory.total_bytes / e->stages[i - 1].memory.total_bytes - 1) < 0.02;
        if (same && e->layout.pp > 16 && i % 8 != 0) continue;
        clg_text_print(t, "%5d  %6d  %-10s  %5.1f  %7.1f  %7.1f  %11.1f  %6.1f GB\n", i, s->layers,
                       clg_words_quantity(t, s->busy_s, CLG_SECONDS), s->alive,
                       s->memory.weights_bytes / 1e9,
                       (s->memory.gradients_bytes + s->memory.optimizer_bytes) / 1e9,
                       s->memory.activations_bytes / 1e9, s->memory.total_bytes / 1e9);
    }
}

static const char *fast_link(const clg_scenario *s) {
    if (s->machine.node.link_bytes_per_s <= 0) return "PCIe";
    return strcmp(s->machine.gpu.vendor, "amd") == 0 ? "xGMI" : "NVLink";
}

/* The link that limits a group: the fabric, or those inside of a node whose NICs together are the
 * faster. */
static const char *link_of(clg_text *t, const clg_scenario *s, const clg_group_row *row) {
    if (!row->fast_link_limits) return s->machine.fabric.title;
    bool inside = row->group.per_domain >= row->group.ranks;
    return inside ? fast_link(s) : clg_arena_print(t->arena, "%s of the nodes", fast_link(s));
}

static const char *seconds_or_none(clg_text *t, double seconds) {
    return seconds > 0 ? clg_words_quantity(t, seconds, CLG_SECONDS) : "-";
}

void clg_report_groups(clg_text *t, const clg_scenario *s, const clg_evaluation *e) {
    clg_group_row rows[CLG_GROUP_ROWS];
    int count = clg_group_rows(t->arena, s, e, rows);
    if (count == 0) return;
    clg_text_print(t, "\ngroups and the link that limits each (bus bandwidth of 64 MiB, as "
                      "nccl-tests)\n                       ranks  domains  together         bus  "
                      "exposed   limit\n");
    for (int i = 0; i < count; i++) {
        clg_text_print(t, "  ");
        clg_text_pad(t, rows[i].name, 19, false);
        clg_text_print(t, "  %5d  %7d  %8d  ", rows[i].group.ranks,
                       clg_group_domains(rows[i].group), rows[i].group.per_domain);
        clg_text_pad(t, clg_words_quantity(t, rows[i].bus_bytes_per_s, CLG_BYTES_PER_S), 10, true);
        clg_text_print(t, "  ");
        clg_text_pad(t, seconds_or_none(t, rows[i].exposed_s), 7, true);
        clg_text_print(t, "   %.32s\n", link_of(t, s, &rows[i]));
    }
}

void clg_report_widths(clg_text *t, const clg_scenario *s, const clg_evaluation *e) {
    clg_width widths[CLG_WIDTHS];
    int count = clg_rank_widths(t->arena, s, &e->layout, widths);
    if (count < 2) return;
    clg_text_print(t, "\ntensor parallel narrower and wider, the rest as it is\n"
                      "     tp  domains         bus  exposed      step\n");
    for (int i = 0; i < count; i++) {
        const clg_width *w = &widths[i];
        bool outside =
            i > 0 && clg_group_domains(w->group) > 1 && clg_group_domains(widths[i - 1].group) == 1;
        clg_text_print(t, "  %c %3d  %7d  ", w->plan.layout.tp == e->layout.tp ? '>' : ' ',
                       w->plan.layout.tp, clg_group_domains(w->group));
        clg_text_pad(
            t, w->group.ranks > 1 ? clg_words_quantity(t, w->bus_bytes_per_s, CLG_BYTES_PER_S) : "",
            10, true);
        clg_text_print(t, "  ");
        clg_text_pad(t, seconds_or_none(t, w->plan.time.tp_exposed_s), 7, true);
        clg_text_print(t, "  ");
        clg_text_pad(t, clg_words_quantity(t, w->plan.step_s, CLG_SECONDS), 8, true);
        if (!w->plan.fits)
            clg_text_print(t, "  does not fit: %s", clg_words_gb(t, w->plan.memory.total_bytes));
        clg_text_print(t, "%s\n", outside ? "  <- leaves the fast links" : "");
    }
}
