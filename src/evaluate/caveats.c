/* caveats.c -- what a person should know before acting on the numbers. */
#include "evaluate/advice.h"
#include "layout/batch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct notes {
    clg_arena *arena;
    const char *all; /* "; "-joined; NULL: none */
} notes;

static void note(notes *n, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(notes *n, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    n->all = n->all ? clg_arena_print(n->arena, "%s; %s", n->all, text)
                    : clg_arena_copy(n->arena, text, strlen(text));
}

/* Kernels that were not timed on this GPU. */
static void note_kernels(notes *n, const clg_scenario *s, const clg_layout *layout) {
    const clg_kernels *kernels = &s->kernels;
    const char *gpu = s->machine.gpu.name;
    if (kernels->borrowed)
        note(n, "no kernels were timed on %s: %s", gpu, kernels->file);
    else if (!kernels->gemm[layout->precision].known)
        note(n, "no %s products were timed on %s: a wider format's shares stand in",
             clg_name_of(clg_precision_names, (int)layout->precision), gpu);
    if (clg_model_experts(&s->model) && !kernels->grouped[layout->precision].known)
        note(n, "no grouped products were timed on %s: others' shares stand in", gpu);
    if (layout->attention > CLG_BLOCKWISE && !kernels->attention[layout->attention].known)
        note(n, "no %s attention was timed on %s: %s share stands in",
             clg_name_of(clg_attention_kernel_names, layout->attention),
             kernels->borrowed ? "its lender" : gpu,
             layout->attention == CLG_ATTENTION_MASKED ? "flash1's" : "flash2's");
}

static void note_links(notes *n, const clg_scenario *s) {
    if (s->network.borrowed)
        note(n,
             "no collectives were timed over links of %s: others' stand in, and traffic "
             "widens the interval twice as much",
             s->machine.gpu.name);
}

/* Four times 15,360 sequences of 4,096 tokens (arXiv:2412.19437, section 4.2), the largest batch of
 * a published run known here: beyond it a slip is likelier. */
static const double most_batch_tokens = 4 * 15360.0 * 4096;

/* What was asked for beyond what model and software are known to do. */
static void note_request(notes *n, const clg_scenario *s, const clg_layout *layout) {
    const char *lacks = clg_stack_lacks(&s->stack, layout);
    if (!clg_stack_runs_on(&s->stack, s->machine.gpu.vendor))
        note(n, "%s is not known to run on this vendor's GPUs (%s)", s->stack.title,
             s->machine.gpu.vendor);
    if (lacks) note(n, "%s is not known to have %s", s->stack.title, lacks);
    if (s->model.unread)
        note(n, "nothing here reads %s of the model's file: it may be another model",
             s->model.unread);
    if (s->model.max_seq > 0 && layout->seq > s->model.max_seq)
        note(n, "sequences are longer than the %lld tokens of the model's file",
             (long long)s->model.max_seq);
    double tokens = clg_layout_tokens(layout);
    if (tokens > most_batch_tokens)
        note(n,
             "%.3g Gtok a step is more than any published run took: a batch without a unit counts "
             "sequences",
             tokens / 1e9);
    if (layout->offload)
        note(n, "the update on the host is priced as on the one timed in public; published jobs "
                "took longer");
}

/* A batch given in tokens is often a number of sequences that next to nothing divides. It matters
 * where so MANY ranks would have a few sequences each and powers of two in the batch allow a FEW:
 * said early rather than late, as it costs nothing. */
static void note_batch(notes *n, const clg_scenario *s, const clg_layout *layout) {
    enum { FEW = 8, MANY = 64 };
    int64_t batch = layout->global_batch, ranks = 1;
    while (2 * ranks <= s->machine.gpus && 2 * ranks * FEW <= batch) ranks *= 2;
    if (ranks < MANY || clg_twos_of(batch) > FEW) return;
    int64_t even = (batch + ranks / 2) / ranks * ranks;
    note(n,
         "%lld sequences divide over few data-parallel ranks: %lld (%.4g Mtok) would over up to "
         "%lld",
         (long long)batch, (long long)even, (double)even * (double)layout->seq / 1e6,
         (long long)ranks);
}

/* Performance tables force tokens evenly over experts; who trains a router has a fullest rank. */
static void note_experts(notes *n, const clg_scenario *s, const clg_layout *layout) {
    double fullest = clg_learned_imbalance(s, layout);
    if (!clg_model_experts(&s->model)) return;
    note(n, "mixtures of experts are predicted worse than dense models");
    if (layout->ep == 1 || s->expert_imbalance > 1 || s->stack.experts.capacity > 0) return;
    if (s->stack.experts.learned_routing) {
        note(n, "the fullest of %d expert ranks is taken to have %.2f times the mean of tokens",
             layout->ep, fullest);
        return;
    }
    note(n, "tokens go evenly over %d expert ranks, as benchmarks force them", layout->ep);
    note(n, "a router that learns fills one with about %.2f times the mean: --imbalance %.2f",
         fullest, fullest);
}

const char *clg_evaluate_caveats(clg_arena *arena, const clg_scenario *s,
                                 const clg_layout *layout) {
    notes n = {.arena = arena};
    if (!s->stack.known)
        note(&n, "software unknown: a middle stack stands in, the interval is wide");
    note_kernels(&n, s, layout);
    note_links(&n, s);
    note_request(&n, s, layout);
    note_batch(&n, s, layout);
    note_experts(&n, s, layout);
    if ((double)clg_layout_gpus(layout) > s->stack.sigma.validated_gpus)
        note(&n, "no run of more than %.0f GPUs was compared", s->stack.sigma.validated_gpus);
    return n.all;
}
