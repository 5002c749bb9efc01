/* launch.c -- which trainers are written, and what their files share. */
#include "job/launch.h"

#include "dataset/kept.h"

#include <string.h>

/* The value of a name is its writer's place. */
const clg_name clg_trainer_names[] = {
    {"megatron", 0, "Megatron-LM script"},
    {"torchtitan", 1, "torchtitan 0.2 TOML"},
    {"deepspeed", 2, "DeepSpeed JSON, Hugging Face Trainer"},
    {"accelerate", 3, "accelerate FSDP YAML, Hugging Face Trainer"},
    {"bridge", 4, "Megatron-Bridge recipe"},
    {"torchtitan-2026", 5, "torchtitan configuration of 2026-08, Python"},
    {NULL, 0, NULL}};

static void (*const writers[])(clg_launch *, const clg_scenario *, const clg_layout *) = {
    clg_launch_megatron,   clg_launch_torchtitan, clg_launch_deepspeed,
    clg_launch_accelerate, clg_launch_bridge,     clg_launch_torchtitan_2026};

const char *clg_launch_stack(const char *trainer) {
    static const char *const stacks[][2] = {{"megatron", "megatron-2024"},
                                            {"torchtitan", "torchtitan-2025"},
                                            {"torchtitan-2026", "torchtitan-2025"},
                                            {"deepspeed", "transformers"},
                                            {"accelerate", "transformers-fsdp"}};
    for (size_t i = 0; i < sizeof stacks / sizeof stacks[0]; i++)
        if (strcmp(stacks[i][0], trainer) == 0) return stacks[i][1];
    return NULL;
}

clg_text *clg_launch_file(clg_launch *launch, const char *name) {
    clg_text *text = &launch->text[launch->files];
    *text = (clg_text){.arena = launch->arena};
    launch->name[launch->files++] = name;
    return text;
}

const clg_json *clg_launch_model(clg_launch *f, const char *path, const char *name) {
    const clg_file *file = clg_dataset_find(path);
    const clg_json *root;
    clg_error none = {0};
    if (!file || !name ||
        clg_dataset_parse(f->arena, file->path, file->text, file->size, &root, &none) != CLG_OK)
        return NULL;
    return clg_json_member(clg_json_member(root, "models"), name);
}

void clg_launch_refuse(clg_launch *launch, bool when, const char *why) {
    if (when && !launch->refused) launch->refused = why;
}

void clg_launch_say(clg_launch *launch, bool when, const char *what) {
    if (when && launch->saids < CLG_LAUNCH_SAID) launch->said[launch->saids++] = what;
}

bool clg_launch_narrow_moments(const clg_scenario *s) {
    return s->stack.moments != CLG_PRECISIONS && s->stack.moments != CLG_FP32;
}

static int nodes_of(const clg_scenario *s) {
    int each = s->machine.node.gpus;
    return s->machine.gpus > each ? s->machine.gpus / each : 1;
}

static int each_of(const clg_scenario *s) { return s->machine.gpus / nodes_of(s); }

void clg_launch_head(clg_text *t, const clg_scenario *s) {
    clg_text_print(t,
                   "#!/bin/bash\n# every node runs it, with NODE_RANK and MASTER_ADDR set\n"
                   "GPUS_PER_NODE=%d\nNNODES=%d\n",
                   each_of(s), nodes_of(s));
}

/* Slurm starts the script once on every node. */
static void add_slurm(clg_launch *launch, const clg_scenario *s) {
    clg_text *t = clg_launch_file(launch, "submit.slurm");
    clg_text_print(t,
                   "#!/bin/bash\n#SBATCH --nodes=%d\n#SBATCH --ntasks-per-node=1\n"
                   "#SBATCH --gpus-per-node=%d\n#SBATCH --exclusive\n"
                   "export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n "
                   "1)\nsrun bash -c 'NODE_RANK=$SLURM_NODEID bash train.sh'\n",
                   nodes_of(s), each_of(s));
}

/* An indexed job: every pod is a node, found under its number. */
static void add_kubernetes(clg_launch *launch, const clg_scenario *s) {
    clg_text *t = clg_launch_file(launch, "kubernetes.yaml");
    bool amd = s->machine.gpu.vendor && strcmp(s->machine.gpu.vendor, "amd") == 0;
    clg_text_print(t,
                   "# kubectl create configmap train --from-file=.; kubectl apply -f "
                   "kubernetes.yaml\n"
                   "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train\nspec:\n"
                   "  completions: %d\n  parallelism: %d\n  completionMode: Indexed\n"
                   "  backoffLimit: 0\n  template:\n    spec:\n      subdomain: train\n"
                   "      restartPolicy: Never\n      containers:\n      - name: train\n"
                   "        image: IMAGE  # yours, with the trainer in it\n"
                   "        workingDir: /job\n        command: [bash, -c]\n"
                   "        args: [\"cp -L /files/* . && NODE_RANK=$JOB_COMPLETION_INDEX "
                   "MASTER_ADDR=train-0.train bash train.sh\"]\n",
                   nodes_of(s), nodes_of(s));
    clg_text_print(t,
                   "        resources:\n          limits:\n            %s.com/gpu: %d\n"
                   "        volumeMounts:\n        - {name: files, mountPath: /files}\n"
                   "        - {name: job, mountPath: /job}  # written to\n"
                   "        - {name: shm, mountPath: /dev/shm}\n      volumes:\n"
                   "      - {name: files, configMap: {name: train}}\n"
                   "      - {name: job, emptyDir: {}}\n"
                   "      - {name: shm, emptyDir: {medium: Memory}}\n---\n"
                   "apiVersion: v1\nkind: Service\nmetadata:\n  name: train\nspec:\n"
                   "  clusterIP: None\n  selector:\n    job-name: train\n",
                   amd ? "amd" : "nvidia", each_of(s));
}

const char *clg_launch_hub(clg_arena *arena, const clg_model *model) {
    static const char site[] = "https://huggingface.co/";
    const char *at = model->source ? strstr(model->source, site) : NULL;
    const char *slash = at ? strchr(at + sizeof site - 1, '/') : NULL;
    if (!slash) return NULL;
    at += sizeof site - 1;
    size_t size = (size_t)(slash - at) + 1 + strcspn(slash + 1, "/ \t,;");
    return clg_arena_copy(arena, at, size);
}

/* What none of the trainers here does. */
static void common(clg_launch *launch, int trainer, const clg_scenario *s, const clg_layout *l) {
    bool adapts =
        writers[trainer] == clg_launch_deepspeed || writers[trainer] == clg_launch_accelerate;
    clg_launch_refuse(launch, l->adapter.kind != CLG_ADAPTER_NONE && !adapts,
                      "adapters are written for deepspeed and accelerate");
    clg_launch_refuse(launch, l->reference == CLG_REFERENCE_MODEL,
                      "no file here starts a trainer with a second model");
    clg_launch_refuse(launch, s->machine.gpus % nodes_of(s) != 0,
                      "the GPUs do not fill whole nodes");
    clg_launch_refuse(launch, l->schedule == CLG_ZB_H2, "it has no schedule zb-h2");
}

clg_launch clg_launch_of(clg_arena *arena, int trainer, const clg_scenario *s,
                         const clg_layout *layout) {
    clg_launch launch = {.arena = arena};
    common(&launch, trainer, s, layout);
    writers[trainer](&launch, s, layout);
    clg_launch_say(&launch, true,
                   clg_arena_print(arena,
                                   "priced as --stack %s on --gpu %s: the files tell neither",
                                   s->stack.name, s->machine.gpu.name));
    add_slurm(&launch, s);
    add_kubernetes(&launch, s);
    return launch;
}

bool clg_launch_can(int trainer, const clg_scenario *s, const clg_layout *layout) {
    clg_launch launch = {.asks = true};
    common(&launch, trainer, s, layout);
    if (!launch.refused) writers[trainer](&launch, s, layout);
    return !launch.refused;
}

void clg_launch_print(clg_text *t, const char *title, const clg_launch *launch) {
    clg_text_print(t, "\nlaunch   %s\n", title);
    if (launch->refused) {
        clg_text_print(t, "  not this plan: %s\n", launch->refused);
        return;
    }
    for (int i = 0; i < launch->files; i++)
        clg_text_print(t, "\n---- %s\n%s", launch->name[i], launch->text[i].data);
    for (int i = 0; i < launch->saids; i++)
        clg_text_print(t, "%snote     %s\n", i == 0 ? "\n" : "", launch->said[i]);
}
