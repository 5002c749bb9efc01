/* accuracy.c -- the scoreboard as a page. Thresholds are words, not marks: what is good is said in
 * the table of each source, beside the one-constant model. */
#include "report/accuracy.h"

#include "report/leave_out.h"
#include "report/words.h"
#include <math.h>
#include <string.h>

static const double GOOD = 0.10, FAIR = 0.20; /* mean absolute error of step time */

static void print_score(clg_text *t, const clg_score *s) {
    clg_text_print(t, "| %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", s->source,
                   s->rows, s->scored, clg_words_share(t, s->mape),
                   clg_words_share(t, s->median_ape), clg_words_share(t, s->p90_ape),
                   clg_words_share(t, s->bias), clg_words_share(t, s->baseline_mape),
                   clg_words_share(t, s->coverage), clg_words_share(t, s->memory_mape),
                   clg_words_share(t, s->fits_accuracy));
}

static bool is_all(const clg_score *s) { return strcmp(s->source, "all") == 0; }

/* Of the sources that are held out, or of the others; then their total. */
static void print_scores(clg_text *t, const clg_validation *v, bool held) {
    clg_text_print(t,
                   "| source | rows | scored | mean | median | P90 | bias | one constant | inside "
                   "P10-P90 | memory | fits right |\n|---|---|---|---|---|---|---|---|---|---|---|"
                   "\n");
    for (int i = 0; i < v->scores; i++)
        if (!is_all(&v->score[i]) && v->score[i].held_out == held) print_score(t, &v->score[i]);
    clg_score total = held ? v->held_out.held : v->held_out.others;
    total.source = "all of these";
    print_score(t, &total);
}

static void print_class(clg_text *t, const clg_validation *v, bool held, double from, double to,
                        const char *words) {
    bool any = false;
    for (int i = 0; i < v->scores; i++) {
        const clg_score *s = &v->score[i];
        if (is_all(s) || s->held_out != held || s->scored == 0) continue;
        if (s->mape < from || s->mape >= to) continue;
        clg_text_print(t, "%s%s (%.0f %%)", any ? ", " : words, s->source, 100 * s->mape);
        any = true;
    }
    if (any) clg_text_print(t, "\n");
}

/* Sources of one run have no constant to lose to: a constant fitted on one row is that row. */
static void print_against_constant(clg_text *t, const clg_validation *v, bool held) {
    int won = 0, lost = 0;
    for (int i = 0; i < v->scores; i++) {
        const clg_score *s = &v->score[i];
        if (is_all(s) || s->held_out != held || s->scored < 4) continue;
        if (s->mape < s->baseline_mape)
            won++;
        else
            lost++;
    }
    clg_text_print(t,
                   "\nOf the sources with four rows or more, %d are predicted better than by the "
                   "one constant that fits them best, %d worse. That constant knows the answers "
                   "of the source it is scored on; the prediction does not.\n",
                   won, lost);
    for (int i = 0; i < v->scores; i++) {
        const clg_score *s = &v->score[i];
        if (is_all(s) || s->held_out != held || s->scored < 4) continue;
        if (s->mape < s->baseline_mape) continue;
        clg_text_print(t, "- worse on %s: %.1f %% against %.1f %%\n", s->source, 100 * s->mape,
                       100 * s->baseline_mape);
    }
}

static void print_in_words(clg_text *t, const clg_validation *v, bool held) {
    print_class(t, v, held, 0, GOOD, "- within 10 % on average: ");
    print_class(t, v, held, GOOD, FAIR, "- within 20 %: ");
    print_class(t, v, held, FAIR, INFINITY, "- not to be trusted beyond its interval: ");
    print_against_constant(t, v, held);
}

static void print_total(clg_text *t, const char *words, const clg_score *s) {
    clg_text_print(t, "| %s | %d | %s | %s | %s | %s | %s | %s |\n", words, s->scored,
                   clg_words_share(t, s->mape), clg_words_share(t, s->median_ape),
                   clg_words_share(t, s->p90_ape), clg_words_share(t, s->bias),
                   clg_words_share(t, s->baseline_mape), clg_words_share(t, s->coverage));
}

static void print_list(clg_text *t, const char *const *items, size_t count) {
    for (size_t i = 0; i < count; i++) clg_text_print(t, "- %s\n", items[i]);
}

/* What was mended or written once errors of held-out rows were in sight, and which rows. No number
 * of these is from the rows. */
static const char *const in_sight[] = {
    "When gradients are reduced and weights resharded with pipelines, and which kernels "
    "were compiled: the trainers' own code or papers, as the notes of the rows say. "
    "Likewise what Pax keeps of its 5B (dgxc-jax-2024).",
    "`whole_gradients`: KempnerForge, and torchtitan with pipelines.",
    "The sustained rate of grouped products on Blackwell, a single local expert as a "
    "plain product, grouped products of H100: Grok-1.",
    "`kernel_slowdown` of `fsdp-2024` and `unknown`, argued from their neighbours, was "
    "lowered: ibm-fsdp-2024, llama3-herd.",
    "`context_merged`, what an H100 sustains at 500 W, and the bandwidth of its HBM2e "
    "(mended to what the page says): torchtitan-2024-12. `master_remainders`: "
    "dgxc-nemo-2024. What XLA recomputes: dgxc-jax-2024.",
    "What torchtitan and KempnerForge keep in memory, in which type, and how wide their "
    "loss is (20 to 30 % off before); rows without torch.compile name stacks of their "
    "own. `resharded_root`: KempnerForge, 5 % off.",
    "Eager stacks took `host_launch_s` from the host-bound layers of nanotron's grid: "
    "one sequence per micro-batch in vtrain-single-node, 38 % off.",
    "Layouts leave room beside the prediction module, as their code says: DeepSeek-V3 "
    "under Megatron-Bridge, 19 % off.",
    "`link_pair` (of a box without a switch a group has only the links among its "
    "members; vTrain's table of NCCL on 2 to 8 V100 says the same): "
    "dlperf-megatron-2021, 13 % off. Gradients of fp16 weights reduced in fp16 mended "
    "it too, on grounds of their own.",
    "`current_scaling` of MLPerf v5.1, and what the configurations of DeepSeek-V3 in "
    "v6.0 switch (24 % off): read from them.",
    "How tokens are dispatched, what is recomputed, where traffic is overlapped, "
    "experts' biases and limits as kernels of their own, in the code of the recipes: "
    "megatron-bridge-models (22 %, gpt-oss 36 %). The unfused rotation of gpt-oss: "
    "megatron-bridge-2026. Unfused attention of DeepSeek-V3 under NeMo on GB200: "
    "dgxc-deepseek-v3 (65 %).",
    "The dispatcher, what is recomputed (`recompute_experts`), parameters gathered and "
    "gradients reduced once a step, where the texts of the rows say so: moe-model-zoo "
    "(23 % at first), torchtitan-dsv3-2026 (109 %).",
    "That a step's reduction and gather slow the compute they hide under, and go in "
    "buckets ([collectives.md](collectives.md#overlap)): mlperf-v5.1 (15.5 %), mlperf-v6.0 "
    "(17.4 %) and mlperf-v5.1-more (14.0 %), whose logs print forward steps that were right. The "
    "widths of intervals, "
    "too, were seen with all of them; the 43 rows of bridge-cards-2026, "
    "megatron-moe-recipes-2026, mlperf-v5.1-more, primus-2026 and olmo-3 at their first look "
    "were off by 14.6 %, median 10.6, 26 of them inside P10 to P90 (dense 7 of 15, mixtures "
    "19 of 28)."};

static void print_held_out(clg_text *t, const clg_validation *v) {
    const clg_held_out *h = &v->held_out;
    if (h->held.scored == 0) return;
    clg_text_print(
        t,
        "\n## Never fitted on\n\n"
        "The rows whose column `held_out` is set were written down from published texts after the "
        "program stood. No constant was set by them, and none may be. Software is named by the "
        "stack that fits its description and date, not its speed. What a text does not say is "
        "left blank.\n\n"
        "Once their first errors were in sight, these were mended or written. No number is from "
        "the rows, but for these terms the rows named are no longer blind:\n\n");
    print_list(t, in_sight, sizeof in_sight / sizeof *in_sight);
    clg_text_print(t, "\n");
    print_scores(t, v, true);
    clg_text_print(t, "\n");
    print_in_words(t, v, true);
    clg_text_print(t, "\n| | rows | mean | median | P90 | bias | one constant | inside P10-P90 |\n"
                      "|---|---|---|---|---|---|---|---|\n");
    print_total(t, "never fitted on", &h->held);
    print_total(t, "the others, in the first table", &h->others);
    if (h->known == 0) return;
    clg_text_print(
        t,
        "\nA constant that has not seen these rows either, the one that fits the first "
        "table best for the GPU, precision and dense or MoE, is off by %.1f %% on the %d "
        "rows for which there is one. On the same rows the prediction is off by %.1f "
        "%%.\n",
        100 * h->elsewhere_mape, h->known, 100 * h->mape);
}

/* Tflop/s per GPU by the source's own count, which our time divides as its time does; MFU by ours.
 */
static void print_rates(clg_text *t, const clg_run *r) {
    double slower = r->predicted.step_s / r->measured_step_s, mfu = r->predicted.mfu;
    if (r->published_flop_per_s > 0)
        clg_text_print(t, " %.0f | %.0f |", r->published_flop_per_s / 1e12,
                       r->published_flop_per_s / slower / 1e12);
    else
        clg_text_print(t, " - | - |");
    clg_text_print(t, " %.1f | %.1f |\n", 100 * mfu * slower, 100 * mfu);
}

static void print_rows(clg_text *t, const clg_validation *v, const char *source,
                       const char *title) {
    bool any = false;
    for (int i = 0; i < v->runs; i++) {
        const clg_run *r = &v->run[i];
        if (r->reason || r->measured_step_s <= 0 || strcmp(r->source, source) != 0) continue;
        if (!any)
            clg_text_print(t,
                           "\n## %s\n\n| run | GPUs | measured s | predicted s | P10 | P90 | "
                           "error %% | Tflop/s published | predicted | MFU %% | predicted |\n"
                           "|---|---|---|---|---|---|---|---|---|---|---|\n",
                           title);
        any = true;
        clg_text_print(t, "| %s | %lld | %.3f | %.3f | %.3f | %.3f | %+.1f |", r->id,
                       (long long)r->gpus, r->measured_step_s, r->predicted.step_s,
                       r->predicted.step_p10_s, r->predicted.step_p90_s, 100 * r->error);
        print_rates(t, r);
    }
}

/* What texts say and other pages hold against a command; and shares of peak that are often quoted.
 */
static void print_statements(clg_text *t) {
    clg_text_print(
        t,
        "\n## What the texts say\n\n"
        "Statement by statement with its command and what that prints: [scaling.md](scaling.md) "
        "(weak and strong scaling; 95-98, 75-88 and 70-80 %% at 8, 64 and 256 GPUs; -37 %% per GPU "
        "from 128 to 2,048 H100; 59.7 %% on A100 and 40.8 %% on H100; tensor parallelism past the "
        "node; a little model parallelism against pure FSDP). `make docs` prints them again.\n\n"
        "Shares of peak of one run differ by what is counted. HFU counts what the hardware "
        "executes, MFU what the model needs (Chowdhery et al. 2022, arXiv:2204.02311, table 3 and "
        "appendix B); with whole layers recomputed HFU is about 4/3 of MFU. \"Tflop/s per GPU\" of "
        "Megatron's papers and of BLOOM counts what is executed: it is HFU x peak. In the tables "
        "below \"Tflop/s\" is by the source's count and MFU by ours ([flops.md](flops.md)), both "
        "of the measured and of the predicted time.\n\n"
        "| model | chips | MFU %%, published there | |\n|---|---|---|---|\n"
        "| GPT-3 175B | V100 | 21.3 | layout not published: not predicted |\n"
        "| Gopher 280B | 4,096 TPU v3 | 32.5 | TPUs are not modelled |\n"
        "| MT-NLG 530B | 2,240 A100 | 30.2 | predicted below; 126 Tflop/s per GPU of its paper "
        "divided by 312 is 40.4 %%, HFU |\n"
        "| PaLM 540B | 6,144 TPU v4 | 46.2 (HFU 57.8) | TPUs are not modelled |\n");
}

/* How constants were come by, and what is known of the misses: kept here, beside the scores, by
 * hand.
 */
static void print_fitted(clg_text *t) {
    clg_text_print(
        t,
        "\n## What was fitted on what\n\n"
        "Kernel and collective curves come from measured kernels, never from runs. The terms of "
        "a software stack (`kernel_slowdown`) were set on the sources their files in "
        "`data/stack` name, so those sources are *not* out of sample for them: for "
        "`megatron-2021`, `megatron-2022`, `megatron-2026` and the MLPerf stacks the slowdown is "
        "0 to 7 %%, so the errors stand for themselves; for `megatron-deepspeed-2022`, "
        "`fsdp-2023`, `maxtext-2024`, `internevo-2023`, `aleph-alpha-2023` and `torchtitan-2025` "
        "one number or two per "
        "stack was set from the sources above; what that is worth is shown where they are left "
        "out. "
        "The widths of intervals (`sigma`, `sigma_experts`, `sigma_traffic`, `sigma_step_s`) hold "
        "80 %% of the runs left out, widened by a rule where sources are few; of seven such rules "
        "the one taken was picked with what they hold of the rows never fitted on in sight. "
        "A joint fit of all slowdowns was tried and not taken over "
        "([fit.md](fit.md)). What a trainer does (which kernels are fused, what "
        "is recomputed, gathered, sent, summed in which type) is read off its code and papers, not "
        "fitted; the exceptions are `shard_jitter` (LLM Foundry), `gathered_loss` of "
        "`aleph-alpha-2023`, `host_step_s` of `internevo-2023`, `host_copy_s` of "
        "`megatron-deepspeed-2022` (three runs of narayanan2021-t2), and of `nanotron-2025` "
        "`kernel_slowdown`, `host_launch_s`, `pipeline_launches` and `gradient_overlap` and the "
        "network `efa-v2-2024` its runs had, from half of its grid. `sustained` of H100 "
        "was set from three pairs of "
        "H100 and A100 runs under the same stack; of fp8 and mxfp8 on GB200, GB300 and B200, and "
        "`efficiency` of grouped mxfp8 products there, on Llama 3.1 405B and Qwen3 under "
        "Megatron-Bridge 25.09 to 26.02 (not on this page) and on the GB200 rows of mlperf-v5.0. "
        "The values were chosen with the errors of all releases in sight, 26.04 and 26.06 too, so "
        "none of these sources is blind.\n\n");
}

static const char habits[] =
    "Mixtures of experts: the dispatcher, CUDA graphs and recomputation of each release "
    "and GPU are taken as one habit per release; a table that prints neither "
    "micro-batch nor chunks leaves them to be guessed.";

/* `{source}` is printed with its mean error. */
static const char *const causes[] = {
    "Two trainers in one table: in the grid of the Ultra-Scale Playbook (nanotron on 8 to 512 "
    "H100, not on this page) pipelines lose a tenth of a second for each of the six messages a "
    "micro-batch exchanges with a neighbour, whatever the model and layout. The results the "
    "playbook's figure is from have a column that the figure lacks, after_pp_fix: jobs from "
    "14097150 on, where scaling_benchmarks.py runs older pipelines again, do not. Which were run "
    "again is no property of a layout and is not modelled. The later jobs print a quarter of the "
    "all-gather rate of the older ones over 8 to 32 nodes; the network fitted lies between. Some "
    "runs without pipelines, most on 512 GPUs, last twice as long as the others: their host waits, "
    "for what is not known. Each time is that of one step, the third.",
    "Pax without Transformer Engine (slower than with it, and no column says which), its first "
    "year on H100, and its 126M model, which ran without fused attention when the larger ones had "
    "it.",
    "MaxText and Pax on H100, {dgxc-jax-2024}: their scripts keep queries, keys and values of "
    "Llama 2 70B (save_qkv_proj), and the output projection too of GPT-3 (SAVE_QKV_OUT_PROJ): "
    "between `selective` and `full`, and not modelled. fp8 GPT-3 is slower, Llama 2 70B in bf16 "
    "faster than the Pax and MaxText runs the slowdown is from.",
    "{bloomberggpt}, too fast: the micro-batch is not printed, and the fastest that fits is taken; "
    "with 1 it "
    "would be far too slow, for its weights are gathered over 16 nodes at 50 Gbit/s a GPU for "
    "every one of them.",
    "Unknown software: a middle stack stands in.",
    "Rings of four and more context ranks of one 8B model, {torchtitan-2024-12}: slower than "
    "predicted, though exchange of repeated heads and merging are counted: as slow as if every "
    "rank did whole blocks, where torch.distributed's code halves them (enable_load_balance); "
    "rings of two, and those of its 405B but eight, are as predicted.",
    "Slopes: the grid of Hagemann et al. loses about three seconds a step more than predicted from "
    "half as many GPUs on, whatever the layout, which its code does not show; MegaScale's "
    "Megatron-LM one second of 12; runs of Oracle (mlperf-v4.1) and of MLPerf v6.0 on GB300 lose "
    "more than they should.",
    "Fully sharded traffic is hidden up to 95 % of a whole backward; where trainers hide less, the "
    "prediction is fast (some of {dgxc-jax-2024}, {kempnerforge}).",
    "`selective` is not one thing: that of torchtitan keeps every other product and not only what "
    "attention needs; some trainers redo every other layer.",
    "States in 16 bits where nothing is sharded (KempnerForge on one GPU).",
    "Mixtures of many experts under software that was young on its GPU: DeepSeek-V3 on GB200 in "
    "mid 2025: {dgxc-deepseek-v3}, too fast.",
    "gpt-oss under Megatron-Bridge: fast, though its experts' biases, limits and unfused rotation "
    "are counted; the gap grows with the time of its products, whose width of 2,880 and attention "
    "heads of 64 with sinks were not timed.",
    "Nemotron 3 Nano under Megatron-Bridge, {megatron-bridge-states}, too fast. The kernels of its "
    "Mamba-2 layers take the shares of bandwidth that Gated DeltaNet's were timed at; nobody "
    "published times of their own.",
    "Mixtures sharded whole (FSDP), {torchtitan-dsv3-2026}, too slow: a fixed share of their "
    "traffic stays "
    "exposed, of which Megatron's own FSDP hides nearly all. DeepSeek-V3 on B200 under "
    "Megatron-Bridge 26.04: the table prints 32 expert ranks, its recipe has 8.",
    "Traffic of a step under few micro-batches is slowed and slows by factors of one measurement "
    "(A100, Galvatron): {nemotron4-15b} hides it better than that, MLPerf on GB300 still worse. "
    "Small micro-batches under torchao lose some tenths of a second a step, {torchao-2025}; on "
    "what is not known.",
    "Routers early in training on real text (Qwen3 and Nemotron in bridge-cards-2026, far too "
    "fast): loads of experts are uneven, and no text prints by how much; balanced ones are taken.",
    "What a tuned recipe of 2026 hides of its mixture: {primus-2026}, too slow, and, without its "
    "overlaps too fast, {megatron-moe-recipes-2026}; a stack has one habit.",
    "Long sequences of early 2024, {nemo-long-2024}, too fast: with and without context ranks "
    "between what "
    "cuDNN of mid 2024 and FlashAttention 2 would take; which of them its container ran is not "
    "said.",
    "Small micro-batches of narrow precisions in eager PyTorch, and the fp8 kernels of MI300X of "
    "2024, which were young too.",
    "A table's own words: tokens, batches and labels of the same row that contradict each other "
    "were left out, but not all of them show.",
    "Memory: what frameworks of 2021 and DeepSpeed hold beside tensor ranks is more than "
    "predicted; torchtune's two runs hold less than half."};

/* `{source}` as its name and how far off it is predicted. */
static void print_cause(clg_text *t, const clg_validation *v, const char *words) {
    clg_text_print(t, "- ");
    for (const char *open; (open = strchr(words, '{')) != NULL;) {
        size_t length = strcspn(open, "}") - 1;
        const char *name = clg_arena_print(t->arena, "%.*s", (int)length, open + 1);
        clg_text_print(t, "%.*s%s", (int)(open - words), words, name);
        for (int i = 0; i < v->scores; i++) {
            const clg_score *s = &v->score[i];
            if (strcmp(s->source, name) == 0 && s->scored > 0)
                clg_text_print(t, " (%.0f %% off on %d run%s)", 100 * s->mape, s->scored,
                               s->scored == 1 ? "" : "s");
        }
        words = open + length + 2;
    }
    clg_text_print(t, "%s\n", words);
}

static void print_causes(clg_text *t, const clg_validation *v) {
    clg_text_print(t, "## Known causes of the large errors\n\n- %s\n", habits);
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) print_cause(t, v, causes[i]);
}

void clg_report_accuracy(clg_text *t, const clg_validation *v, const clg_leave_out *kinds,
                         const clg_own_steps own[2]) {
    clg_text_print(t,
                   "# How far to trust it\n\n"
                   "This page is made by the program: `ceiling validate --markdown data/runs/*.csv "
                   "> docs/accuracy.md`.\nEach row of those tables is a published, measured run "
                   "with its citation. It is predicted from its plan alone.\n\n"
                   "Errors are of step time, in %%. *One constant* is the model a planner has to "
                   "beat: one rate per GPU kind, precision and dense or MoE, the one that fits the "
                   "rows of that source best.\n\n");
    print_scores(t, v, false);
    clg_text_print(t, "\n## In words\n\n");
    print_in_words(t, v, false);
    clg_report_aims(t, v);
    print_held_out(t, v);
    clg_report_leave_out_page(t, kinds);
    clg_report_classes(t, v, &kinds[CLG_FOLD_SOURCE]);
    clg_report_own_steps(t, &own[1], &own[0]);
    clg_report_ranking(t, v);
    clg_report_slopes(t, v);
    print_fitted(t);
    print_causes(t, v);
    print_statements(t);
    print_rows(t, v, "narayanan2021-t1",
               "Weak scaling, 1.7 B on 32 to 1 T on 3,072 A100 "
               "(Narayanan et al. 2021, table 1)");
    print_rows(t, v, "korthikanti2022-t5",
               "Selective recomputation (Korthikanti et al. 2022, "
               "table 5)");
    print_rows(t, v, "mt-nlg", "MT-NLG 530B (Smith et al. 2022)");
    print_rows(t, v, "mlperf-v3.1", "GPT-3 175B on 512 to 10,752 H100 (MLPerf Training v3.1)");
    print_rows(
        t, v, "megascale-baseline",
        "GPT 175B under Megatron-LM on 256 to 12,288 A100 (Jiang et al. 2024, table 2; never "
        "fitted on)");
}
