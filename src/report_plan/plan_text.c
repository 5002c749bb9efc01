/* plan_text.c -- one plan in full: what was asked, speed, time, memory, money. */
#include "report_plan/plan_text.h"

#include "layout/batch.h"
#include "report/number_words.h"
#include "report/price_words.h"
#include "scaling/laws.h"
#include "schedule/schedule.h"
#include "units/units.h"

#include <math.h>
#include <string.h>

static void bar(clg_text *text, double share) {
    enum { LETTERS = 36 };
    int eighths = (int)(share * LETTERS * 8 + 0.5);
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    for (; eighths >= 8; eighths -= 8) clg_text_print(text, "█");
    if (eighths > 0) clg_text_print(text, "%s", parts[eighths]);
}

/* Own values that lie over the built-in ones. */
static void print_overlays(clg_text *t, const clg_scenario *s) {
    if (s->kernel_file.text) clg_text_print(t, "kernels  %.85s\n", s->kernel_file.path);
    if (s->network_file.text) clg_text_print(t, "network  %.85s\n", s->network_file.path);
}

void clg_report_network(clg_text *t, const clg_machine *m) {
    const clg_node *n = &m->node;
    double cards = n->nics * n->nic_bytes_per_s;
    double ports = clg_machine_ports(m) * m->fabric.bytes_per_s;
    clg_text_print(t, "%.4g Gbit/s per GPU between nodes (%s",
                   clg_machine_line_bytes_per_s(m) * 8e-9, m->fabric.title);
    if (m->fabric.gpu_bytes_per_s > 0)
        clg_text_print(t, ", a rate given per GPU%s",
                       n->gpus == 1
                           ? ""
                           : clg_arena_print(t->arena, ": %.4g for %d GPUs",
                                             m->fabric.gpu_bytes_per_s * 8e-9 * n->gpus, n->gpus));
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
    if (space->batch_critical_for > 0)
        clg_text_print(t,
                       "batch    %s, up to the critical batch of %s tokens (--global-batch names "
                       "another)\n",
                       clg_words_quantity(t, tokens, CLG_TOKENS),
                       clg_words_quantity(t, space->batch_critical_for, CLG_COUNT));
    if (asked <= 0 || tokens == asked || space->batch_critical_for > 0) return;
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
    clg_text_print(t, "model    %s: %s parameters", clg_words_model(t, m),
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
    clg_report_network(t, &s->machine);
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

void clg_report_layout(clg_text *t, const clg_layout *l) {
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
                       ? clg_arena_print(t->arena, " (%d layers a chunk)", l->recompute_layers)
                       : "",
                   clg_name_of(clg_attention_kernel_names, l->attention));
    if (l->adapter.kind != CLG_ADAPTER_NONE)
        clg_text_print(t,
                       "         %s of rank %d is trained; the model is frozen, its layers in %s\n",
                       clg_name_of(clg_adapter_names, (int)l->adapter.kind), l->adapter.rank,
                       clg_name_of(clg_base_names, (int)l->adapter.base));
    if (l->reference == CLG_REFERENCE_MODEL)
        clg_text_print(t, "         beside it %s runs forward, frozen\n",
                       l->adapter.kind != CLG_ADAPTER_NONE ? "the model without its adapter"
                                                           : "a second model of the same sizes");
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
                       100 * clg_exposed_share(e));
    clg_text_print(t, "\n");
}

static void print_speed(clg_text *t, const clg_evaluation *e) {
    clg_text_print(t, "step     %s  (P10 %s – P90 %s)\n",
                   clg_words_quantity(t, e->step_s, CLG_SECONDS),
                   clg_words_quantity(t, e->step_p10_s, CLG_SECONDS),
                   clg_words_quantity(t, e->step_p90_s, CLG_SECONDS));
    clg_text_print(t, "speed    %s tokens/s, %s per GPU\n",
                   clg_words_quantity(t, e->tokens_per_s, CLG_COUNT),
                   clg_words_count(t, (int64_t)(e->tokens_per_s_per_gpu + 0.5)));
    clg_text_print(
        t,
        "flops    MFU %.1f %%: %s per GPU by the model (PaLM: attention in full, nothing twice)\n",
        100 * e->mfu, clg_words_quantity(t, e->model_flop_per_s_per_gpu, CLG_FLOP_PER_S));
    clg_text_print(
        t, "         HFU %.1f %%: %s per GPU executed (no masked attention, with recompute)\n",
        100 * e->hfu, clg_words_quantity(t, clg_executed_flop_per_s_per_gpu(e), CLG_FLOP_PER_S));
    print_wall(t, e);
}

/* Where no tokens were given: as many as is usual to speak of, of a model or of adapters. */
static void print_usual_run(clg_text *t, const clg_evaluation *e) {
    double gpus = (double)clg_layout_gpus(&e->layout);
    if (e->layout.adapter.kind != CLG_ADAPTER_NONE)
        clg_text_print(t, "         100 Mtok take %s\n",
                       clg_words_quantity(t, 1e8 / e->tokens_per_s, CLG_SECONDS));
    else
        clg_text_print(
            t, "         1 Ttok take %s, %s GPU-days\n",
            clg_words_quantity(t, 1e12 / e->tokens_per_s, CLG_SECONDS),
            clg_words_count(t, (int64_t)(1e12 / e->tokens_per_s * gpus / CLG_DAY_S + 0.5)));
}

/* A batch past the critical one teaches less than its tokens would. */
static void print_past_critical(clg_text *t, const clg_scenario *s, const clg_evaluation *e,
                                double tokens) {
    clg_critical_batch critical;
    double needed = clg_tokens_as_good(t->arena, &s->model, tokens, &e->layout, &critical);
    if (needed < 1.01 * tokens) return;
    clg_text_print(t,
                   "         as good a model takes %s here: the batch is %.2g times the critical "
                   "one (%s)\n",
                   clg_words_quantity(t, needed, CLG_TOKENS),
                   clg_layout_tokens(&e->layout) / critical.tokens,
                   clg_words_quantity(t, critical.tokens, CLG_TOKENS));
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
    if (tokens <= 0) {
        print_usual_run(t, e);
        return;
    }
    clg_text_print(t, "         %s take %s", clg_words_quantity(t, tokens, CLG_TOKENS),
                   clg_words_quantity(t, tokens / e->tokens_per_s, CLG_SECONDS));
    if (clg_price_known(&s->price))
        clg_text_print(t, " and %s",
                       clg_words_quantity(t, e->usd_per_million_tokens * tokens / 1e6, CLG_USD));
    clg_text_print(t, ", without failures and restarts\n");
    print_past_critical(t, s, e, tokens);
}

/* One line of a ledger; `filled`: the share of its bar, 0 for none. */
static void print_line(clg_text *t, const char *name, const char *amount, double share,
                       double filled) {
    clg_text_print(t, "  ");
    clg_text_pad(t, name, 36, false);
    clg_text_pad(t, amount, 9, true);
    clg_text_print(t, " %5.1f %%  ", 100 * share);
    bar(t, filled);
    clg_text_print(t, "\n");
}

static void print_seconds(clg_text *t, const clg_evaluation *e, const char *name, double seconds,
                          bool part) {
    double share = seconds / e->step_s;
    if (seconds < 0.0005 * e->step_s) return;
    print_line(t, name, clg_words_quantity(t, seconds, CLG_SECONDS), share, part ? 0 : share);
}

static void print_time(clg_text *t, const clg_evaluation *e) {
    double kernels = e->matrix_s + e->attention_s + e->memory_bound_s;
    clg_text_print(t, "\nwhere the step goes (busiest stage)\n");
    for (int i = 0; i < CLG_LEDGER_TERMS; i++) {
        print_seconds(t, e, clg_ledger_terms[i].title, e->time.term_s[i], false);
        if (i > 0) continue;
        print_seconds(t, e, "  matrix products", e->matrix_s, true);
        print_seconds(t, e, "  attention", e->attention_s, true);
        print_seconds(t, e, "  memory-bound kernels", e->memory_bound_s, true);
        print_seconds(t, e, "  slowed by traffic beside it", e->time.compute_s - kernels, true);
    }
}

void clg_report_memory(clg_text *t, const clg_evaluation *e) {
    const clg_memory_ledger *m = &e->memory;
    clg_text_print(
        t, "\nmemory of the fullest rank (stage %d): %s (P10-P90 %s to %s) of %s%s\n",
        e->fullest_stage, clg_words_gb(t, m->total_bytes), clg_words_gb(t, e->memory_p10_bytes),
        clg_words_gb(t, e->memory_p90_bytes), clg_words_gb(t, e->capacity_bytes),
        !e->fits                             ? "\n  DOES NOT FIT"
        : m->total_bytes > e->capacity_bytes ? "\n  fits: a full GPU has what is only cached let go"
                                             : "");
    for (int i = 0; i < CLG_MEMORY_PARTS; i++) {
        double share = m->part_bytes[i] / e->capacity_bytes;
        print_line(t, clg_memory_parts[i].words, clg_words_gb(t, m->part_bytes[i]), share,
                   fmin(share, 1));
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
    clg_report_layout(t, &e->layout);
    if (!e->fits)
        clg_text_print(t, "memory   DOES NOT FIT: %s of %s; what follows is as if it did\n",
                       clg_words_gb(t, e->memory.total_bytes), clg_words_gb(t, e->capacity_bytes));
    print_speed(t, e);
    print_money(t, s, e, tokens);
    clg_text_fold(t, from, 9);
    print_time(t, e);
    clg_report_memory(t, e);
    print_chance_out(t, e);
    clg_report_keeps(t, s, &e->layout);
    print_caveats(t, e->caveats);
}
