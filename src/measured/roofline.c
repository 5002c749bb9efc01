/* roofline.c -- see the header. */
#include "measured/roofline.h"

#include "base/real.h"

#include <math.h>

typedef struct roof {
    const clg_replica *replica;
    const clg_demand_means *means;
    double gpus, peak, hbm;    /* of one copy of the weights; per GPU */
    double fixed, routed;      /* bytes of weights a GPU reads always; of its experts */
    double chosen;             /* share of the experts that a token visits */
    double flop, tokens_ahead; /* per token; an iteration makes so many tokens a sequence */
} roof;

/* Of all layers' routed experts, how many parameters, and the share a token visits. */
static double routed_parameters(const clg_model *m, double *chosen) {
    double all = 0, visited = 0;
    for (int l = 0; l < m->layers; l++) {
        const clg_mlp *mlp = &m->kind[m->layer_kind[l]].mlp;
        if (mlp->kind != CLG_MLP_MOE) continue;
        double each =
            (mlp->gated ? 3.0 : 2.0) * (double)mlp->expert_ffn * (double)clg_expert_input(m, mlp);
        all += each * mlp->experts;
        visited += each * mlp->experts_per_token;
    }
    *chosen = all > 0 ? visited / all : 0;
    return all;
}

static roof roof_of(const clg_replica *r, const clg_demand_means *means) {
    const clg_model *m = &r->scenario->model;
    const clg_gpu *gpu = &r->scenario->machine.gpu;
    roof f = {.replica = r, .means = means, .hbm = gpu->hbm_bytes_per_s};
    f.gpus = clg_replica_part_gpus(r);
    f.peak = gpu->peak_flop_per_s[r->layout.compute];
    f.routed = routed_parameters(m, &f.chosen) * clg_precision_bytes(r->layout.weights) / f.gpus;
    f.fixed = fmax(r->room.weight_bytes - f.routed, 0);
    f.flop = 2 * (double)m->active_parameters;
    f.tokens_ahead = r->cost.drafted > 0 ? r->cost.gained : 1;
    return f;
}

/* Stages follow each other: a token passes the weights of all of them. */
static double weights_s(const roof *f, double tokens) {
    double reached = f->chosen > 0 ? 1 - clg_pow(1 - f->chosen, tokens) : 0;
    return f->replica->layout.pp * (f->fixed + f->routed * reached) / f->hbm;
}

static double prompt_s(const roof *f) {
    double tokens = f->means->prompt_tokens;
    double flops = f->flop * tokens / (f->gpus / f->replica->layout.pp * f->peak);
    return fmax(flops, weights_s(f, tokens));
}

/* `beside`: prompts are computed here too. */
static double iteration_s(const roof *f, double sequences, bool beside) {
    const clg_demand_means *m = f->means;
    double verified = sequences * (f->replica->cost.drafted + 1);
    double tokens = verified;
    if (beside) tokens += sequences * f->tokens_ahead * m->prompt_tokens / m->output_tokens;
    double cache = sequences * (m->context_tokens * f->replica->room.read_bytes_per_token +
                                2 * f->replica->room.state_bytes);
    double read = weights_s(f, tokens) + cache / f->replica->layout.dp / f->hbm;
    return fmax(read, f->flop * tokens / (f->gpus * f->peak));
}

double clg_serve_room(const clg_replica *r, const clg_demand_means *m) {
    double kept = r->rules.reserve_output ? m->output_tokens : m->output_tokens / 2;
    double states = (double)r->rules.sequence_blocks * r->rules.block_tokens;
    double room =
        (double)r->rules.blocks * r->rules.block_tokens / (m->prompt_tokens + kept + states);
    return fmax(1, fmin(room, r->rules.max_sequences));
}

/* How many are there when so many arrive a second: Little's law, its own fixed point. */
static double arriving(const roof *f, double most, double requests_per_s, bool beside) {
    double sequences = 1;
    for (int i = 0; i < 100; i++) {
        double each = iteration_s(f, sequences, beside) / f->tokens_ahead;
        double there = requests_per_s * (prompt_s(f) + f->means->output_tokens * each);
        sequences = fmin(most, fmax(1, 0.5 * (sequences + there)));
    }
    return sequences;
}

/* Output tokens a second for which the prefill part computes prompts. */
static double prompted_per_s(const clg_replica *r, const clg_demand_means *m) {
    if (!r->prefill) return INFINITY;
    roof f = roof_of(r->prefill, m);
    double each = f.flop * m->prompt_tokens / (f.gpus * f.peak);
    return r->prefills * m->output_tokens / each;
}

clg_serve_roofline clg_serve_roofline_of(const clg_replica *r, const clg_demand_means *m,
                                         double clients, double requests_per_s, double requests) {
    roof f = roof_of(r, m), first = r->prefill ? roof_of(r->prefill, m) : f;
    bool beside = !r->prefill && !r->rules.prefilled;
    double copies = r->prefill ? r->decodes : 1, most = clg_serve_room(r, m);
    double sequences = fmin(most, (clients > 0 ? clients : requests) / copies);
    bool timed = clients <= 0 && requests_per_s > 0;
    if (timed) sequences = arriving(&f, most, requests_per_s / copies, beside);
    double iteration = iteration_s(&f, fmax(sequences, 1), beside);
    clg_serve_roofline roofline = {.ttft_s = r->rules.prefilled ? 0 : prompt_s(&first)};
    roofline.tpot_s = iteration / f.tokens_ahead;
    roofline.answer_s = roofline.ttft_s + fmax(m->output_tokens - 1, 0) * roofline.tpot_s;
    roofline.tokens_per_s =
        fmin(copies * fmax(sequences, 1) / roofline.tpot_s, prompted_per_s(r, m));
    if (timed)
        roofline.tokens_per_s = fmin(roofline.tokens_per_s, requests_per_s * m->output_tokens);
    roofline.batch_s = requests * m->output_tokens / roofline.tokens_per_s;
    return roofline;
}
