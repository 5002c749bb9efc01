/* replica_report.c -- one copy of a model: see demand_parts.h. */
#include "report/number_words.h"
#include "report_serving/demand_parts.h"

#include <string.h>

enum { PAGE_COLUMNS = 100 };

/* Two parts of a line that is broken between them where it would be wider than a page. */
static void print_parts(clg_text *t, const char *first, const char *second) {
    bool wide = strlen(first) + 1 + strlen(second) > PAGE_COLUMNS;
    clg_text_print(t, "%s%s%s\n", first, wide ? "\n         " : " ", second);
}

static void print_ranks(clg_text *t, const clg_replica *r) {
    const char *experts = clg_arena_print(t->arena, "experts in %d groups", r->layout.ep);
    if (r->layout.dp > 1)
        clg_text_print(t, "         attention on %d ranks that share out sequences%s%s\n",
                       r->layout.dp, r->layout.ep > 1 ? ", " : "", r->layout.ep > 1 ? experts : "");
    else if (r->layout.ep > 1)
        clg_text_print(t, "         %s\n", experts);
}

static const char *short_name(clg_text *t, const clg_gpu *gpu) {
    if (!gpu->asked) return gpu->name;
    return clg_arena_print(t->arena, "%s (taken for '%s')", gpu->name, gpu->asked);
}

/* "at most 1,024 sequences", and tokens of an iteration where they are not the engine's. */
static const char *limits_of(clg_text *t, const clg_replica *r) {
    const char *sequences = clg_words_grouped(t, r->rules.max_sequences);
    bool own = r->rules.max_tokens == (int)r->engine.max_tokens * r->layout.dp;
    if (own) return clg_arena_print(t->arena, "at most %s sequences", sequences);
    return clg_arena_print(t->arena, "at most %s sequences, %s tokens an iteration", sequences,
                           clg_words_grouped(t, r->rules.max_tokens));
}

void clg_report_replica(clg_text *t, const clg_replica *r) {
    const clg_model *m = &r->scenario->model;
    size_t from = t->size;
    print_parts(
        t,
        clg_arena_print(t->arena, "replica  %s on %d x %s: tp %d, pp %d, weights %s, cache %s,",
                        clg_words_model(t, m), clg_replica_gpus(r),
                        short_name(t, &r->scenario->machine.gpu), r->layout.tp, r->layout.pp,
                        clg_name_of(clg_precision_names, (int)r->layout.weights),
                        clg_name_of(clg_precision_names, (int)r->layout.cache)),
        r->engine.title);
    clg_text_fold(t, from, 9);
    print_ranks(t, r);
    if (r->prefill)
        clg_text_print(
            t,
            "         %d x %d GPUs make first tokens, %d x %d the others\n"
            "         the cache of a prompt goes over in %s and %s per thousand tokens\n",
            r->prefills, clg_replica_part_gpus(r->prefill), r->decodes, clg_replica_part_gpus(r),
            clg_words_quantity(t, r->transfer_s, CLG_SECONDS),
            clg_words_quantity(t, 1000 * r->transfer_token_s, CLG_SECONDS));
    if (r->cost.drafted > 0)
        clg_text_print(t, "         %.0f tokens proposed an iteration, %.2f gained\n",
                       r->cost.drafted, r->cost.gained);
    print_parts(t,
                clg_arena_print(
                    t->arena, "         %.1f GB of weights a GPU; cache of %s tokens in %s blocks;",
                    r->room.weight_bytes / 1e9,
                    clg_words_grouped(t, (double)r->rules.blocks * r->rules.block_tokens),
                    clg_words_grouped(t, (double)r->rules.blocks)),
                limits_of(t, r));
    if (r->layout.adapters > 0)
        clg_text_print(t, "         of the weights %s adapter%s of rank %d: %.0f MB each\n",
                       clg_words_grouped(t, r->layout.adapters), r->layout.adapters == 1 ? "" : "s",
                       r->layout.adapter.rank, r->room.adapter_bytes / 1e6);
    if (r->room.state_bytes > 0)
        clg_text_print(
            t, "         %.1f MB a GPU for the states of a sequence%s\n", r->room.state_bytes / 1e6,
            r->rules.sequence_blocks > 0
                ? clg_arena_print(t->arena, ", %d blocks of the cache", r->rules.sequence_blocks)
                : "");
}

void clg_report_context(clg_text *t, const clg_replica *r) {
    int64_t most = r->scenario->model.max_seq;
    size_t from = t->size;
    if (most <= 0 || r->longest_tokens <= most) return;
    clg_text_print(t,
                   "note     a request of %s tokens is longer than the %s that the model is "
                   "published for: engines refuse it unless told otherwise\n",
                   clg_words_grouped(t, (double)r->longest_tokens),
                   clg_words_grouped(t, (double)most));
    clg_text_fold(t, from, 9);
}
