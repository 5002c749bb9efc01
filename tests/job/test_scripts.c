/* Scripts as people write them: several files of one name, arrays in quotes, jobs handed in within
 * $(...), flags that a file sets which is not here. */
#include "job/fixture.h"

#define SIZES                                                                                      \
    "--num-layers 24 --hidden-size 2048 --num-attention-heads 16 --vocab-size 50304 "              \
    "--seq-length 2048 --bf16 "

static void one_name(void) {
    CASE("files of one name: the path that a script sources says which");
    JOB("layers=24 hidden=2048 experts=8 ep=8 global-batch=64 gpus=32", "release/mine.sh",
        "export BATCH=64\nsbatch --nodes=4 scripts/run/mine.sh\n", "scripts/run/mine.sh",
        "#SBATCH --nodes=2\n#SBATCH --gres=gpu:8\nsource configs/model/mine.sh\n"
        "source configs/train/mine.sh\nsrun torchrun --nnodes $SLURM_NNODES --nproc_per_node 8 "
        "pretrain_gpt.py \"${MODEL[@]}\" \"${TRAIN[@]}\"\n",
        "configs/train/mine.sh", "TRAIN=(--global-batch-size $BATCH)\n", "configs/model/mine.sh",
        "MODEL=(" SIZES "--num-experts 8 --expert-model-parallel-size 8)\n");
}

static void quoted(void) {
    CASE("\"${A[*]}\" within a text that a shell is handed; nothing set behind the last of its "
         "flags");
    JOB("layers=24 hidden=2048 seq=2048 precision=bf16 gpus=8", "a.sh",
        "A=(" SIZES ")\nsrun --ntasks=1 --ntasks-per-node=1 bash -c \"\n  torchrun --nnodes=1 "
        "--nproc-per-node=8 \\\n  pretrain_gpt.py ${A[*]} ${MORE[*]}\n\"\n");
    JOB("hidden=2048 seq=4096", "a.sh",
        "torchrun --nproc-per-node 8 pretrain_gpt.py " SIZES "--seq-length 4096 $MORE\n");
}

static void handed_in(void) {
    CASE("ID=$(sbatch --nodes=N job.sh): so many nodes, whatever its header says");
    JOB("gpus=288 nodes=36 dp=288", "submit.sh",
        "NODES=${NODES:-36}\nID=$(sbatch --parsable --nodes=\"${NODES}\" \"${HERE}/job.sh\" a b)\n",
        "job.sh",
        "#SBATCH --nodes=1\n#SBATCH --gpus-per-node=8\nsrun torchrun --nnodes "
        "${SLURM_JOB_NUM_NODES:-1} --nproc-per-node 8 pretrain_gpt.py " SIZES "\n");
}

static void lacking(void) {
    CASE("an array that none of the files sets: said, with its line");
    fixture f;
    const char *const file[] = {
        "a.sh", "source train_args.sh\ntorchrun pretrain_gpt.py " SIZES "\"${TRAIN_ARGS[@]}\"\n",
        NULL, NULL};
    bool said = false;
    CHECK(fixture_read(&f, file));
    for (int i = 0; i < f.job.doubts.count; i++)
        said = said || (strcmp(f.job.doubts.note[i].key, "TRAIN_ARGS") == 0 &&
                        strcmp(f.job.doubts.note[i].from, "a.sh:2") == 0);
    CHECK(said);
    clg_arena_clear(&f.arena);
    CASE("one behind --data-path holds no flags");
    const char *const data[] = {
        "a.sh", "torchrun pretrain_gpt.py " SIZES "--data-path ${PILE[@]} --bf16\n", NULL, NULL};
    CHECK(fixture_read(&f, data));
    CHECK(f.job.doubts.count == 0);
    clg_arena_clear(&f.arena);
}

static void module_started(void) {
    CASE("python -m accelerate.commands.launch: its flags are accelerate's");
    JOB("precision=bf16 gpus=4 micro-batch=2", "a.sh",
        "uv run python -m accelerate.commands.launch --mixed_precision bf16 --num_processes 4 "
        "sft.py --model_name_or_path Qwen/Qwen3-0.6B --per_device_train_batch_size 2 "
        "--max_seq_length 2048\n");
}

static void unknown_path(void) {
    CASE("a tokenizer whose place is not known is one all the same: not the trainer's own");
    JOB("vocab=", "a.sh",
        "torchrun pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 "
        "--seq-length 2048 --tokenizer-type Llama2Tokenizer --tokenizer-model "
        "${HOME_OF_IT}/mine.model\n");
}

static void patterns(void) {
    CASE("--moe-layer-freq: layers without experts, however the list is written");
#define MOE(freq)                                                                                  \
    "torchrun pretrain_gpt.py " SIZES "--num-experts 8 --moe-layer-freq \"" freq "\"\n"
    JOB("dense-layers=1", "a.sh", MOE("([0]+[1]*23)"));
    JOB("dense-layers=3", "a.sh", MOE("[0]*3+[1]*21"));
    JOB("dense-layers=2", "a.sh", MOE("[0, 0, 1, 1]"));
    JOB("dense-layers=", "a.sh", MOE("1"));
    fixture f;
    static const char *const mixed[][4] = {{"a.sh", MOE("2"), NULL, NULL},
                                           {"a.sh", MOE("([1]+[0])*12"), NULL, NULL},
                                           {"a.sh", MOE("([0]+[1])*12"), NULL, NULL}};
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++) {
        CHECK(fixture_read(&f, mixed[i]));
        CHECK(f.job.doubts.count > 0 && strcmp(f.job.doubts.note[0].key, "moe-layer-freq") == 0);
        clg_arena_clear(&f.arena);
    }
}

static void attribute(void) {
    CASE("code that copies a flag: the flag's value");
    JOB("seq=8192", "run.sh",
        "torchrun --nproc_per_node 8 sft.py --block_size=8192 --per_device_train_batch_size 1 "
        "--model_name=Qwen/Qwen2.5-7B-Instruct\n",
        "sft.py", "def train():\n    args.max_seq_length = config.block_size\n");
}

int main(void) {
    one_name();
    quoted();
    handed_in();
    lacking();
    module_started();
    unknown_path();
    patterns();
    attribute();
    return DONE;
}
