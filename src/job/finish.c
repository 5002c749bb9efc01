/* finish.c -- what follows from what a job says: degrees and batches left out. */
#include "job/reading.h"

#include <math.h>
#include <string.h>

static void make(clg_reading *r, clg_job_field field, double value, const char *why) {
    if (value >= 1 && value == floor(value) && value < 1e12)
        clg_job_put(r, field, value, NULL, why);
}

static void doubt(clg_reading *r, const char *key, const char *why) {
    clg_job_note_down(r->arena, &r->job->doubts, key, NULL, why, -1);
}

static void count_gpus(clg_reading *r) {
    if (clg_job_get(r, CLG_JOB_NODES) > 0 && clg_job_get(r, CLG_JOB_GPUS_PER_NODE) > 0)
        make(r, CLG_JOB_GPUS, clg_job_get(r, CLG_JOB_NODES) * clg_job_get(r, CLG_JOB_GPUS_PER_NODE),
             "nodes x GPUs per node");
    if (clg_job_get(r, CLG_JOB_GPUS) > 0 && clg_job_get(r, CLG_JOB_NODES) > 0)
        make(r, CLG_JOB_GPUS_PER_NODE, clg_job_get(r, CLG_JOB_GPUS) / clg_job_get(r, CLG_JOB_NODES),
             "GPUs over nodes");
}

/* ---- degrees ---- */

/* Ranks of one copy of the model. */
static double copy_ranks(const clg_reading *r) {
    return clg_job_value_or(r, CLG_JOB_TP, 1) * clg_job_value_or(r, CLG_JOB_PP, 1) *
           clg_job_value_or(r, CLG_JOB_CP, 1);
}

static void degrees(clg_reading *r) {
    double ranks = copy_ranks(r), gpus = clg_job_get(r, CLG_JOB_GPUS);
    if (clg_job_get(r, CLG_JOB_SHARDS) > 0 && clg_job_get(r, CLG_JOB_REPLICAS) > 0)
        make(r, CLG_JOB_DP, clg_job_get(r, CLG_JOB_SHARDS) * clg_job_get(r, CLG_JOB_REPLICAS),
             "shards x replicas");
    if (gpus > 0 && fmod(gpus, ranks) == 0)
        make(r, CLG_JOB_DP, gpus / ranks, "GPUs over tp x cp x pp");
    if (gpus > 0 && fmod(gpus, ranks) != 0)
        doubt(r, "gpus",
              clg_arena_print(r->arena,
                              "%.0f GPUs are started, and tp x cp x pp needs a multiple of %.0f: "
                              "the files contradict each other, give --gpus",
                              gpus, ranks));
    if (clg_job_get(r, CLG_JOB_DP) > 0 && gpus == 0)
        make(r, CLG_JOB_GPUS, clg_job_get(r, CLG_JOB_DP) * ranks, "dp x tp x cp x pp");
    else if (clg_job_get(r, CLG_JOB_DP) > 0 && clg_job_get(r, CLG_JOB_DP) * ranks != gpus &&
             fmod(gpus, ranks) == 0)
        doubt(r, "dp",
              clg_arena_print(r->arena, "dp x tp x cp x pp is %.0f, and %.0f GPUs are started",
                              clg_job_get(r, CLG_JOB_DP) * ranks, gpus));
    double replicas = clg_job_get(r, CLG_JOB_REPLICAS), shards = clg_job_get(r, CLG_JOB_SHARDS);
    if (replicas > 1 && clg_job_get(r, CLG_JOB_DP) > 0 && clg_job_get(r, CLG_JOB_ZERO) > 0)
        make(r, CLG_JOB_HSDP, shards > 0 ? shards : clg_job_get(r, CLG_JOB_DP) / replicas,
             "ranks that one set of shards spans");
}

/* Only whole layers can be some of them. */
static void recomputed_layers(clg_reading *r) {
    const char *mode = r->job->field[CLG_JOB_RECOMPUTE].text;
    if (!mode || strcmp(mode, "full") != 0 || clg_job_get(r, CLG_JOB_RECOMPUTE_LAYERS) < 1)
        clg_job_forget(r, CLG_JOB_RECOMPUTE_LAYERS);
}

/* Weights of 16 bit whose optimizer keeps no copy: DeepSpeed and FSDP of Hugging Face's trainers
 * keep one of what they shard (accelerate accelerator.py: "Upcasted low precision parameters"). */
static void unsharded(clg_reading *r) {
    const clg_job_value *master = &r->job->field[CLG_JOB_UNSHARDED_MASTER];
    const char *format = r->job->field[CLG_JOB_PRECISION].text;
    const char *adapter = r->job->field[CLG_JOB_ADAPTER].text;
    bool whole = clg_job_has_field(r, CLG_JOB_ZERO) && clg_job_get(r, CLG_JOB_ZERO) == 0;
    if (!master->text || !whole || !format || strcmp(format, "bf16") != 0 ||
        (adapter && strcmp(adapter, "none") != 0))
        return;
    clg_job_put_word(r, CLG_JOB_MASTER, master->text, master->from, master->why);
    clg_job_put_word(r, CLG_JOB_GRADIENT, format, NULL, "in the format of the weights");
}

/* Ranks and targets are an adapter's; how weights are kept and updated, of a model that is trained.
 */
static void adapters(clg_reading *r) {
    const char *adapter = r->job->field[CLG_JOB_ADAPTER].text;
    if (!adapter) return;
    if (strcmp(adapter, "none") != 0) {
        clg_job_forget(r, CLG_JOB_MASTER);
        clg_job_forget(r, CLG_JOB_TERM);
        return;
    }
    clg_job_forget(r, CLG_JOB_ADAPTER_RANK);
    clg_job_forget(r, CLG_JOB_ADAPTER_TARGETS);
}

/* KTO trains each sequence and runs it once more with another answer, forward only, as the
 * reference does both (TRL kto_trainer.py): 6 passes forward's worth, where a pair with its
 * reference has 8. */
static bool is_kto(clg_reading *r) {
    clg_found_key key = clg_job_key(r, r->main, "stage|rl|train_impl");
    return key.node && clg_job_is(clg_job_word(key.node), "kto");
}

/* A frozen model that runs forward beside the trained one: DPO's reference, a named teacher. */
static void second_model(clg_reading *r) {
    const char *teacher = r->job->field[CLG_JOB_TEACHER].text;
    if (!teacher) return;
    if (strcmp(teacher, "pairs") == 0) { /* ORPO compares them without another model */
        doubt(
            r, "second-model",
            "named after ORPO, which has no second model: batches count pairs, priced as twice as "
            "many sequences");
        return;
    }
    bool pairs = strcmp(teacher, "reference") == 0;
    clg_job_put_word(r, CLG_JOB_REFERENCE, "model", NULL,
                     pairs ? "a frozen model runs forward beside" : "taken as of the same sizes");
    doubt(r, "second-model",
          pairs && is_kto(r) ? "KTO is priced as pairs: a third too long, its activations twice"
          : pairs            ? "batches count pairs: priced as twice as many sequences"
                  : "the second model is priced as one of the trained one's sizes, over the same "
                    "sequences");
}

/* Experts are spread over the ranks of one stage. */
static void experts(clg_reading *r) {
    double tp = clg_job_value_or(r, CLG_JOB_TP, 1), ep = clg_job_get(r, CLG_JOB_EP);
    double ranks = tp * clg_job_value_or(r, CLG_JOB_CP, 1) * clg_job_get(r, CLG_JOB_DP);
    double each = ep * clg_job_value_or(r, CLG_JOB_ETP, 1);
    if (ep > 1 && ranks > 0 && fmod(ranks, each) != 0)
        doubt(
            r, "ep",
            clg_arena_print(r->arena, "ep x etp is %.0f, and a stage has %.0f ranks", each, ranks));
}

/* Shards within a node, copies between, where the strategy says no more. */
static void hybrid(clg_reading *r) {
    double node = clg_job_get(r, CLG_JOB_GPUS_PER_NODE), dp = clg_job_get(r, CLG_JOB_DP);
    if (clg_job_get(r, CLG_JOB_REPLICAS) == 1) return;
    if (clg_job_get(r, CLG_JOB_HYBRID) > 0 && node > 1 && dp > node && fmod(dp, node) == 0)
        clg_job_put(r, CLG_JOB_HSDP, node, NULL, "hybrid sharding: within a node");
}

static void pipeline(clg_reading *r) {
    if (clg_job_get(r, CLG_JOB_EXPERTS) == 1) clg_job_forget(r, CLG_JOB_EXPERTS);
    double pp = clg_job_value_or(r, CLG_JOB_PP, 1), layers = clg_job_get(r, CLG_JOB_LAYERS);
    double each = clg_job_get(r, CLG_JOB_CHUNK_LAYERS);
    if (pp > 1 && each > 0 && layers > 0)
        make(r, CLG_JOB_VPP, ceil(layers / (pp * each)), "layers over pp x layers of a chunk");
    if (pp <= 1) {
        clg_job_forget(r, CLG_JOB_SCHEDULE);
        clg_job_forget(r, CLG_JOB_VPP);
    }
    bool open = each > 0 && layers <= 0; /* the model is still to be found */
    if (clg_job_has_field(r, CLG_JOB_PP) && !open) make(r, CLG_JOB_VPP, 1, "one chunk a stage");
    if (pp > 1 && !clg_job_has_field(r, CLG_JOB_SCHEDULE))
        clg_job_put_word(r, CLG_JOB_SCHEDULE,
                         clg_job_value_or(r, CLG_JOB_VPP, 1) > 1 ? "interleaved" : "1f1b", NULL,
                         "the trainer's for these chunks");
    if (clg_job_get(r, CLG_JOB_TP) == 1 && clg_job_get(r, CLG_JOB_SP) > 0) {
        clg_job_forget(r, CLG_JOB_SP);
        clg_job_put(r, CLG_JOB_SP, 0, NULL, "sequence parallel does nothing at tp 1");
    }
}

/* ---- batches ---- */

static void batches(clg_reading *r) {
    double dp = clg_job_get(r, CLG_JOB_DP), pp = clg_job_value_or(r, CLG_JOB_PP, 1);
    double rank = clg_job_get(r, CLG_JOB_RANK_BATCH), tokens = clg_job_get(r, CLG_JOB_BATCH_TOKENS);
    if (tokens > 0 && clg_job_get(r, CLG_JOB_SEQ) > 0)
        make(r, CLG_JOB_GLOBAL_BATCH, floor(tokens / clg_job_get(r, CLG_JOB_SEQ) + 0.5),
             "tokens of a batch over the sequence");
    if (rank > 0 && pp <= 1) make(r, CLG_JOB_MICRO_BATCH, rank, "batch of a rank, no pipeline");
    if (rank > 0 && dp > 0) make(r, CLG_JOB_GLOBAL_BATCH, rank * dp, "batch of a rank x dp");
    double micro = clg_job_get(r, CLG_JOB_MICRO_BATCH),
           global = clg_job_get(r, CLG_JOB_GLOBAL_BATCH);
    double steps = clg_job_get(r, CLG_JOB_ACCUMULATION);
    if (micro > 0 && steps > 0 && dp > 0)
        make(r, CLG_JOB_GLOBAL_BATCH, micro * steps * dp, "micro-batch x accumulation x dp");
    if (micro > 0 && global > 0 && dp > 0)
        make(r, CLG_JOB_ACCUMULATION, global / (micro * dp), "global batch over micro-batch x dp");
    if (steps > 0 && global > 0 && dp > 0)
        make(r, CLG_JOB_MICRO_BATCH, global / (steps * dp), "global batch over accumulation x dp");
    global = clg_job_get(r, CLG_JOB_GLOBAL_BATCH), steps = clg_job_get(r, CLG_JOB_ACCUMULATION);
    if (micro > 0 && dp > 0 && global > 0 && fmod(global, micro * dp) != 0)
        doubt(r, "global-batch",
              clg_arena_print(r->arena,
                              "a global batch of %.0f is no multiple of micro-batch x dp = %.0f",
                              global, micro * dp));
    if (dp == 0 && micro > 0 && global > 0 && steps > 0)
        make(r, CLG_JOB_DP, global / (micro * steps),
             "global batch over micro-batch x accumulation");
    if (clg_job_get(r, CLG_JOB_STEPS) > 0 && global > 0 && clg_job_get(r, CLG_JOB_SEQ) > 0)
        clg_job_put(r, CLG_JOB_TOKENS,
                    clg_job_get(r, CLG_JOB_STEPS) * global * clg_job_get(r, CLG_JOB_SEQ), NULL,
                    "steps x global batch x sequence");
}

/* What was open at first and followed from others later. */
static void close_known(clg_reading *r) {
    clg_job_notes *open = &r->job->open;
    int kept = 0;
    for (int i = 0; i < open->count; i++) {
        int field = open->note[i].field;
        if (field < 0 || !clg_job_has_field(r, (clg_job_field)field))
            open->note[kept++] = open->note[i];
    }
    open->count = kept;
}

void clg_job_finish(clg_reading *r) {
    clg_job_started(r);
    count_gpus(r);
    degrees(r);
    hybrid(r);
    experts(r);
    recomputed_layers(r);
    unsharded(r);
    adapters(r);
    second_model(r);
    pipeline(r);
    batches(r);
    degrees(r);
    count_gpus(r);
    close_known(r);
}
