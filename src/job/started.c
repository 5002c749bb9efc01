/* started.c -- on which GPUs a job is started, and how many: what launchers, Slurm, manifests and
 * variables say, the nearest to the program first. */
#include "base/letters.h"
#include "dataset/dataset.h"
#include "job/reading.h"
#include "machine/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *from_of(clg_reading *r, const char *part, const clg_json *node) {
    int file = node->column - 1;
    if (file >= 0 && file < r->file_count && clg_was_task(&r->files[file]) && part[0] == '#')
        part = "";
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
    if (number > 0) {
        clg_job_mark_used(r, node);
        clg_job_put(r, field, number, from_of(r, before, node), NULL);
    } else if (clg_tree_unknown(node))
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

/* Pods of a Ray cluster that hold GPUs: the head's and each worker group's replicas. */
static double ray_pods(const clg_reading *r, const clg_json **groups) {
    const clg_json *head = member_anywhere(r->manifest, "headGroupSpec");
    *groups = member_anywhere(r->manifest, "workerGroupSpecs");
    if (!head || !*groups || member_anywhere(r->manifest, "serveConfigV2")) return 0;
    double pods = member_anywhere(head, "nvidia.com/gpu") != NULL;
    for (const clg_json *one = (*groups)->first; one; one = one->next) {
        const clg_json *replicas = clg_json_member(one, "replicas");
        if (member_anywhere(one, "nvidia.com/gpu")) pods += replicas ? last_number(replicas) : 1;
    }
    return pods;
}

/* A leader and its workers, a head and its groups: pods that start one job. */
static void led_pods(clg_reading *r) {
    const clg_json *at = member_anywhere(r->manifest, "workerReplicas");
    double pods = at && last_number(at) > 0 ? last_number(at) + 1 : 0;
    if (pods == 0) pods = ray_pods(r, &at);
    if (pods > 0)
        clg_job_put(r, CLG_JOB_NODES, pods,
                    clg_arena_print(r->arena, "%s:%d %s", r->manifest_name, at->line, at->key),
                    NULL);
}

/* GPUs of a pod, and pods: an indexed job's, a group's, or the replicas of a PyTorchJob. */
static void manifest(clg_reading *r) {
    if (!r->manifest) return;
    static const char *const keys[][2] = {{"nvidia.com/gpu", "gpus-per-node"},
                                          {"amd.com/gpu", "gpus-per-node"},
                                          {"gpuCount", "gpus-per-node"},
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
    const clg_json *group = member_anywhere(r->manifest, "leaderWorkerTemplate");
    const clg_json *size = group ? clg_json_member(group, "size") : NULL;
    if (!size) size = member_anywhere(r->manifest, "numNodes");
    if (size && last_number(size) > 0)
        clg_job_put(r, CLG_JOB_NODES, last_number(size),
                    clg_arena_print(r->arena, "%s:%d %s", r->manifest_name, size->line, size->key),
                    NULL);
    const clg_json *master = member_anywhere(r->manifest, "Master");
    const clg_json *worker = member_anywhere(r->manifest, "Worker");
    const clg_json *more = worker ? member_anywhere(worker, "replicas") : NULL;
    if (more && last_number(more) > 0)
        clg_job_put(r, CLG_JOB_NODES, last_number(more) + (master != NULL),
                    clg_arena_print(r->arena, "%s:%d replicas", r->manifest_name, more->line),
                    NULL);
    if (!clg_job_has_field(r, CLG_JOB_NODES)) led_pods(r);
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
    double count = clg_is_digit(text[0]) ? 1 : 0;
    for (; *text; text++) count += *text == ',' && clg_is_digit(text[1]);
    if (count > 0) clg_job_put(r, CLG_JOB_GPUS_PER_NODE, count, from_of(r, "", node), NULL);
}

/* Some scripts count nodes in it: that many are started, of GPUs that nobody says. */
static void world_size(clg_reading *r) {
    const clg_json *node = script_key(r, "variables", "WORLD_SIZE", r->arena);
    double nodes = clg_job_get(r, CLG_JOB_NODES);
    bool of_nodes = node && nodes > 0 && last_number(node) == nodes &&
                    clg_job_get(r, CLG_JOB_GPUS_PER_NODE) != 1;
    if (!of_nodes) count_from(r, CLG_JOB_GPUS, "variables", "WORLD_SIZE", "");
}

/* "swift sft": a trainer's own command line. */
static bool starts_itself(const clg_reading *r) {
    const clg_json *all = clg_json_member(r->launchers, "programs");
    for (const clg_json *one = all ? all->first : NULL; one; one = one->next)
        if (starts_with(r, one->text)) return true;
    return false;
}

/* What starts processes here alone unless it is told of other nodes. */
static void one_node(clg_reading *r) {
    bool torch =
        starts_with(r, "torchrun") || starts_with(r, "python") || starts_with(r, "python3");
    const clg_json *told = script_key(r, "launch", "nnodes", r->arena);
    bool counted =
        script_key(r, "launch", "nproc-per-node", r->arena) && !(told && last_number(told) < 1);
    bool alone = !script_key(r, "launch", "nnodes", r->arena) &&
                 (starts_with(r, "python") || starts_with(r, "python3") || starts_itself(r));
    bool visible = clg_job_get(r, CLG_JOB_GPUS_PER_NODE) > 0;
    bool hosts = script_key(r, "launch", "hostfile|H", r->arena) != NULL;
    if (clg_job_has_field(r, CLG_JOB_NODES)) return;
    if (torch && counted)
        clg_job_put(r, CLG_JOB_NODES, 1, NULL, "default of torchrun: one node");
    else if (starts_with(r, "deepspeed") && !hosts && clg_job_get(r, CLG_JOB_GPUS_PER_NODE) > 0)
        clg_job_put(r, CLG_JOB_NODES, 1, NULL, "deepspeed without a hostfile: one node");
    else if (alone && visible && !script_key(r, "slurm", "nodes", r->arena))
        clg_job_put(r, CLG_JOB_NODES, 1, NULL, "started without a launcher: one node");
}

/* What a script tells NCCL and CUDA to leave out: a plan of the machine does not know it. */
static void left_out(clg_reading *r) {
    static const struct {
        const char *variable, *unless, *why; /* unless: libfabric does RDMA in its place */
    } off[] = {{"NCCL_IB_DISABLE", "FI_PROVIDER|FI_EFA_USE_DEVICE_RDMA",
                "nodes talk over sockets, while RDMA is priced: give --fabric ethernet-25 or "
                "ethernet-100"},
               {"NCCL_P2P_DISABLE", "",
                "GPUs of a node talk through its memory, while their links are priced"},
               {"CUDA_LAUNCH_BLOCKING", "",
                "each kernel waits for the one before: slower than is priced"}};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        const clg_json *node = script_key(r, "variables", off[i].variable, r->arena);
        if (node && last_number(node) == 1 && !script_key(r, "variables", off[i].unless, r->arena))
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
    clg_job_mark_used(r, gpus);
    clg_job_put(r, CLG_JOB_GPUS_PER_NODE, count, from_of(r, "--", gpus), NULL);
    clg_job_put(r, CLG_JOB_GPUS, all, NULL, "nodes x GPUs per node");
}

/* A label of a node names its GPU, in the words of its driver or of a cloud, or its machine. */
static const char *labelled_gpu(clg_reading *r, const char *label) {
    clg_node node;
    clg_error none = {0};
    const char *gpu = clg_job_gpu_in(r->arena, label);
    if (!gpu) gpu = clg_gpu_name(r->arena, label);
    if (!gpu && clg_node_find(r->arena, label, &node, &none) == CLG_OK) gpu = node.gpu;
    return gpu;
}

/* A key's "h100", "gpu:h100:8", "--constraint=a100", a folder named after it. */
static void name_gpu(clg_reading *r) {
    clg_job_value *said = &r->job->field[CLG_JOB_GPU];
    bool built_in =
        said->text && clg_dataset_find(clg_arena_print(r->arena, "gpu/%s.json", said->text));
    const char *known = said->text && !built_in ? clg_job_gpu_in(r->arena, said->text) : NULL;
    if (known) said->text = known;
    static const char *const keys[] = {"gres", "gpus-per-node", "gpus", "constraint", "partition"};
    const clg_json *label = script_key(r, "slurm", "node-label", r->arena);
    const char *labelled = label ? labelled_gpu(r, clg_job_word(label)) : NULL;
    if (labelled) clg_job_put_word(r, CLG_JOB_GPU, labelled, from_of(r, "", label), NULL);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const clg_json *node = script_key(r, "slurm", keys[i], r->arena);
        const char *gpu = node ? clg_job_gpu_in(r->arena, clg_job_word(node)) : NULL;
        if (gpu) clg_job_put_word(r, CLG_JOB_GPU, gpu, from_of(r, "#SBATCH --", node), NULL);
    }
    for (int i = 0; i < r->file_count && !clg_job_has_field(r, CLG_JOB_GPU); i++) {
        const char *gpu = clg_job_gpu_in(r->arena, r->files[i].name);
        bool word = gpu && strlen(gpu) > 3; /* folders "a10" and "l4" are of anything */
        if (word) clg_job_put_word(r, CLG_JOB_GPU, gpu, NULL, "named in the file's path");
    }
}

void clg_job_started(clg_reading *r) {
    left_out(r);
    included(r);
    wrapped(r);
    count_from(r, CLG_JOB_GPUS_PER_NODE, "launch",
               "nproc-per-node|num_gpus|gpus-per-node|gpus_per_node|gres", "--");
    count_from(r, CLG_JOB_NODES, "launch", "nnodes|num_nodes|num_machines|nodes|N", "--");
    count_from(r, CLG_JOB_GPUS, "launch", "num_processes|np", "--");
    count_from(r, CLG_JOB_GPUS_PER_NODE, "slurm", "gpus-per-node|gres|gpus-per-task", "#SBATCH --");
    if (starts_with(r, "srun")) { /* a task for every GPU, where no launcher starts more */
        count_from(r, CLG_JOB_GPUS_PER_NODE, "launch", "ntasks-per-node", "--");
        count_from(r, CLG_JOB_GPUS, "launch", "ntasks|n", "--");
    }
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
    name_gpu(r);
}
