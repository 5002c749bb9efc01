/* text.c -- answers as text. */
#include "report/text.h"

#include "base/csv.h"
#include "explain/undone.h"
#include "explain/widths.h"
#include "layout/batch.h"
#include "report/price.h"
#include "report/words.h"
#include "schedule/schedule.h"
#include "units/units.h"
#include "validate/first_look.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *gb(clg_text *text, double bytes) {
    return clg_arena_print(text->arena, "%.1f GB", bytes / 1e9);
}

static void bar(clg_text *text, double share, int width) {
    int eighths = (int)(share * width * 8 + 0.5);
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    for (; eighths >= 8; eighths -= 8) clg_text_print(text, "█");
    if (eighths > 0) clg_text_print(text, "%s", parts[eighths]);
}

/* Own values that lie over the built-in ones. */
static void print_overlays(clg_text *t, const clg_scenario *s) {
    if (s->kernel_file.text) clg_text_print(t, "kernels  %.85s\n", s->kernel_file.path);
    if (s->network_file.text) clg_text_print(t, "network  %.85s\n", s->network_file.path);
}

/* A GPU's share of the network, and whether ports or NICs make it so. */
static void print_network(clg_text *t, const clg_machine *m) {
    const clg_node *n = &m->node;
    double cards = n->nics * n->nic_bytes_per_s;
    double ports = clg_machine_ports(m) * m->fabric.bytes_per_s;
    clg_text_print(t, "%.4g Gbit/s per GPU between nodes (%s",
                   clg_machine_line_bytes_per_s(m) * 8e-9, m->fabric.title);
    if (m->fabric.gpu_bytes_per_s > 0)
        clg_text_print(t, ", a rate given per GPU");
    else if (ports <= 0 || cards < ports)
        clg_text_print(t, "; %d NIC%s of %.4g Gbit/s for %d GPUs", n->nics, n->nics > 1 ? "s" : "",
                       n->nic_bytes_per_s * 8e-9, n->gpus);
    else if (clg_machine_ports(m) == n->gpus)
        clg_text_print(t, ", a port per GPU");
    else
        clg_text_print(t, "; %.4g port%s of %.4g Gbit/s for %d GPUs", clg_machine_ports(m),
                       clg_machine_ports(m) > 1 ? "s" : "", m->fabric.bytes_per_s * 8e-9, n->gpus);
    clg_text_print(t, ")\n");
}

void clg_report_batch(clg_text *t, const clg_space *space) {
    double tokens = (double)space->global_batch * (double)space->seq, asked = space->batch_tokens;
    if (space->seq_asked)
        clg_text_print(t, "length   %.32s, taken as %s tokens: k is 1,024 in a length\n",
                       space->seq_asked, clg_words_count(t, space->seq));
    if (asked <= 0 || tokens == asked) return;
    bool near = fabs(tokens / asked - 1) <= CLG_BATCH_TOLERANCE;
    clg_text_print(t, "batch    %s, taken as %s sequences of %s, %+.1f %%: ",
                   clg_words_quantity(t, asked, CLG_TOKENS),
                   clg_words_count(t, space->global_batch), clg_words_count(t, space->seq),
                   100 * (tokens / asked - 1));
    if (near)
        clg_text_print(t, "they divide best within %.0f %%\n", 100 * CLG_BATCH_TOLERANCE);
    else
        clg_text_print(t, "the nearest there are\n");
}

void clg_report_heading(clg_text *t, const clg_scenario *s, const clg_space *space) {
    const clg_model *m = &s->model;
    size_t from = t->size;
    clg_text_print(t, "model    %s: %s parameters", m->title ? m->title : m->name,
                   clg_words_quantity(t, (double)m->parameters, CLG_COUNT));
    if (m->active_parameters != m->parameters)
        clg_text_print(t, " (%s active)",
                       clg_words_quantity(t, (double)m->active_parameters, CLG_COUNT));
    clg_text_print(t, ", %d layers, hidden %lld\n", m->layers, (long long)m->hidden);
    clg_text_print(t, "machine  %s x %s, %d per node", clg_words_count(t, space->gpus),
                   clg_words_gpu(t, &s->machine.gpu), s->machine.node.gpus);
    if (s->machine.node.domain != s->machine.node.gpus)
        clg_text_print(t, ", %d share a fast-link domain", s->machine.node.domain);
    clg_text_print(t, "\nnetwork  ");
    print_network(t, &s->machine);
    clg_text_print(
        t, "job      %s sequences x %s tokens = %s a step, %s\n",
        clg_words_count(t, space->global_batch), clg_words_count(t, space->seq),
        clg_words_quantity(t, (double)space->global_batch * (double)space->seq, CLG_TOKENS),
        clg_name_of(clg_precision_names, (int)space->precision));
    clg_report_batch(t, space);
    clg_report_software(t, s);
    print_overlays(t, s);
    clg_text_fold(t, from, 9);
}

static void print_layout(clg_text *t, const clg_layout *l) {
    clg_text_print(t, "layout   tp %d%s", l->tp, l->sp ? " with sequence parallel" : "");
    if (l->cp > 1)
        clg_text_print(t, " · cp %d (%s)", l->cp, clg_name_of(clg_context_names, (int)l->cp_kind));
    if (l->ep > 1 || l->etp > 1) clg_text_print(t, " · ep %d etp %d", l->ep, l->etp);
    clg_text_print(t, " · pp %d", l->pp);
    if (l->pp > 1)
        clg_text_print(t, " (%s%s)", clg_name_of(clg_schedule_names, (int)l->schedule),
                       l->vpp > 1 ? clg_arena_print(t->arena, ", vpp %d", l->vpp) : "");
    clg_text_print(t, " · dp %d, ZeRO-%d", l->dp, l->zero);
    if (clg_layout_shards(l) != l->dp * l->cp) clg_text_print(t, " in groups of %d", l->hsdp);
    clg_text_print(t,
                   "\n         micro-batch %d x %lld accumulated · recompute %s%s · attention %s\n",
                   l->micro_batch, (long long)l->accumulation,
                   clg_name_of(clg_recompute_names, (int)l->recompute),
                   l->recompute_layers > 0
                       ? clg_arena_print(t->arena, " (%d of a chunk's layers)", l->recompute_layers)
                       : "",
                   clg_name_of(clg_attention_kernel_names, l->attention));
    if (l->adapter.kind != CLG_ADAPTER_NONE)
        clg_text_print(t,
                       "         %s of rank %d is trained; the model is frozen, its layers in %s\n",
                       clg_name_of(clg_adapter_names, (int)l->adapter.kind), l->adapter.rank,
                       clg_name_of(clg_base_names, (int)l->adapter.base));
    if (l->order > 0)
        clg_text_print(t, "         ranks in the order %s\n",
                       clg_name_of(clg_order_names, l->order));
    if (!l->split) return;
    clg_text_print(t, "         layers of the chunks");
    for (int i = 0; i < l->split_count && i < 24; i++)
        clg_text_print(t, "%s%d", i ? "," : " ", l->split[i]);
    clg_text_print(t, "%s\n", l->split_count > 24 ? ",..." : "");
}

/* Traffic is a wall as a whole; its name is that of its largest kind. */
static void print_wall(clg_text *t, const clg_evaluation *e) {
    bool traffic = e->bound_by >= CLG_WALL_TP && e->bound_by <= CLG_WALL_SENDS;
    clg_text_print(t, "wall     %s", clg_name_of(clg_wall_names, (int)e->bound_by));
    if (traffic)
        clg_text_print(t, " most; traffic in all is %.0f %% of the step",
                       100 * clg_ledger_traffic_s(&e->time) / e->step_s);
    clg_text_print(t, "\n");
}

static void print_speed(clg_text *t, const clg_evaluation *e) {
    clg_text_print(t, "step     %s  (P10 %s – P90 %s)\n",
                   clg_words_quantity(t, e->step_s, CLG_SECONDS),
                   clg_words_quantity(t, e->step_p10_s, CLG_SECONDS),
                   clg_words_quantity(t, e->step_p90_s, CLG_SECONDS));
    clg_text_print(t, "speed    %s tokens/s, %s per GPU\n",
                   clg_words_quantity(t, e->tokens_per_s, CLG_COUNT),
                   clg_words_count(t, (int64_t)e->tokens_per_s_per_gpu));
    clg_text_print(
        t,
        "flops    MFU %.1f %%: %s per GPU by the model (PaLM: attention in full, nothing twice)\n",
        100 * e->mfu, clg_words_quantity(t, e->model_flop_per_s_per_gpu, CLG_FLOP_PER_S));
    clg_text_print(
        t, "         HFU %.1f %%: %s per GPU executed (no masked attention, with recompute)\n",
        100 * e->hfu, clg_words_quantity(t, clg_executed_flop_per_s_per_gpu(e), CLG_FLOP_PER_S));
    print_wall(t, e);
}

static void print_money(clg_text *t, const clg_scenario *s, const clg_evaluation *e,
                        double tokens) {
    clg_text_print(t, "power    %s per GPU, %s with hosts (no cooling) · %s tokens/J\n",
                   clg_words_quantity(t, e->gpu_w, CLG_WATTS),
                   clg_words_quantity(t, e->cluster_w, CLG_WATTS),
                   clg_arena_print(t->arena, "%.3g", e->tokens_per_j));
    if (clg_price_known(&s->price))
        clg_text_print(t, "cost     $%.3g per million tokens at %.2f USD/GPU-h (%s)\n",
                       e->usd_per_million_tokens, s->price.usd_per_s * 3600,
                       clg_words_price_band(t->arena, &s->price));
    else
        clg_text_print(t, "cost     no price known for this GPU: give --price 2.5USD/h\n");
    double days = 1e12 / e->tokens_per_s / 86400, gpus = (double)clg_layout_gpus(&e->layout);
    clg_text_print(t, "         1 T tokens take %.3g days, %s GPU-days\n", days,
                   clg_words_count(t, (int64_t)(days * gpus + 0.5)));
    if (tokens <= 0) return;
    days = tokens / e->tokens_per_s / 86400;
    clg_text_print(t, "         %s take %.1f days", clg_words_quantity(t, tokens, CLG_TOKENS),
                   days);
    if (clg_price_known(&s->price))
        clg_text_print(t, " and %s",
                       clg_words_quantity(t, e->usd_per_million_tokens * tokens / 1e6, CLG_USD));
    clg_text_print(t, ", without failures and restarts\n");
}

static void print_time(clg_text *t, const clg_evaluation *e) {
    const clg_time_ledger *l = &e->time;
    double kernels = e->matrix_s + e->attention_s + e->memory_bound_s;
    const struct {
        const char *name;
        double seconds;
        bool part;
    } rows[] = {{"compute", l->compute_s, false},
                {"  matrix products", e->matrix_s, true},
                {"  attention", e->attention_s, true},
                {"  memory-bound kernels", e->memory_bound_s, true},
                {"  slowed by traffic beside it", l->compute_s - kernels, true},
                {"tensor-parallel traffic, exposed", l->tp_exposed_s, false},
                {"context-parallel traffic, exposed", l->cp_exposed_s, false},
                {"expert-parallel traffic, exposed", l->ep_exposed_s, false},
                {"data-parallel traffic, exposed", l->dp_exposed_s, false},
                {"pipeline sends, exposed", l->pp_exposed_s, false},
                {"pipeline bubble", l->bubble_s, false},
                {"optimizer", l->optimizer_s, false},
                {"host", l->host_s, false},
                {"data loading", l->data_loading_s, false},
                {"waiting for stragglers", l->straggler_s, false}};
    clg_text_print(t, "\nwhere the step goes (busiest stage)\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].seconds < 0.0005 * e->step_s) continue;
        double share = rows[i].seconds / e->step_s;
        clg_text_print(t, "  ");
        clg_text_pad(t, rows[i].name, 36, false);
        clg_text_pad(t, clg_words_quantity(t, rows[i].seconds, CLG_SECONDS), 9, true);
        clg_text_print(t, " %5.1f %%  ", 100 * share);
        if (!rows[i].part) bar(t, share, 36);
        clg_text_print(t, "\n");
    }
}

static void print_memory(clg_text *t, const clg_evaluation *e) {
    const clg_memory_ledger *m = &e->memory;
    const struct {
        const char *name;
        double bytes;
    } rows[] = {{"weights", m->weights_bytes},
                {"gradients", m->gradients_bytes},
                {"optimizer states", m->optimizer_bytes},
                {"activations", m->activations_bytes},
                {"buffers", m->buffers_bytes},
                {"allocator reserve", m->reserved_bytes}};
    clg_text_print(t, "\nmemory of the fullest rank (stage %d): %s (P10-P90 %s to %s) of %s%s\n",
                   e->fullest_stage, gb(t, m->total_bytes), gb(t, e->memory_p10_bytes),
                   gb(t, e->memory_p90_bytes), gb(t, e->capacity_bytes),
                   e->fits ? "" : "  DOES NOT FIT");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        clg_text_print(t, "  ");
        clg_text_pad(t, rows[i].name, 36, false);
        clg_text_pad(t, gb(t, rows[i].bytes), 9, true);
        double share = rows[i].bytes / e->capacity_bytes;
        clg_text_print(t, " %5.1f %%  ", 100 * share);
        bar(t, share > 1 ? 1 : share, 36);
        clg_text_print(t, "\n");
    }
}

/* A plan that fits as predicted may not on the machine. */
static void print_chance_out(clg_text *t, const clg_evaluation *e) {
    clg_text_print(t, "  chance that it runs out of memory  ");
    clg_text_pad(t, clg_words_chance_out(t, e), 17, true);
    clg_text_print(t, " %%\n");
}

/* One line each. */
static void print_caveats(clg_text *t, const char *caveats) {
    const char *label = "\nmind     ";
    while (caveats && *caveats) {
        size_t size = strcspn(caveats, ";");
        clg_text_print(t, "%s%.*s\n", label, (int)size, caveats);
        label = "         ";
        caveats += size;
        caveats += strspn(caveats, "; ");
    }
}

void clg_report_evaluation(clg_text *t, const clg_scenario *s, const clg_evaluation *e,
                           double tokens) {
    size_t from = t->size;
    print_layout(t, &e->layout);
    print_speed(t, e);
    print_money(t, s, e, tokens);
    clg_text_fold(t, from, 9);
    print_time(t, e);
    print_memory(t, e);
    print_chance_out(t, e);
    clg_report_keeps(t, s, &e->layout);
    print_caveats(t, e->caveats);
}

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

static int domains_of(clg_group group) {
    return (group.ranks + group.per_domain - 1) / group.per_domain;
}

static const char *seconds_or_none(clg_text *t, double seconds) {
    return seconds > 0 ? clg_words_quantity(t, seconds, CLG_SECONDS) : "-";
}

void clg_report_groups(clg_arena *arena, clg_text *t, const clg_scenario *s,
                       const clg_evaluation *e) {
    clg_group_row rows[CLG_GROUP_ROWS];
    int count = clg_group_rows(arena, s, e, rows);
    if (count == 0) return;
    clg_text_print(t, "\ngroups and the link that limits each (bus bandwidth of 64 MiB, as "
                      "nccl-tests)\n                       ranks  domains  together         bus  "
                      "exposed   limit\n");
    for (int i = 0; i < count; i++) {
        clg_text_print(t, "  ");
        clg_text_pad(t, rows[i].name, 19, false);
        clg_text_print(t, "  %5d  %7d  %8d  ", rows[i].group.ranks, domains_of(rows[i].group),
                       rows[i].group.per_domain);
        clg_text_pad(t, clg_words_quantity(t, rows[i].bus_bytes_per_s, CLG_BYTES_PER_S), 10, true);
        clg_text_print(t, "  ");
        clg_text_pad(t, seconds_or_none(t, rows[i].exposed_s), 7, true);
        clg_text_print(t, "   %.32s\n", link_of(t, s, &rows[i]));
    }
}

void clg_report_widths(clg_arena *arena, clg_text *t, const clg_scenario *s,
                       const clg_evaluation *e) {
    clg_width widths[CLG_WIDTHS];
    int count = clg_widths(arena, s, &e->layout, widths);
    if (count < 2) return;
    clg_text_print(t, "\ntensor parallel narrower and wider, the rest as it is\n"
                      "     tp  domains         bus  exposed      step\n");
    for (int i = 0; i < count; i++) {
        const clg_width *w = &widths[i];
        bool outside = i > 0 && domains_of(w->group) > 1 && domains_of(widths[i - 1].group) == 1;
        clg_text_print(t, "  %c %3d  %7d  ", w->plan.layout.tp == e->layout.tp ? '>' : ' ',
                       w->plan.layout.tp, domains_of(w->group));
        clg_text_pad(
            t, w->group.ranks > 1 ? clg_words_quantity(t, w->bus_bytes_per_s, CLG_BYTES_PER_S) : "",
            10, true);
        clg_text_print(t, "  ");
        clg_text_pad(t, seconds_or_none(t, w->plan.time.tp_exposed_s), 7, true);
        clg_text_print(t, "  ");
        clg_text_pad(t, clg_words_quantity(t, w->plan.step_s, CLG_SECONDS), 8, true);
        if (!w->plan.fits)
            clg_text_print(t, "  does not fit: %s", gb(t, w->plan.memory.total_bytes));
        clg_text_print(t, "%s\n", outside ? "  <- leaves the fast links" : "");
    }
}

/* The term in which a plan loses most against the best. */
static const char *loss(const clg_evaluation *e, const clg_evaluation *best) {
    const double *mine = (const double *)&e->time, *theirs = (const double *)&best->time;
    static const char *const names[] = {"compute",    "tp traffic",   "cp traffic", "ep traffic",
                                        "dp traffic", "sends",        "bubble",     "optimizer",
                                        "host",       "data loading", "stragglers"};
    int most = 0;
    for (int i = 1; i < 11; i++)
        if (mine[i] - theirs[i] > mine[most] - theirs[most]) most = i;
    return mine[most] > theirs[most] ? names[most] : "nothing";
}

/* For a column: no recompute goes without saying. */
static const char *in_words(clg_text *t, const clg_layout *layout) {
    char words[160];
    clg_layout_print(layout, words, sizeof words);
    char *none = strstr(words, " recompute-none");
    if (none) memmove(none, none + 15, strlen(none + 15) + 1);
    return clg_arena_copy(t->arena, words, strlen(words));
}

/* Columns the widest of these layouts takes. */
static int width_of(clg_text *t, const clg_evaluation *plan, int count) {
    int widest = 0;
    for (int i = 0; i < count; i++) {
        int width = (int)strlen(in_words(t, &plan[i].layout));
        if (width > widest) widest = width;
    }
    return widest;
}

static void print_rival(clg_text *t, const clg_evaluation *e, const clg_evaluation *best,
                        int width) {
    clg_text_pad(t, in_words(t, &e->layout), width, false);
    clg_text_print(t, " %+6.1f %%", 100 * (e->step_s / best->step_s - 1));
    clg_text_print(t, "%7.1f", e->memory.total_bytes / 1e9);
    clg_text_pad(t, clg_words_chance_out(t, e), 5, true);
    clg_text_print(t, "  %s\n", e->step_s > best->step_s ? loss(e, best) : "");
}

void clg_report_alternatives(clg_text *t, const clg_found *f) {
    if (f->count < 2) return;
    int width = width_of(t, f->best + 1, f->count - 1), ties = clg_ties(f);
    clg_text_print(t, "\n");
    clg_text_pad(t, "runners-up", width, false);
    clg_text_print(t, "     step     GB out%%  loses in\n");
    for (int i = 1; i < f->count; i++) print_rival(t, &f->best[i], &f->best[0], width);
    if (ties > 0)
        clg_text_print(
            t, "%s of these %s a tie: slower by less than the interval of the prediction\n",
            ties == f->count - 1 ? "All" : clg_words_count(t, ties), ties == 1 ? "is" : "are");
}

void clg_report_families(clg_text *t, const clg_layout_family *family, int count,
                         const clg_evaluation *best) {
    int width = 0;
    for (int i = 0; i < count; i++) {
        int one = family[i].runs ? width_of(t, &family[i].plan, 1) : 0;
        width = one > width ? one : width;
    }
    if (count == 0) return;
    clg_text_print(t, "\nthe best of each family\n");
    for (int i = 0; i < count; i++) {
        clg_text_pad(t, family[i].name, 10, false);
        if (family[i].runs)
            print_rival(t, &family[i].plan, best, width);
        else
            clg_text_print(t, "%s\n", family[i].why);
    }
}

void clg_report_front(clg_text *t, const clg_found *f) {
    if (f->front_count < 2) return;
    int width = width_of(t, f->front, f->front_count);
    clg_text_print(t, "\nless memory for more time (each the fastest within its memory)\n");
    clg_text_pad(t, "", width, false);
    clg_text_print(t, "      step    memory     out %%\n");
    for (int i = 0; i < f->front_count; i++) {
        const clg_evaluation *e = &f->front[i];
        clg_text_pad(t, in_words(t, &e->layout), width, false);
        clg_text_pad(t, clg_words_quantity(t, e->step_s, CLG_SECONDS), 10, true);
        clg_text_pad(t, gb(t, e->memory.total_bytes), 10, true);
        clg_text_pad(t, clg_words_chance_out(t, e), 10, true);
        clg_text_print(t, "\n");
    }
}

void clg_report_gamble(clg_text *t, const clg_found *f, double risk) {
    if (!f->has_gamble || f->count == 0) return;
    const clg_evaluation *e = &f->gamble;
    clg_text_print(t,
                   "\ngamble   %s\n"
                   "         step %s (%+.1f %%), but runs out of memory with a chance of %s %% "
                   "(--risk %.4g%%)\n",
                   in_words(t, &e->layout), clg_words_quantity(t, e->step_s, CLG_SECONDS),
                   100 * (e->step_s / f->best[0].step_s - 1), clg_words_chance_out(t, e),
                   100 * risk);
}

void clg_report_certificate(clg_text *t, const clg_found *f, double seconds) {
    clg_text_print(t,
                   "\n%s legal layouts: %s ruled out by memory, %s by a lower bound on time,\n"
                   "%s that recompute more layers than they must, %s priced (%s do not fit).\n",
                   clg_words_count(t, f->layouts), clg_words_count(t, f->cut[CLG_CUT_MEMORY]),
                   clg_words_count(t, f->cut[CLG_CUT_TIME]),
                   clg_words_count(t, f->cut[CLG_CUT_LAZIER]), clg_words_count(t, f->priced),
                   clg_words_count(t, f->cut[CLG_CUT_NO_FIT]));
    clg_text_print(t, "%s\n",
                   !f->complete   ? "The search was stopped: a faster one may exist."
                   : f->count > 0 ? "The search is complete: none is faster by this model."
                                  : "The search is complete: none fits.");
    if (seconds > 0)
        clg_text_print(t, "%.2f s, %s layouts/s\n", seconds,
                       clg_words_quantity(t, (double)f->layouts / seconds, CLG_COUNT));
}

void clg_report_ladder(clg_arena *arena, clg_text *t, const clg_scenario *s,
                       const clg_evaluation *best) {
    clg_undone undone[CLG_UNDONE];
    int count = clg_undo(arena, s, &best->layout, undone);
    clg_text_print(t, "\nwhy this one: the same plan with one thing undone\n");
    for (int i = 0; i < count; i++) {
        const clg_evaluation *e = &undone[i].plan;
        clg_text_print(t, "  ");
        clg_text_pad(t, undone[i].what, 26, false);
        if (undone[i].illegal)
            clg_text_print(t, "not legal: %.60s\n", undone[i].illegal);
        else if (!e->fits)
            clg_text_print(t, "does not fit: %s of %s\n", gb(t, e->memory.total_bytes),
                           gb(t, e->capacity_bytes));
        else
            clg_text_print(t, "step %s (%+.1f %%), %s (out %s %%): %s in %s\n",
                           clg_words_quantity(t, e->step_s, CLG_SECONDS),
                           100 * (e->step_s / best->step_s - 1), gb(t, e->memory.total_bytes),
                           clg_words_chance_out(t, e), e->step_s < best->step_s ? "gains" : "loses",
                           e->step_s < best->step_s ? loss(best, e) : loss(e, best));
    }
}

/* What more GPUs would do, where no change of the layout does. */
static void print_fewest(clg_text *t, const clg_evaluation *on_more) {
    if (!on_more) {
        clg_text_print(t, "Nor does one on up to 64 times the GPUs, doubling.\n");
        return;
    }
    clg_text_print(t, "On %s GPUs one fits: %s, %s a step.\n",
                   clg_words_count(t, clg_layout_gpus(&on_more->layout)),
                   in_words(t, &on_more->layout),
                   clg_words_quantity(t, on_more->step_s, CLG_SECONDS));
}

/* Nothing is safe enough, but something fits as predicted. */
static void print_only_gambles(clg_text *t, const clg_found *f, double risk) {
    const clg_evaluation *e = &f->nearest;
    clg_text_print(t,
                   "\nNo layout fits with a chance of running out of memory of at most %.4g %% "
                   "(--risk).\nThe safest, %s, has %s %%: step %s, %s of %s.\n",
                   100 * risk, in_words(t, &e->layout), clg_words_chance_out(t, e),
                   clg_words_quantity(t, e->step_s, CLG_SECONDS), gb(t, e->memory.total_bytes),
                   gb(t, e->capacity_bytes));
    if (!f->has_gamble) return;
    clg_text_print(t, "The fastest, %s, has %s %%: step %s.\n", in_words(t, &f->gamble.layout),
                   clg_words_chance_out(t, &f->gamble),
                   clg_words_quantity(t, f->gamble.step_s, CLG_SECONDS));
}

void clg_report_nothing_fits(clg_arena *arena, clg_text *t, const clg_scenario *s,
                             const clg_space *space, const clg_found *f,
                             const clg_evaluation *on_more) {
    if (f->has_nearest && f->nearest.fits) {
        print_only_gambles(t, f, space->risk);
        print_fewest(t, on_more);
        return;
    }
    clg_text_print(t, "\nNo layout fits.\n");
    if (!f->has_nearest) return;
    const clg_evaluation *e = &f->nearest;
    clg_text_print(t, "The nearest, %s, needs %s of %s: %s too much.\n", in_words(t, &e->layout),
                   gb(t, e->memory.total_bytes), gb(t, e->capacity_bytes),
                   gb(t, e->memory.total_bytes - e->capacity_bytes));
    const char *mend = clg_evaluate_mend(arena, s, &e->layout);
    if (mend) clg_text_print(t, "Smallest change: %s\n", mend);
    print_fewest(t, on_more);
    print_memory(t, e);
}

static void print_share(clg_text *t, double share, int width) {
    const char *word = isfinite(share) ? clg_arena_print(t->arena, "%.1f", 100 * share) : "-";
    clg_text_pad(t, word, width, true);
}

static void print_held_out(clg_text *t, const clg_held_out *h) {
    const clg_score *s = &h->held;
    if (s->scored == 0) return;
    clg_text_print(t,
                   "\nheld out, nothing was fitted on them: %d rows, mean %.1f %%, median %.1f %%, "
                   "inside P10-P90 %.1f %%\n",
                   s->scored, 100 * s->mape, 100 * s->median_ape, 100 * s->coverage);
    if (h->known > 0)
        clg_text_print(
            t,
            "  where others have a constant for GPU and precision: %d rows, mean %.1f %%, that "
            "constant %.1f %%\n",
            h->known, 100 * h->mape, 100 * h->elsewhere_mape);
}

void clg_report_validation(clg_text *t, const clg_validation *v) {
    clg_text_print(t, "error of step time in %%; 'one constant': one flop/s per GPU kind and "
                      "precision, fitted here\n");
    clg_text_print(t, "source                       rows scored  mean median    P90   bias    one  "
                      "inside memory fits\n");
    clg_text_print(t, "                                                               constant  "
                      "P10-P90        right\n");
    for (int i = 0; i < v->scores; i++) {
        const clg_score *s = &v->score[i];
        clg_text_pad(t, s->source, 27, false);
        clg_text_print(t, " %5d  %5d", s->rows, s->scored);
        print_share(t, s->mape, 6);
        print_share(t, s->median_ape, 7);
        print_share(t, s->p90_ape, 7);
        print_share(t, s->bias, 7);
        print_share(t, s->baseline_mape, 7);
        print_share(t, s->coverage, 8);
        print_share(t, s->memory_mape, 7);
        print_share(t, s->fits_accuracy, 7);
        clg_text_print(t, "\n");
    }
    print_held_out(t, &v->held_out);
    clg_sources once = clg_sources_score(t->arena, v, NULL);
    if (once.sources > 1)
        clg_text_print(t,
                       "\neach source once: %.1f %% off (median source %.1f), %.1f %% inside "
                       "P10-P90\n",
                       100 * once.mape, 100 * once.median_ape, 100 * once.coverage);
    int skipped = 0;
    for (int i = 0; i < v->runs; i++) skipped += v->run[i].reason != NULL;
    if (skipped == 0) return;
    clg_text_print(t, "\n%d row%s skipped\n", skipped, skipped == 1 ? "" : "s");
    for (int i = 0, shown = 0; i < v->runs && shown < 10; i++) {
        if (!v->run[i].reason) continue;
        clg_text_print(t, "  %s: %.90s\n", v->run[i].id, v->run[i].reason);
        shown++;
    }
}

/* A number of a table, blank where it was not measured. */
static void print_known(clg_text *t, double number, bool known, const char *end) {
    if (known) clg_text_print(t, "%.9g", number);
    clg_text_print(t, "%s", end);
}

static void print_ledger(clg_text *t, const clg_time_ledger *l, bool known) {
    const double seconds[] = {l->compute_s,    l->tp_exposed_s,   l->cp_exposed_s, l->ep_exposed_s,
                              l->dp_exposed_s, l->pp_exposed_s,   l->bubble_s,     l->optimizer_s,
                              l->host_s,       l->data_loading_s, l->straggler_s};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        clg_text_print(t, ",");
        print_known(t, seconds[i], known, "");
    }
}

void clg_report_validation_rows(clg_text *t, const clg_validation *v) {
    clg_text_print(t, "id,source,verdict,reason,measured_step_s,predicted_step_s,predicted_p10_s,"
                      "predicted_p90_s,error,measured_memory_bytes,predicted_memory_bytes,"
                      "log_sigma,compute_s,tp_s,cp_s,ep_s,dp_s,pp_s,bubble_s,optimizer_s,host_s,"
                      "data_loading_s,straggler_s,stack\n");
    for (int i = 0; i < v->runs; i++) {
        const clg_run *r = &v->run[i];
        const clg_evaluation *e = &r->predicted;
        bool predicted = !r->reason, timed = r->measured_step_s > 0;
        clg_csv_add(t, r->id);
        clg_text_print(t, ",");
        clg_csv_add(t, r->source);
        clg_text_print(t, predicted ? ",scored," : ",skipped,");
        clg_csv_add(t, r->reason ? r->reason : "");
        clg_text_print(t, ",");
        print_known(t, r->measured_step_s, timed, ",");
        print_known(t, e->step_s, predicted, ",");
        print_known(t, e->step_p10_s, predicted, ",");
        print_known(t, e->step_p90_s, predicted, ",");
        print_known(t, r->error, predicted && timed, ",");
        print_known(t, r->measured_memory_bytes, r->measured_memory_bytes > 0, ",");
        print_known(t, r->predicted_memory_bytes, predicted, ",");
        print_known(t, e->log_sigma, predicted, "");
        print_ledger(t, &e->time, predicted);
        clg_text_print(t, ",%s\n", predicted ? r->stack : "");
    }
}
