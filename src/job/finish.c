/* finish.c -- what follows from what a job says: its GPUs, the degrees and batches left out. */
#include "job/reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double get(const clg_reading *r, clg_job_field field) {
    return clg_job_value_or(r, field, 0);
}

/* ---- GPUs ---- */

static const char *from_of(clg_reading *r, const char *part, const clg_json *node) {
    int file = node->column - 1;
    return clg_arena_print(
        r->arena, "%s:%d %s%s",
        file >= 0 && file < r->file_count ? clg_job_base_name(r->files[file].name) : "script",
        node->line, part, node->key);
}

/* The first of "a|b" in a part of the scripts. */
static const clg_json *script_key(const clg_reading *r, const char *part, const char *keys,
                                  clg_arena *arena) {
    const clg_json *object = r->scripts ? clg_tree_find(r->scripts, part) : NULL;
    while (object && *keys) {
        size_t size = strcspn(keys, "|");
        const clg_json *node = clg_tree_find(object, clg_arena_copy(arena, keys, size));
        if (node && node->kind != CLG_JSON_NULL) return node;
        keys += size + (keys[size] == '|');
    }
    return NULL;
}

/* The last number of "8", "gpu:a100:8", "1:4"; 0: none. */
static double last_number(const clg_json *node) {
    const char *text = clg_job_word(node), *colon = strrchr(text, ':');
    if (clg_tree_unknown(node)) return 0;
    double number = atof(colon ? colon + 1 : text);
    return number >= 1 && number <= 1e7 && number == floor(number) ? number : 0;
}

static void count_from(clg_reading *r, clg_job_field field, const char *part, const char *keys,
                       const char *before) {
    const clg_json *node = script_key(r, part, keys, r->arena);
    if (!node || clg_job_has_field(r, field)) return;
    double number = last_number(node);
    if (number > 0)
        clg_job_put(r, field, number, from_of(r, before, node), NULL);
    else if (clg_tree_unknown(node))
        clg_job_note_down(r->arena, &r->job->open, clg_job_row_of(field).name,
                          from_of(r, before, node), "its value is known only when it runs",
                          (int)field);
}

static const clg_json *member_anywhere(const clg_json *node, const char *key) {
    const clg_json *found = NULL;
    for (const clg_json *child = node->first; child && !found; child = child->next)
        found = child->key && strcmp(child->key, key) == 0 ? child : member_anywhere(child, key);
    return found;
}

/* GPUs of a pod, and pods: an indexed job's, or the replicas of a PyTorchJob. */
static void manifest(clg_reading *r) {
    if (!r->manifest) return;
    static const char *const keys[][2] = {{"nvidia.com/gpu", "gpus-per-node"},
                                          {"amd.com/gpu", "gpus-per-node"},
                                          {"completions", "nodes"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const clg_json *node = member_anywhere(r->manifest, keys[i][0]);
        double count = node ? last_number(node) : 0;
        if (count > 0)
            clg_job_put(
                r, (clg_job_field)clg_job_field_named(keys[i][1]), count,
                clg_arena_print(r->arena, "%s:%d %s", r->manifest_name, node->line, keys[i][0]),
                NULL);
    }
    const clg_json *master = member_anywhere(r->manifest, "Master");
    const clg_json *worker = member_anywhere(r->manifest, "Worker");
    const clg_json *more = worker ? member_anywhere(worker, "replicas") : NULL;
    if (more && last_number(more) > 0)
        clg_job_put(r, CLG_JOB_NODES, last_number(more) + (master != NULL),
                    clg_arena_print(r->arena, "%s:%d replicas", r->manifest_name, more->line),
                    NULL);
}

static bool starts_with(const clg_reading *r, const char *starter) {
    const clg_json *node = r->scripts ? clg_tree_find(r->scripts, "starter") : NULL;
    return node && strcmp(node->text, starter) == 0;
}

/* "localhost:0,1@worker:0,1" of deepspeed: how many of how many hosts. */
static void included(clg_reading *r) {
    const clg_json *node = script_key(r, "launch", "include|i", r->arena);
    const char *text = node && !clg_tree_unknown(node) ? clg_job_word(node) : "";
    if (!strchr(text, ':') || clg_job_has_field(r, CLG_JOB_GPUS)) return;
    double count = 0, hosts = 0;
    for (bool listed = false; *text; text++) {
        hosts += *text == ':';
        count += *text == ':' || (listed && *text == ',');
        listed = (listed || *text == ':') && *text != '@';
    }
    clg_job_put(r, CLG_JOB_GPUS, count, from_of(r, "--", node), NULL);
    clg_job_put(r, CLG_JOB_NODES, hosts, from_of(r, "--", node), NULL);
}

/* "0,1,2,3": how many. */
static void visible_devices(clg_reading *r) {
    const clg_json *node =
        script_key(r, "variables",
                   "CUDA_VISIBLE_DEVICES|HIP_VISIBLE_DEVICES|ROCR_VISIBLE_DEVICES|"
                   "ASCEND_RT_VISIBLE_DEVICES",
                   r->arena);
    if (!node || clg_tree_unknown(node) || clg_job_has_field(r, CLG_JOB_GPUS_PER_NODE)) return;
    const char *text = clg_job_word(node);
    double count = text[0] >= '0' && text[0] <= '9' ? 1 : 0;
    for (; *text; text++) count += *text == ',' && text[1] >= '0' && text[1] <= '9';
    if (count > 0) clg_job_put(r, CLG_JOB_GPUS_PER_NODE, count, from_of(r, "", node), NULL);
}

/* Some scripts count nodes in it: that many are started, of GPUs that nobody says. */
static void world_size(clg_reading *r) {
    const clg_json *node = script_key(r, "variables", "WORLD_SIZE", r->arena);
    double nodes = clg_job_value_or(r, CLG_JOB_NODES, 0);
    bool of_nodes =
        node && nodes > 0 && last_number(node) == nodes && get(r, CLG_JOB_GPUS_PER_NODE) != 1;
    if (!of_nodes) count_from(r, CLG_JOB_GPUS, "variables", "WORLD_SIZE", "");
}

/* What starts processes here alone unless it is told of other nodes. */
static void one_node(clg_reading *r) {
    bool torch =
        starts_with(r, "torchrun") || starts_with(r, "python") || starts_with(r, "python3");
    bool counted = script_key(r, "launch", "nproc-per-node", r->arena) != NULL;
    bool alone = !script_key(r, "launch", "nnodes", r->arena) &&
                 (starts_with(r, "python") || starts_with(r, "python3"));
    bool visible = get(r, CLG_JOB_GPUS_PER_NODE) > 0;
    bool hosts = script_key(r, "launch", "hostfile|H", r->arena) != NULL;
    if (clg_job_has_field(r, CLG_JOB_NODES)) return;
    if (torch && counted)
        clg_job_put(r, CLG_JOB_NODES, 1, NULL, "default of torchrun: one node");
    else if (starts_with(r, "deepspeed") && !hosts && get(r, CLG_JOB_GPUS_PER_NODE) > 0)
        clg_job_put(r, CLG_JOB_NODES, 1, NULL, "deepspeed without a hostfile: one node");
    else if (alone && visible && !script_key(r, "slurm", "nodes", r->arena))
        clg_job_put(r, CLG_JOB_NODES, 1, NULL, "python without a launcher: one node");
}

/* What a script tells NCCL and CUDA to leave out: a plan of the machine does not know it. */
static void left_out(clg_reading *r) {
    static const struct {
        const char *variable, *why;
    } off[] = {
        {"NCCL_IB_DISABLE", "nodes talk over sockets, while RDMA is priced: give --fabric "
                            "ethernet-25 or ethernet-100"},
        {"NCCL_P2P_DISABLE",
         "GPUs of a node talk through its memory, while their links are priced"},
        {"CUDA_LAUNCH_BLOCKING", "each kernel waits for the one before: slower than is priced"}};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        const clg_json *node = script_key(r, "variables", off[i].variable, r->arena);
        if (node && last_number(node) == 1)
            clg_job_note_down(r->arena, &r->job->doubts, off[i].variable, from_of(r, "", node),
                              off[i].why, -1);
    }
}

/* Flags of a wrapper, beside those of a start that knows of no nodes: on each of its nodes. */
static void wrapped(clg_reading *r) {
    const clg_json *gpus = script_key(r, "launch", "gpus", r->arena);
    const clg_json *each = script_key(r, "launch", "num_processes|np", r->arena);
    const clg_json *nodes = script_key(r, "launch", "num_nodes", r->arena);
    bool within = script_key(r, "launch", "nnodes|num_machines|hostfile|H", r->arena) != NULL;
    if (!gpus || !each || !nodes || within || clg_job_has_field(r, CLG_JOB_NODES)) return;
    double count = last_number(gpus), all = count * last_number(nodes);
    if (all <= count || last_number(each) != count) return;
    clg_job_forget(r, CLG_JOB_GPUS); /* of one node */
    clg_job_put(r, CLG_JOB_GPUS_PER_NODE, count, from_of(r, "--", gpus), NULL);
    clg_job_put(r, CLG_JOB_GPUS, all, NULL, "nodes x GPUs per node");
}

static void machine(clg_reading *r) {
    left_out(r);
    included(r);
    wrapped(r);
    count_from(r, CLG_JOB_GPUS_PER_NODE, "launch",
               "nproc-per-node|num_gpus|gpus-per-node|gpus_per_node|gres", "--");
    count_from(r, CLG_JOB_NODES, "launch", "nnodes|num_nodes|num_machines|nodes|N", "--");
    count_from(r, CLG_JOB_GPUS, "launch", "num_processes|np", "--");
    count_from(r, CLG_JOB_GPUS_PER_NODE, "slurm", "gpus-per-node|gres|gpus-per-task", "#SBATCH --");
    visible_devices(r);
    manifest(r);
    count_from(r, CLG_JOB_NODES, "around", "nodes|N|num_nodes|nnodes", "--");
    count_from(r, CLG_JOB_NODES, "slurm", "nodes", "#SBATCH --");
    count_from(r, CLG_JOB_GPUS, "slurm", "gpus", "#SBATCH --");
    count_from(r, CLG_JOB_GPUS_PER_NODE, "around",
               "gpus-per-node|gres|ntasks-per-node|num_gpus|nproc-per-node", "--");
    count_from(
        r, CLG_JOB_GPUS_PER_NODE, "variables",
        "GPUS_PER_NODE|NPROC_PER_NODE|NUM_GPUS_PER_NODE|NUM_GPUS_PERNODE|N_GPUS_PER_NODE|NGPU|"
        "GPU_PER_NODE|SLURM_GPUS_PER_NODE",
        "");
    count_from(r, CLG_JOB_GPUS_PER_NODE, "slurm", "ntasks-per-node", "#SBATCH --");
    count_from(r, CLG_JOB_NODES, "variables", "NNODES|NUM_NODES|NODES|N_NODES|NNODE", "");
    world_size(r);
    count_from(r, CLG_JOB_GPUS, "variables", "N_GPUS|GPUS|NUM_GPUS", "");
    if (!clg_job_has_field(r, CLG_JOB_NODES)) /* of scripts for one node */
        count_from(r, CLG_JOB_GPUS, "variables", "NGPU", "");
    one_node(r);
}

/* "gpu:h100:8", "--constraint=a100", a folder named after it. */
static void name_gpu(clg_reading *r) {
    static const char *const keys[] = {"gres", "gpus-per-node", "gpus", "constraint", "partition"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const clg_json *node = script_key(r, "slurm", keys[i], r->arena);
        const char *gpu = node ? clg_job_gpu_in(r->arena, clg_job_word(node)) : NULL;
        if (gpu) clg_job_put_word(r, CLG_JOB_GPU, gpu, from_of(r, "#SBATCH --", node), NULL);
    }
    for (int i = 0; i < r->file_count && !clg_job_has_field(r, CLG_JOB_GPU); i++) {
        const char *gpu = clg_job_gpu_in(r->arena, r->files[i].name);
        if (gpu) clg_job_put_word(r, CLG_JOB_GPU, gpu, NULL, "named in the file's path");
    }
}

static void make(clg_reading *r, clg_job_field field, double value, const char *why) {
    if (value >= 1 && value == floor(value) && value < 1e12)
        clg_job_put(r, field, value, NULL, why);
}

static void doubt(clg_reading *r, const char *key, const char *why) {
    clg_job_note_down(r->arena, &r->job->doubts, key, NULL, why, -1);
}

static void count_gpus(clg_reading *r) {
    if (get(r, CLG_JOB_NODES) > 0 && get(r, CLG_JOB_GPUS_PER_NODE) > 0)
        make(r, CLG_JOB_GPUS, get(r, CLG_JOB_NODES) * get(r, CLG_JOB_GPUS_PER_NODE),
             "nodes x GPUs per node");
    if (get(r, CLG_JOB_GPUS) > 0 && get(r, CLG_JOB_NODES) > 0)
        make(r, CLG_JOB_GPUS_PER_NODE, get(r, CLG_JOB_GPUS) / get(r, CLG_JOB_NODES),
             "GPUs over nodes");
}

/* ---- degrees ---- */

/* Ranks of one copy of the model. */
static double copy_ranks(const clg_reading *r) {
    return clg_job_value_or(r, CLG_JOB_TP, 1) * clg_job_value_or(r, CLG_JOB_PP, 1) *
           clg_job_value_or(r, CLG_JOB_CP, 1);
}

static void degrees(clg_reading *r) {
    double ranks = copy_ranks(r), gpus = get(r, CLG_JOB_GPUS);
    if (get(r, CLG_JOB_SHARDS) > 0 && get(r, CLG_JOB_REPLICAS) > 0)
        make(r, CLG_JOB_DP, get(r, CLG_JOB_SHARDS) * get(r, CLG_JOB_REPLICAS), "shards x replicas");
    if (gpus > 0 && fmod(gpus, ranks) == 0)
        make(r, CLG_JOB_DP, gpus / ranks, "GPUs over tp x cp x pp");
    if (gpus > 0 && fmod(gpus, ranks) != 0)
        doubt(r, "gpus",
              clg_arena_print(r->arena,
                              "%.0f GPUs are started, and tp x cp x pp needs a multiple of %.0f: "
                              "the files contradict each other, give --gpus",
                              gpus, ranks));
    if (get(r, CLG_JOB_DP) > 0 && gpus == 0)
        make(r, CLG_JOB_GPUS, get(r, CLG_JOB_DP) * ranks, "dp x tp x cp x pp");
    else if (get(r, CLG_JOB_DP) > 0 && get(r, CLG_JOB_DP) * ranks != gpus && fmod(gpus, ranks) == 0)
        doubt(r, "dp",
              clg_arena_print(r->arena, "dp x tp x cp x pp is %.0f, and %.0f GPUs are started",
                              get(r, CLG_JOB_DP) * ranks, gpus));
    double replicas = get(r, CLG_JOB_REPLICAS), shards = get(r, CLG_JOB_SHARDS);
    if (replicas > 1 && get(r, CLG_JOB_DP) > 0 && get(r, CLG_JOB_ZERO) > 0)
        make(r, CLG_JOB_HSDP, shards > 0 ? shards : get(r, CLG_JOB_DP) / replicas,
             "ranks that one set of shards spans");
}

/* Only whole layers can be some of them. */
static void recomputed_layers(clg_reading *r) {
    const char *mode = r->job->field[CLG_JOB_RECOMPUTE].text;
    if (!mode || strcmp(mode, "full") != 0 || get(r, CLG_JOB_RECOMPUTE_LAYERS) < 1)
        clg_job_forget(r, CLG_JOB_RECOMPUTE_LAYERS);
}

/* Ranks and targets are an adapter's. */
static void adapters(clg_reading *r) {
    const char *adapter = r->job->field[CLG_JOB_ADAPTER].text;
    if (!adapter || strcmp(adapter, "none") != 0) return;
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
    double tp = clg_job_value_or(r, CLG_JOB_TP, 1), ep = get(r, CLG_JOB_EP);
    double ranks = tp * clg_job_value_or(r, CLG_JOB_CP, 1) * get(r, CLG_JOB_DP);
    double each = ep * clg_job_value_or(r, CLG_JOB_ETP, 1);
    if (ep > 1 && ranks > 0 && fmod(ranks, each) != 0)
        doubt(
            r, "ep",
            clg_arena_print(r->arena, "ep x etp is %.0f, and a stage has %.0f ranks", each, ranks));
}

/* Shards within a node, copies between, where the strategy says no more. */
static void hybrid(clg_reading *r) {
    double node = get(r, CLG_JOB_GPUS_PER_NODE), dp = get(r, CLG_JOB_DP);
    if (get(r, CLG_JOB_HYBRID) > 0 && node > 1 && dp > node && fmod(dp, node) == 0)
        clg_job_put(r, CLG_JOB_HSDP, node, NULL, "hybrid sharding: within a node");
}

static void pipeline(clg_reading *r) {
    if (get(r, CLG_JOB_EXPERTS) == 1) clg_job_forget(r, CLG_JOB_EXPERTS);
    double pp = clg_job_value_or(r, CLG_JOB_PP, 1), layers = get(r, CLG_JOB_LAYERS);
    double each = get(r, CLG_JOB_CHUNK_LAYERS);
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
    if (get(r, CLG_JOB_TP) == 1 && get(r, CLG_JOB_SP) > 0) {
        clg_job_forget(r, CLG_JOB_SP);
        clg_job_put(r, CLG_JOB_SP, 0, NULL, "sequence parallel does nothing at tp 1");
    }
}

/* ---- batches ---- */

static void batches(clg_reading *r) {
    double dp = get(r, CLG_JOB_DP), pp = clg_job_value_or(r, CLG_JOB_PP, 1);
    double rank = get(r, CLG_JOB_RANK_BATCH), tokens = get(r, CLG_JOB_BATCH_TOKENS);
    if (tokens > 0 && get(r, CLG_JOB_SEQ) > 0)
        make(r, CLG_JOB_GLOBAL_BATCH, floor(tokens / get(r, CLG_JOB_SEQ) + 0.5),
             "tokens of a batch over the sequence");
    if (rank > 0 && pp <= 1) make(r, CLG_JOB_MICRO_BATCH, rank, "batch of a rank, no pipeline");
    if (rank > 0 && dp > 0) make(r, CLG_JOB_GLOBAL_BATCH, rank * dp, "batch of a rank x dp");
    double micro = get(r, CLG_JOB_MICRO_BATCH), global = get(r, CLG_JOB_GLOBAL_BATCH);
    double steps = get(r, CLG_JOB_ACCUMULATION);
    if (micro > 0 && steps > 0 && dp > 0)
        make(r, CLG_JOB_GLOBAL_BATCH, micro * steps * dp, "micro-batch x accumulation x dp");
    if (micro > 0 && global > 0 && dp > 0)
        make(r, CLG_JOB_ACCUMULATION, global / (micro * dp), "global batch over micro-batch x dp");
    if (steps > 0 && global > 0 && dp > 0)
        make(r, CLG_JOB_MICRO_BATCH, global / (steps * dp), "global batch over accumulation x dp");
    global = get(r, CLG_JOB_GLOBAL_BATCH), steps = get(r, CLG_JOB_ACCUMULATION);
    if (micro > 0 && dp > 0 && global > 0 && fmod(global, micro * dp) != 0)
        doubt(r, "global-batch",
              clg_arena_print(r->arena,
                              "a global batch of %.0f is no multiple of micro-batch x dp = %.0f",
                              global, micro * dp));
    if (dp == 0 && micro > 0 && global > 0 && steps > 0)
        make(r, CLG_JOB_DP, global / (micro * steps),
             "global batch over micro-batch x accumulation");
    if (get(r, CLG_JOB_STEPS) > 0 && global > 0 && get(r, CLG_JOB_SEQ) > 0)
        clg_job_put(r, CLG_JOB_TOKENS, get(r, CLG_JOB_STEPS) * global * get(r, CLG_JOB_SEQ), NULL,
                    "steps x global batch x sequence");
}

void clg_job_finish(clg_reading *r) {
    machine(r);
    name_gpu(r);
    count_gpus(r);
    degrees(r);
    hybrid(r);
    experts(r);
    recomputed_layers(r);
    adapters(r);
    second_model(r);
    pipeline(r);
    batches(r);
    degrees(r);
    count_gpus(r);
}
