/* placing_report.c -- see the header. */
#include "report_serving/placing_report.h"

#include "report/number_words.h"
#include "report_serving/demand_parts.h"

#include <math.h>

static int64_t own_gpus(const clg_place_option *o) {
    return o->alone.answer->fleet.replicas * clg_replica_gpus(o->alone.question->replica);
}

static const char *per_hour(clg_text *t, double usd_per_s) {
    return clg_words_bill(t, 3600 * usd_per_s);
}

static const char *nodes_words(clg_text *t, int64_t count, const char *gpu) {
    return clg_arena_print(t->arena, "%s node%s of %s", clg_words_count(t, count),
                           count == 1 ? "" : "s", gpu);
}

/* GPUs by itself and what they cost an hour; "-" where it cannot be served. */
static void print_option(clg_text *t, const clg_place_option *o, bool taken) {
    const char *words = "-";
    if (o->alone.question)
        words = clg_arena_print(t->arena, "%s %s", clg_words_count(t, own_gpus(o)),
                                per_hour(t, o->own_usd_per_s));
    clg_text_pad(t, words, 18, true);
    clg_text_print(t, taken ? " <" : "  ");
}

/* What all nodes would cost more with it on the best of the other kinds. */
static void print_elsewhere(clg_text *t, const clg_placement *p, int model) {
    double least = INFINITY;
    const char *where = NULL;
    for (int k = 0; k < p->kinds; k++) {
        double usd = p->option[model][k].fleet_usd_per_s;
        if (k != p->on[model] && usd < least) least = usd, where = p->kind[k].name;
    }
    if (p->kinds == 1) return;
    if (!where)
        clg_text_print(t, "  no room elsewhere");
    else if (least - p->usd_per_s < 1e-9 * p->usd_per_s)
        clg_text_print(t, "  %s costs the same", where);
    else
        clg_text_print(t, "  %s: +%s", where, per_hour(t, least - p->usd_per_s));
}

static void print_models(clg_text *t, const clg_placement *p) {
    clg_text_print(t, "placed   GPUs and $/h alone  ");
    for (int k = 0; k < p->kinds; k++) clg_text_pad(t, p->kind[k].name, k ? 20 : 11, true);
    clg_text_print(t, "%s", p->kinds > 1 ? "    elsewhere, all nodes\n" : "\n");
    for (int i = 0; i < p->models; i++) {
        const clg_place_option *row = p->option[i];
        clg_text_print(t, "         ");
        clg_text_pad(t, clg_arena_print(t->arena, "%.20s", row[p->on[i]].alone.name), 12, false);
        for (int k = 0; k < p->kinds; k++) print_option(t, &row[k], k == p->on[i]);
        print_elsewhere(t, p, i);
        clg_text_print(t, "\n");
    }
}

static void print_refused(clg_text *t, const clg_placement *p) {
    for (int i = 0; i < p->models; i++)
        for (int k = 0; k < p->kinds; k++) {
            const clg_place_option *o = &p->option[i][k];
            size_t from = t->size;
            if (o->alone.question) continue;
            clg_text_print(t, "         %.40s not on %s: %s\n", p->option[i][p->on[i]].alone.name,
                           p->kind[k].name, o->why_not);
            clg_text_fold(t, from, 11);
        }
}

static bool has_room(const clg_place_kind *kind, double usd_per_s) {
    return !kind->limited || usd_per_s <= ((double)kind->there_nodes + 0.5) * kind->node_usd_per_s;
}

static void print_all(clg_text *t, const clg_placement *p) {
    size_t from = t->size;
    int seen = 0;
    clg_text_print(t, "all      ");
    for (int k = 0; k < p->kinds; k++)
        if (p->nodes[k] > 0)
            clg_text_print(t, "%s%s", seen++ ? " + " : "",
                           nodes_words(t, p->nodes[k], p->kind[k].name));
    clg_text_print(t, ": %s an hour", per_hour(t, p->usd_per_s));
    for (int k = 0; k < p->kinds; k++)
        if (p->kinds > 1 && isfinite(p->all_on_usd_per_s[k]))
            clg_text_print(t, "; all on %s %s%s", p->kind[k].name,
                           per_hour(t, p->all_on_usd_per_s[k]),
                           has_room(&p->kind[k], p->all_on_usd_per_s[k]) ? "" : ", too few there");
    clg_text_print(t, p->proved ? "\n" : "; others not looked at may cost less\n");
    for (int k = 0; k < p->kinds; k++)
        if (p->kind[k].limited && p->nodes[k] > p->kind[k].there_nodes)
            clg_text_print(t, "         TOO FEW: %s are there\n",
                           nodes_words(t, p->kind[k].there_nodes, p->kind[k].name));
    clg_text_fold(t, from, 9);
}

void clg_report_placing(clg_text *t, const clg_placement *p) {
    print_models(t, p);
    print_refused(t, p);
    print_all(t, p);
}

/* ---- JSON */

static void add_option(clg_json_writer *w, const clg_place_kind *kind, const clg_place_option *o) {
    bool served = o->alone.question;
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "gpu", kind->name);
    clg_json_add_bool(w, "served", served);
    clg_json_add_number(w, "gpus_alone", served ? (double)own_gpus(o) : (double)NAN);
    clg_json_add_number(w, "usd_per_h_alone", served ? 3600 * o->own_usd_per_s : (double)NAN);
    clg_json_add_number(w, "fleet_usd_per_h", 3600 * o->fleet_usd_per_s);
    if (!served) clg_json_add_string(w, "why_not", o->why_not);
    clg_json_close(w, '}');
}

static void add_kinds(clg_json_writer *w, const clg_placement *p) {
    clg_json_open(w, "kinds", '[');
    for (int k = 0; k < p->kinds; k++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "gpu", p->kind[k].name);
        clg_json_add_integer(w, "nodes", p->nodes[k]);
        if (p->kind[k].limited)
            clg_json_add_integer(w, "nodes_there", p->kind[k].there_nodes);
        else
            clg_json_add_null(w, "nodes_there");
        clg_json_add_number(w, "usd_per_h_all_on_it", 3600 * p->all_on_usd_per_s[k]);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

void clg_json_placing(clg_json_writer *w, const clg_placement *p) {
    clg_json_add_number(w, "usd_per_h", 3600 * p->usd_per_s);
    clg_json_add_bool(w, "enough", p->enough);
    clg_json_add_bool(w, "proved", p->proved);
    add_kinds(w, p);
    clg_json_open(w, "placed", '[');
    for (int i = 0; i < p->models; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "name", p->option[i][p->on[i]].alone.name);
        clg_json_add_string(w, "gpu", p->kind[p->on[i]].name);
        clg_json_open(w, "options", '[');
        for (int k = 0; k < p->kinds; k++) add_option(w, &p->kind[k], &p->option[i][k]);
        clg_json_close(w, ']');
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}
