/* Scripts in the style of Megatron-LM: variables, arrays, conditions, headers of Slurm. */
#include "job/fixture.h"

static const char plain[] =
    "#!/bin/bash\n"
    "#SBATCH --nodes=4 \n"
    "#SBATCH --gres=gpu:h100:8\n"
    "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
    "TP=${TP:-4}\n"
    ": \"${PP:=2}\"\n"
    "NODES=$SLURM_NNODES\n"
    "DP=$(( NODES * 8 / (TP * PP) ))\n"
    "MODEL_ARGS=(\n"
    "    --num-layers 32  # of 7B\n"
    "    --hidden-size 4096\n"
    "    --num-attention-heads 32\n"
    "    --seq-length 4096 --max-position-embeddings 4096\n"
    "    --swiglu --untie-embeddings-and-output-weights\n"
    "    # --num-experts 8\n"
    ")\n"
    "if [ \"$TP\" -gt 1 ]; then\n"
    "  MODEL_ARGS+=(--sequence-parallel)\n"
    "else\n"
    "  MODEL_ARGS+=(--no-such-flag)\n"
    "fi\n"
    "TRAIN_ARGS=\"--micro-batch-size 2 --global-batch-size $((DP * 2 * 16)) \\\n"
    "  --bf16 --use-distributed-optimizer --vocab-size 32000 \\\n"
    "  --train-iters 1000\"\n"
    "torchrun --nproc_per_node 8 --nnodes $NODES pretrain_gpt.py \\\n"
    "  ${MODEL_ARGS[@]} $TRAIN_ARGS --tensor-model-parallel-size $TP \\\n"
    "  --pipeline-model-parallel-size $PP --num-layers-per-virtual-pipeline-stage 4\n";

static void a_script_with_arrays_defaults_and_arithmetic(void) {
    CASE("a script with arrays defaults and arithmetic");
    JOB("layers=32 hidden=4096 ffn=10880 heads=32 kv-heads=32 gated=true tied=false vocab=32000 "
        "tp=4 pp=2 sp=true dp=4 zero=1 gpus=32 nodes=4 gpus-per-node=8 vpp=4 schedule=interleaved "
        "micro-batch=2 global-batch=128 accumulation=16 seq=4096 precision=bf16 recompute=none",
        "train.sh", plain);
}

static void a_value_says_its_line(void) {
    CASE("a value says its line");
    fixture f;
    const char *const files[] = {"runs/train.sh", plain, NULL, NULL};
    CHECK(fixture_read(&f, files));
    CHECK(strcmp(f.job.field[CLG_JOB_LAYERS].from, "train.sh:10 --num-layers") == 0);
    CHECK(strcmp(f.job.field[CLG_JOB_MICRO_BATCH].from, "train.sh:22 --micro-batch-size") == 0);
    CHECK(strcmp(f.job.field[CLG_JOB_TP].from, "train.sh:26 --tensor-model-parallel-size") == 0);
    clg_arena_clear(&f.arena);
}

static void a_default_does_not_change_what_is_set(void) {
    CASE("a default does not change what is set");
    JOB("gpus=16 pp=8 tp=2", "a.sh",
        "GPUS_PER_NODE=8\nNODES=2\nGPUS_PER_NODE=${GPUS_PER_NODE:-4}\n"
        "torchrun --nnodes ${NODES-1} --nproc_per_node ${GPUS_PER_NODE:-4} pretrain_gpt.py "
        "--pipeline-model-parallel-size $GPUS_PER_NODE --tensor-model-parallel-size ${TP:-2} "
        "--num-layers 8 --hidden-size 64 --num-attention-heads 4\n");
}

static void several_options_in_a_line_of_slurm(void) {
    CASE("several options in a line of slurm");
    JOB("gpus=64 nodes=8 gpus-per-node=8", "a.sh",
        "#SBATCH -t 0:30:00 --exclusive --mem=0 --ntasks-per-node=8\n"
        "sbatch -p debug --nodes=8 run.sh\n"
        "srun python pretrain_gpt.py --num-layers 8 --hidden-size 64 --num-attention-heads 4\n");
}

static void words_of_older_and_newer_parsers(void) {
    CASE("words of older and newer parsers");
    JOB("recompute=full recompute-layers=3 vocab=250880 gated=true dense-layers=1", "a.sh",
        "python pretrain_gpt.py --num-layers 8 --hidden-size 64 --num-attention-heads 4 "
        "--activations-checkpoint-method block --activations-checkpoint-num-layers 3 "
        "--pad-vocab-size-to 250880 --quick-geglu --num-experts 4 "
        "--moe-layer-freq \"([0]*1+[1]*7)\"\n");
}

static void a_dispatcher_that_sends_once_is_a_term(void) {
    CASE("a dispatcher that sends once is a term");
    JOB("term=expert_dedup=true", "a.sh",
        "python pretrain_gpt.py --num-layers 8 --hidden-size 64 --num-attention-heads 4 "
        "--num-experts 4 --moe-token-dispatcher-type flex --moe-flex-dispatcher-backend "
        "hybridep\n");
    JOB("term=expert_dedup=false", "a.sh",
        "python pretrain_gpt.py --num-layers 8 --hidden-size 64 --num-attention-heads 4 "
        "--num-experts 4 --moe-token-dispatcher-type alltoall\n");
}

static void a_dispatcher_stands_beside_what_is_made_again(void) {
    CASE("a dispatcher stands beside what is made again");
    JOB("term=expert_dedup=true,recompute_experts=true", "a.sh",
        "python pretrain_gpt.py --num-layers 8 --hidden-size 64 --num-attention-heads 4 "
        "--num-experts 4 --moe-token-dispatcher-type flex --recompute-granularity selective "
        "--recompute-modules moe\n");
}

static void sequence_parallel_is_dropped_at_tp_1(void) {
    CASE("sequence parallel is dropped at tp 1");
    JOB("tp=1 sp=false", "a.sh",
        "python pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4 "
        "--sequence-parallel --micro-batch-size 1\n");
}

static void what_only_running_tells_is_not_said(void) {
    CASE("what only running tells is not said");
    JOB("tp= gpus= layers=2", "a.sh",
        "GPUS=$(nvidia-smi -L | wc -l)\n"
        "torchrun --nproc_per_node $GPUS pretrain_gpt.py --num-layers 2 --hidden-size 64 "
        "--num-attention-heads 4 --tensor-model-parallel-size $1 --micro-batch-size 1\n");
}

static void what_is_no_number_is_an_error_with_its_line(void) {
    CASE("what is no number is an error with its line");
    REFUSED("a.sh:2 --tensor-model-parallel-size: 'eight' is not understood", "a.sh",
            "python pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4 \\\n"
            " --tensor-model-parallel-size eight --micro-batch-size 1\n");
}

static void nothing_is_run(void) {
    CASE("nothing is run");
    JOB("tp=2 layers=4", "a.sh",
        "rm -rf /tmp/nothing; TP=2; x=$(touch /tmp/ceiling-was-run)`touch /tmp/ceiling-was-run`\n"
        "python pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
        "--tensor-model-parallel-size $TP --micro-batch-size 1\n");
    CHECK(fopen("/tmp/ceiling-was-run", "r") == NULL);
}

static void sourced_files_functions_and_cases(void) {
    CASE("sourced files functions and cases");
    JOB("layers=40 hidden=5120 tp=2 pp=4 micro-batch=1", "train.sh",
        "source conf/size.sh\n"
        "pick() { case \"$1\" in 7b) L=32; H=4096;; 13*|14b) L=40; H=5120;; *) L=1;; esac; }\n"
        "pick ${SIZE}\n"
        "for i in 1 2; do PP=4; done\n"
        "CMD=\"pretrain_gpt.py --num-layers $L --hidden-size $H --num-attention-heads 40 "
        "--tensor-model-parallel-size 2 --pipeline-model-parallel-size $PP --micro-batch-size 1\"\n"
        "srun bash -c \"torchrun --nproc_per_node=8 --nnodes=4 $CMD\"\n",
        "size.sh", "SIZE=13b\n");
}

static void what_a_substitution_says(void) {
    CASE("a choice inside $(...), GPUs and nodes counted where Slurm's header has them");
    JOB("gpus=16 nodes=2 gpus-per-node=8 global-batch=64 accumulation=2", "pick.sh",
        "#SBATCH --nodes=2 --gres=gpu:8\n"
        "N=$([ -z \"$WORLD\" ] && echo -n 2 || echo -n $WORLD)\nG=$(nvidia-smi -L | wc -l)\n"
        "H=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | wc -l)\n"
        "torchrun --nproc_per_node=$G --nnodes=$N pretrain_gpt.py --num-layers 4 --hidden-size "
        "64 --num-attention-heads 4 --micro-batch-size 2 --global-batch-size $((4 * G * H))\n");
    JOB("layers=4 gpus-per-node=4", "pick.sh",
        "export CUDA_VISIBLE_DEVICES=0,1,2,3\n"
        "G=$(python -c 'import torch; print(torch.cuda.device_count())')\n"
        "L=$([ 1 -gt 2 ] && rm x || echo 4)\ntorchrun --nproc_per_node=$G pretrain_gpt.py "
        "--num-layers $L --hidden-size 64 --micro-batch-size 1\n");
    JOB("layers= hidden=64", "pick.sh",
        "L=$([ 1 -lt 2 ] && cat layers.txt || echo 4)\npython pretrain_gpt.py --num-layers $L "
        "--hidden-size 64 --micro-batch-size 1 --num-attention-heads 4\n");
}

static void commands_in_other_words(void) {
    CASE("a command handed to another launcher; one head of keys and values");
    JOB("layers=80 tp=8 kv-heads=1", "run.sh",
        "bcprun -p 8 -c 'python main.py --seq-length 64 --swiglu --num-layers 80 --hidden-size "
        "8192 --attention-head-type "
        "multiquery --num-attention-heads 64 --tensor-model-parallel-size 8 --micro-batch-size "
        "4'\n");
    JOB("layers=4", "run.sh",
        "sbatch --nodes 2 --wrap 'torchrun pretrain_gpt.py --num-layers 4 --hidden-size 64'\n"
        "python -c 'python pretrain_gpt.py --num-layers 5 --hidden-size 64 --seq-length 1 --x'\n");
    CASE("--attention-backend decides; --use-flash-attn stays of older scripts");
    JOB("attention=cudnn", "run.sh",
        "python pretrain_gpt.py --num-layers 4 --hidden-size 64 --use-flash-attn "
        "--attention-backend fused\n");
    CASE("a page: its fences are a script, lines are the page's, what readers fill in is open");
    JOB("model= micro-batch=4 accumulation=8 gpus=4 zero=3", "README.md",
        "# Train\n\nRun `python x.py --micro-batch-size "
        "7`:\n```python\nper_device_train_batch_size "
        "= 9\n```\n```bash\n$ torchrun --nproc_per_node=4 --master_port=<your port> train.py \\\n"
        "  --model_name_or_path <path/to/model> --per_device_train_batch_size 4 \\\n"
        "  --gradient_accumulation_steps 8 --fsdp \"full_shard auto_wrap\" --num_train_epochs 3\n"
        "```\nDone.\n");
    fixture f;
    CHECK(fixture_read(&f, (const char *[]){"README.md",
                                            "Text\n~~~\npython pretrain_gpt.py --num-layers 4 "
                                            "--hidden-size 8 --micro-batch-size 1\n~~~\n",
                                            NULL}));
    CHECK(strcmp(f.job.field[CLG_JOB_LAYERS].from, "README.md:3 --num-layers") == 0);
    clg_arena_clear(&f.arena);
}

static void stages_of_different_lengths(void) {
    static const char head[] = "torchrun --nproc_per_node=8 pretrain_gpt.py --hidden-size 64 "
                               "--num-attention-heads 4 --micro-batch-size 1 "
                               "--pipeline-model-parallel-size 4 --num-layers ";
    char text[512];
    CASE("first and last stage by hand: 61 layers as 14, 16, 16, 15");
    snprintf(text, sizeof text,
             "%s61 --decoder-first-pipeline-num-layers 14 --decoder-last-pipeline-num-layers 15\n",
             head);
    JOB("stage-layers=14,16,16,15 vpp=1", "a.sh", text);
    CASE("embedding and loss in a layer's place, two chunks a stage: 30 layers");
    snprintf(text, sizeof text,
             "%s30 --num-layers-per-virtual-pipeline-stage 4 "
             "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split\n",
             head);
    JOB("vpp=2 stage-layers=3,4,4,4,4,4,4,3", "a.sh", text);
    snprintf(text, sizeof text, "%s32\n", head);
    JOB("vpp=1 stage-layers=", "a.sh", text);
    CASE("what does not divide is not told: 33 layers, embedding and loss in the place of two");
    snprintf(text, sizeof text,
             "%s33 --account-for-embedding-in-pipeline-split "
             "--account-for-loss-in-pipeline-split\n",
             head);
    JOB("stage-layers=", "a.sh", text);
}

static void what_is_made_again_and_what_layers_have_beside(void) {
    CASE("what is made again, and what layers have beside their matrices");
    JOB("recompute=none term=recompute_activation=true", "a.sh",
        "python pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
        "--recompute-granularity selective --recompute-modules moe_act layernorm\n");
    JOB("recompute=selective", "a.sh",
        "python pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
        "--recompute-granularity selective --recompute-modules core_attn layernorm\n");
    JOB("head-norms=true query-key-value-bias=true expert-groups=8 expert-groups-per-token=4 "
        "shared-gate=true rotary=false",
        "a.sh",
        "python pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
        "--qk-layernorm --add-qkv-bias --num-experts 16 --moe-router-num-groups 8 "
        "--moe-router-group-topk 4 --moe-shared-expert-gate --position-embedding-type none\n");
    JOB("head-norms=", "a.sh",
        "python pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
        "--qk-layernorm --multi-latent-attention\n");
}

static void templates_and_comments_between_lines(void) {
    CASE("what a template leaves open eats no flag");
    JOB("precision=fp16 layers=4 tp=2", "a.sh",
        "options=\" --num-layers 4 --hidden-size 64 --num-attention-heads 4 \\\n"
        "  --save <PATH TO CHECKPOINTS> --fp16 --vocab-file=<PATH TO gpt-vocab.json> \\\n"
        "  --tensor-model-parallel-size 2 \"\n"
        "srun sh -c \"python pretrain_gpt.py ${options}\"\n");
    JOB("layers=", "a.sh",
        "python pretrain_gpt.py --num-layers <LAYERS> --hidden-size 64 --num-attention-heads 4\n");
    CASE("files for input and output are those of a shell");
    JOB("layers=4 precision=bf16", "a.sh",
        "python pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 <in.txt "
        ">out.txt --bf16\n");
    CASE("a comment between the lines of a command");
    JOB("layers=4 precision=bf16", "a.sh",
        "python pretrain_gpt.py \\\n  # sizes\n  --num-layers 4 --hidden-size 64 \\\n"
        "  # more\n  # of them\n  --num-attention-heads 4 --bf16\necho done\n");
}

static void scripts_that_never_end_do(void) {
    CASE("scripts that never end do");
    REFUSED("more than", "a.sh",
            "A=xxxxxxxxxxxxxxxx\nf() { A=$A$A; f; f; f; f; }\nf\n"
            "python pretrain_gpt.py --num-layers 4 --hidden-size 64 --x $A\n");
    JOB("layers=4", "a.sh",
        "while true; do python pretrain_gpt.py --num-layers 4 --hidden-size 64 "
        "--num-attention-heads 4 --micro-batch-size 1; done\n");
}

int main(void) {
    a_script_with_arrays_defaults_and_arithmetic();
    a_value_says_its_line();
    a_default_does_not_change_what_is_set();
    several_options_in_a_line_of_slurm();
    words_of_older_and_newer_parsers();
    a_dispatcher_that_sends_once_is_a_term();
    a_dispatcher_stands_beside_what_is_made_again();
    sequence_parallel_is_dropped_at_tp_1();
    what_only_running_tells_is_not_said();
    what_is_no_number_is_an_error_with_its_line();
    nothing_is_run();
    sourced_files_functions_and_cases();
    what_a_substitution_says();
    commands_in_other_words();
    stages_of_different_lengths();
    what_is_made_again_and_what_layers_have_beside();
    templates_and_comments_between_lines();
    scripts_that_never_end_do();
    return DONE;
}
