/* fleet_growth_report.c -- when the next nodes of a fleet are due. */
#include "report_serving/fleet_growth_report.h"

#include "report/number_words.h"

enum { SHOWN = 3 };
static const int shown_month[SHOWN] = {3, 6, 12};

static double growth_of(const clg_joint *j, int model) { return j->model[model].question->growth; }

static bool grow_alike(const clg_joint *j) {
    for (int i = 1; i < j->models; i++)
        if (growth_of(j, i) != growth_of(j, 0)) return false;
    return true;
}

/* "+10 % a month", "chat +10 %, code +5 % a month". */
static void print_rates(clg_text *t, const clg_joint *j) {
    int seen = 0;
    for (int i = 0; i < j->models; i++) {
        double growth = growth_of(j, i);
        if (growth == 0.0 || (seen > 0 && grow_alike(j))) continue;
        clg_text_print(t, "%s", seen++ ? ", " : "");
        if (!grow_alike(j)) clg_text_print(t, "%.40s ", j->model[i].name);
        clg_text_print(t, "%+.3g %%", 100 * growth);
    }
    clg_text_print(t, " a month");
}

/* "4 nodes are due in 2 months, 5 in 6". */
static void print_due(clg_text *t, const clg_joint *j, const clg_joint_growth *g) {
    int64_t most = j->stage[j->taken].nodes;
    int seen = 0;
    for (int i = 0; i < CLG_JOINT_MONTHS; i++) {
        int64_t nodes = g->month[i].nodes;
        if (nodes > 0 && nodes <= most) continue;
        const char *count = nodes > 0 ? clg_words_count(t, nodes) : "more than are packed";
        clg_text_print(t, seen ? ", %s in %d" : "%s nodes are due in %d", count, i + 1);
        if (!seen++) clg_text_print(t, " month%s", i == 0 ? "" : "s");
        most = nodes;
        if (nodes == 0) break;
    }
    if (seen == 0)
        clg_text_print(t, "%s node%s %s for %d months", clg_words_count(t, most),
                       most == 1 ? "" : "s", most == 1 ? "does" : "do", CLG_JOINT_MONTHS);
}

static bool changes(const clg_joint *j, const clg_joint_growth *g, int model) {
    for (int k = 0; k < SHOWN; k++)
        if (g->month[shown_month[k] - 1].replicas[model] != j->model[model].replicas) return true;
    return false;
}

/* Of the models that take more or fewer. */
static void print_replicas(clg_text *t, const clg_joint *j, const clg_joint_growth *g) {
    size_t from = t->size;
    int seen = 0;
    for (int i = 0; i < j->models; i++) {
        if (!changes(j, g, i)) continue;
        clg_text_print(t, "%s %.40s",
                       seen++ ? ";" : "         replicas in 3, 6 and 12 months:", j->model[i].name);
        for (int k = 0; k < SHOWN; k++)
            clg_text_print(t, "%s %s", k ? "," : "",
                           clg_words_count(t, g->month[shown_month[k] - 1].replicas[i]));
    }
    if (seen > 0) clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

static void print_order(clg_text *t, const clg_joint *j, const clg_joint_growth *g) {
    int64_t now = j->stage[j->taken].nodes, more = g->lead.nodes - now;
    if (g->lead_s <= 0 || g->lead.nodes == 0) return;
    clg_text_print(t, "order    in %s demand takes %s node%s: order %s today\n",
                   clg_words_quantity(t, g->lead_s, CLG_SECONDS), clg_words_count(t, g->lead.nodes),
                   g->lead.nodes == 1 ? "" : "s", more > 0 ? clg_words_count(t, more) : "none");
}

void clg_report_fleet_growth(clg_text *t, const clg_joint *j, const clg_joint_growth *g) {
    size_t from = t->size;
    if (!g->known) return;
    clg_text_print(t, "growth   ");
    print_rates(t, j);
    clg_text_print(t, ", packed anew: ");
    print_due(t, j, g);
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
    print_replicas(t, j, g);
    print_order(t, j, g);
}

static void add_then(clg_json_writer *w, const clg_joint *j, const clg_joint_then *then) {
    if (then->nodes > 0)
        clg_json_add_integer(w, "nodes", then->nodes);
    else
        clg_json_add_null(w, "nodes");
    clg_json_open(w, "replicas", '[');
    for (int i = 0; i < j->models; i++) clg_json_add_integer(w, NULL, then->replicas[i]);
    clg_json_close(w, ']');
}

void clg_json_fleet_growth(clg_json_writer *w, const clg_joint *j, const clg_joint_growth *g) {
    if (!g->known) return;
    clg_json_open(w, "growth", '[');
    for (int i = 0; i < CLG_JOINT_MONTHS; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_integer(w, "month", i + 1);
        add_then(w, j, &g->month[i]);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    if (g->lead_s <= 0) return;
    clg_json_open(w, "lead", '{');
    clg_json_add_number(w, "seconds", g->lead_s);
    add_then(w, j, &g->lead);
    clg_json_close(w, '}');
}
