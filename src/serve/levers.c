/* levers.c -- the same demand on replicas that differ in one thing. */
#include "serve/levers.h"

#include "serve/crowd.h"

#include <math.h>
#include <string.h>

typedef struct change {
    const char *name;
    clg_replica_choice choice;
    double block_tokens; /* 0: the engine's */
    bool whole_batches;
    bool host_apart; /* the host works between iterations, not beside them */
} change;

/* Engines halve batches whose exchange DeepEP does (SGLang two_batch_overlap.py, vLLM's
 * --enable-dbo): with experts, on ranks of attention. */
static bool takes_halves(const clg_replica *r, const clg_replica_choice *c) {
    return !c->two_batches && r->layout.dp > 1 && r->engine.sends_tokens > 0 &&
           clg_model_experts(&r->scenario->model);
}

/* What runs beside the GPU stands between two iterations (vLLM --no-async-scheduling, SGLang
 * --disable-overlap-schedule). */
static void set_host_apart(const clg_node *node, clg_engine *e) {
    double time = node->host_time > 0 ? node->host_time : 1;
    e->overlapped = 0;
    e->step_s += time * e->loop_s;
    e->sequence_s += time * e->loop_sequence_s;
    e->loop_s = e->loop_sequence_s = 0;
}

typedef struct changes {
    clg_arena *arena;
    const clg_serve_question *question;
    change *list; /* [CLG_LEVERS], the first as asked */
    int count;
} changes;

/* One more, as asked but for what is then changed in it, where it applies. */
static change *add(changes *c, bool applies, const char *name) {
    change *next = &c->list[c->count];
    if (c->count > 0) *next = c->list[0];
    next->name = name;
    c->count += applies;
    return next;
}

static void add_formats(changes *c) {
    const clg_replica_choice *asked = &c->list[0].choice;
    const clg_gpu *gpu = &c->question->replica->scenario->machine.gpu;
    bool wide = asked->weights == CLG_BF16;
    change *fp8 = add(c, wide, "weights in fp8");
    fp8->choice.weights = CLG_FP8;
    fp8->choice.compute = clg_serve_arithmetic(gpu, CLG_FP8);
    clg_replica_choice narrow = fp8->choice;
    fp8 = add(c, wide && asked->tp > 1, "and on half the GPUs");
    fp8->choice = narrow;
    fp8->choice.tp = asked->tp / 2;
    add(c, asked->cache == CLG_BF16, "cache in fp8")->choice.cache = CLG_FP8;
}

static void add_limits(changes *c) {
    add(c, true, "at most 8 sequences")->choice.max_sequences = 8;
    add(c, true, "twice the sequences")->choice.max_sequences =
        2 * c->question->replica->rules.max_sequences;
}

static void add_ways(changes *c) {
    const clg_replica_choice *asked = &c->list[0].choice;
    const char *guess =
        clg_arena_print(c->arena, "speculation, 3 at %.0f %%", 100 * asked->accepted);
    add(c, asked->drafted == 0, guess)->choice.drafted = 3;
    change *apart = add(c, asked->prefills == 0, "disaggregated 1:1");
    apart->choice.prefills = apart->choice.decodes = 1;
}

/* Of prompts that begin as others did. */
static void add_reuse(changes *c) {
    const clg_replica_choice *asked = &c->list[0].choice;
    double bytes = c->question->habits.host_bytes;
    bool found = c->question->demand->prefix && !asked->no_prefix_cache;
    bool lacks = asked->host_bytes <= 0;
    const char *host =
        lacks ? clg_arena_print(c->arena, "%.0f GB of host a GPU", bytes / 1e9) : "no host cache";
    add(c, found, host)->choice.host_bytes = lacks ? bytes : 0;
    add(c, found, "no prefix cache")->choice.no_prefix_cache = true;
}

static void add_overlaps(changes *c) {
    const clg_replica *r = c->question->replica;
    add(c, r->engine.overlapped > 0, "host not overlapped")->host_apart = true;
    add(c, takes_halves(r, &c->list[0].choice), "two-batch overlap")->choice.two_batches = true;
}

static void add_degrees(changes *c) {
    static const char *const names[] = {"tp 1", "tp 2", "tp 4", "tp 8"};
    for (int i = 0, tp = 1; tp <= 8; tp *= 2, i++)
        add(c, tp != c->list[0].choice.tp, names[i])->choice.tp = tp;
}

/* Before paging (Kwon et al., SOSP 2023) a sequence held room for its longest possible answer.
 * Before iterations were scheduled one by one (Yu et al., Orca, OSDI 2022) nobody joined a batch
 * until the last of it was answered. */
static int list_changes(clg_arena *arena, const clg_serve_question *q, const clg_replica_choice *as,
                        change list[CLG_LEVERS]) {
    changes c = {.arena = arena, .question = q, .list = list};
    list[0] = (change){.choice = *as};
    list[0].choice.tp = q->replica->layout.tp;
    add(&c, true, "as asked");
    add(&c, true, "cache without paging")->block_tokens = (double)q->demand->longest_tokens;
    add(&c, true, "static batches")->whole_batches = true;
    add_formats(&c);
    add_limits(&c);
    add_ways(&c);
    add_reuse(&c);
    add_overlaps(&c);
    add_degrees(&c);
    return c.count;
}

double clg_gpus_taken(const clg_serve_question *q, const clg_replica *r, double tokens_per_s) {
    double gpus = clg_replica_gpus(r), span = q->demand->span_s;
    if (span <= 0 || q->demand->clients > 0) return gpus / tokens_per_s;
    double load = (double)q->demand->output_tokens / span / tokens_per_s;
    return gpus * fmax(1, q->replicas > 0 ? load : ceil(load));
}

double clg_gpus_at_mean(const clg_serve_question *q, const clg_replica *r,
                        const clg_serve_answer *a) {
    if (!a->attainable) return INFINITY;
    return clg_gpus_taken(q, r, a->target_tokens_per_s);
}

void clg_lever_reprice(clg_arena *arena, const clg_price *price, double ratio, clg_lever *row) {
    row->usd_per_h *= ratio;
    row->usd_per_million *= ratio;
    row->usd_per_useful_eflop *= ratio;
    row->break_even_share *= ratio;
    row->break_even_per_s *= ratio;
    row->lone = price->lone != NULL;
    const char *by = price->provider ? price->provider : "";
    row->price =
        clg_arena_print(arena, "$%.2f %.7s %s", 3600 * price->usd_per_s,
                        price->date ? price->date : "undated", strlen(by) <= 10 ? by : "survey");
}

void clg_lever_measure(clg_arena *arena, const clg_serve_question *asked, const clg_replica *r,
                       clg_lever *row) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_serve_question q = *asked;
    clg_serve_answer a;
    q.replica = r;
    clg_serve_capacity(arena, &q, &a);
    row->gpus = clg_replica_gpus(r);
    row->offline_tokens_per_s = a.offline_tokens_per_s / row->gpus;
    clg_demand_means means = clg_demand_means_of(q.demand);
    double output = means.output_tokens, never = (double)NAN;
    double flop = clg_serve_useful_flop(r, &means, a.fleet.found.cached);
    row->usd_per_million = a.attainable ? 1e6 * a.usd_per_s / a.target_tokens_per_s : never;
    row->mfu = a.attainable
                   ? a.target_tokens_per_s * flop / (row->gpus * clg_serve_peak_flop_per_s(r))
                   : never;
    row->usd_per_useful_eflop = clg_usd_per_useful_eflop(row->usd_per_million, flop);
    row->half_price_per_s = a.attainable ? a.target_tokens_per_s / output / 2 : never;
    row->gpus_all = clg_gpus_at_mean(&q, r, &a);
    row->usd_per_h = 3600 * r->scenario->price.usd_per_s * row->gpus_all;
    row->break_even_share = a.break_even_share;
    row->break_even_per_s = a.break_even_per_s;
    clg_arena_back_to(arena, mark);
    clg_lever_reprice(arena, &r->scenario->price, 1, row);
}

/* A copy costs p m dollars a second where it is full at the rate m at a price p a token, so its
 * tokens cost P at the rate p m / P. */
static void fix_price(clg_lever *lever, int count) {
    double price = 2 * lever[0].usd_per_million;
    for (int i = 0; i < count; i++) {
        clg_lever *l = &lever[i];
        bool reached = l->fits && l->usd_per_million <= price;
        l->fixed_price_per_s =
            reached ? 2 * l->half_price_per_s * l->usd_per_million / price : (double)NAN;
    }
}

typedef struct pulls {
    const clg_serve_question *question;
    change list[CLG_LEVERS];
    clg_lever *lever;
    clg_serve_progress progress;
} pulls;

static void pull(void *context, int index, clg_arena *arena) {
    const pulls *p = context;
    const clg_serve_question *q = p->question;
    const change *c = &p->list[index];
    clg_lever *lever = &p->lever[index];
    clg_engine engine = q->replica->engine;
    clg_replica r;
    clg_error no = {0};
    if (c->block_tokens > 0) engine.block_tokens = c->block_tokens;
    if (c->host_apart) set_host_apart(&q->replica->scenario->machine.node, &engine);
    *lever = (clg_lever){.name = c->name};
    lever->fits = clg_replica_prepare(arena, q->replica->scenario, &engine, &c->choice, q->demand,
                                      &r, &no) == CLG_OK;
    if (lever->fits && c->whole_batches) r.rules.wait_iterations = r.rules.wait_tokens = INT64_MAX;
    if (lever->fits) clg_lever_measure(arena, q, &r, lever);
}

static bool tell_pulled(void *context, double share) {
    const pulls *p = context;
    if (p->progress.tell) p->progress.tell(p->progress.context, share);
    return true;
}

int clg_levers(clg_arena *arena, const clg_serve_question *q, const clg_replica_choice *choice,
               clg_serve_progress progress, clg_lever lever[CLG_LEVERS]) {
    pulls p = {.question = q, .lever = lever, .progress = progress};
    int count = list_changes(arena, q, choice, p.list);
    clg_cores_each((clg_progress){tell_pulled, &p, q->cores}, arena, count, pull, &p);
    fix_price(lever, count);
    return count;
}
