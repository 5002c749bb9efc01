/* measured_page.c -- docs/accuracy-serving.md. Tables are scores; what is said of causes is kept
 * here by hand, beside them. */
#include "report/measured.h"
#include "serve/measured_score.h"

#include <math.h>
#include <string.h>

static const double GOOD = 0.10, FAIR = 0.20; /* mean absolute error */
enum { FEW = 4 };                             /* rows of which a constant is one */

static const char *const measures[] = {"first token", "per token", "whole answer", "throughput"};

static const char *share(clg_text *t, double value) {
    return isfinite(value) ? clg_arena_print(t->arena, "%.1f", 100 * value) : "-";
}

/* ---- which rows */

typedef struct asked {
    bool held, calm;                  /* calm: below what there is room for, not all at once */
    const char *model, *gpu, *engine; /* NULL: any */
} asked;

static bool same(const char *wanted, const char *name) {
    return !wanted || (name && strcmp(wanted, name) == 0);
}

static bool is_calm(const clg_measured *row) {
    bool once = row->plan.clients <= 0 && row->plan.requests_per_s <= 0;
    return !once && row->rho < 0.95;
}

static bool keep(const clg_measured *row, const void *context) {
    const asked *a = context;
    return row->held_out == a->held && (!a->calm || is_calm(row)) &&
           same(a->model, row->plan.model) && same(a->gpu, row->plan.gpu) &&
           same(a->engine, row->plan.engine);
}

static bool any(const clg_measured_table *m, bool held) {
    for (int i = 0; i < m->rows; i++)
        if (m->row[i].held_out == held) return true;
    return false;
}

/* ---- per source */

static void print_score(clg_text *t, const clg_measured_score *s) {
    clg_text_print(t, "| %s | %s | %d | %d | %s | %s | %s | %s | %s | %s | %s |\n", s->source,
                   measures[s->measure], s->rows, s->scored, share(t, s->mape),
                   share(t, s->median_ape), share(t, s->p90_ape), share(t, s->bias),
                   share(t, s->coverage), share(t, s->roofline_mape), share(t, s->constant_mape));
}

static bool of_source(const clg_measured_score *s, bool held) {
    return strcmp(s->group, "all") == 0 && strcmp(s->source, "all") != 0 && s->held_out == held &&
           s->scored > 0;
}

static void print_scores(clg_text *t, const clg_measured_table *m, bool held) {
    asked a = {.held = held};
    clg_text_print(t,
                   "| source | of | rows | scored | mean | median | P90 | bias | inside P10-P90 "
                   "| roofline | one constant |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < m->scores; i++)
        if (of_source(&m->score[i], held)) print_score(t, &m->score[i]);
    for (int k = 0; k < CLG_MEASURES; k++) {
        clg_measured_score s = clg_measured_score_rows(m, keep, &a, (clg_measure)k);
        s.source = "all of these";
        if (s.scored > 0) print_score(t, &s);
    }
}

static void print_class(clg_text *t, const clg_measured_table *m, bool held, double from, double to,
                        const char *words) {
    bool begun = false;
    for (int i = 0; i < m->scores; i++) {
        const clg_measured_score *s = &m->score[i];
        if (!of_source(s, held) || s->mape < from || s->mape >= to) continue;
        clg_text_print(t, "%s%s %s (%.0f %%)", begun ? ", " : words, s->source,
                       measures[s->measure], 100 * s->mape);
        begun = true;
    }
    if (begun) clg_text_print(t, "\n");
}

/* Rows with a roofline only; of fewer than four a constant is one of them. */
static void print_against(clg_text *t, const clg_measured_table *m, bool held) {
    int all = 0, roofline = 0, constant = 0;
    for (int i = 0; i < m->scores; i++) {
        const clg_measured_score *s = &m->score[i];
        if (!of_source(s, held) || s->scored < FEW || !isfinite(s->roofline_mape)) continue;
        all++;
        roofline += s->beside_mape < s->roofline_mape;
        constant += s->beside_mape < s->constant_mape;
    }
    clg_text_print(t,
                   "\nOf the %d lines above with four rows or more, %d are predicted better than "
                   "by the roofline, %d better than by the roofline times the one constant that "
                   "fits their rows best, which knows their answers.\n",
                   all, roofline, constant);
}

static void print_part(clg_text *t, const clg_measured_table *m, bool held) {
    print_scores(t, m, held);
    clg_text_print(t, "\n");
    print_class(t, m, held, 0, GOOD, "- within 10 % on average: ");
    print_class(t, m, held, GOOD, FAIR, "- within 20 %: ");
    print_class(t, m, held, FAIR, INFINITY, "- not to be trusted beyond its interval: ");
    print_against(t, m, held);
}

/* ---- aims */

static void print_aim(clg_text *t, const clg_measured_table *m, const char *of, clg_measure measure,
                      bool calm, double aim) {
    asked held = {.held = true, .calm = calm}, others = {.held = false, .calm = calm};
    clg_measured_score h = clg_measured_score_rows(m, keep, &held, measure);
    clg_measured_score o = clg_measured_score_rows(m, keep, &others, measure);
    bool met = h.mape <= aim;
    clg_text_print(t, "| %s | at most %g %% | %d | %s | %s | %s | %s | %d | %s | %s |\n", of,
                   100 * aim, h.scored, share(t, h.mape), share(t, h.median_ape),
                   share(t, h.constant_mape), met ? "met" : "missed", o.scored, share(t, o.mape),
                   share(t, o.median_ape));
}

static void print_aims(clg_text *t, const clg_measured_table *m) {
    clg_text_print(
        t, "\n## Aims\n\nMean errors in %%, of rows never fitted on, and of the others. "
           "*Unsaturated*: fewer sequences than there is room for, not all at once.\n\n"
           "| of | aim | never fitted on | mean | median | one constant | | others | mean | "
           "median |\n|---|---|---|---|---|---|---|---|---|---|\n");
    print_aim(t, m, "time per output token", CLG_MEASURE_TPOT, false, 0.10);
    print_aim(t, m, "the same, unsaturated", CLG_MEASURE_TPOT, true, 0.10);
    print_aim(t, m, "whole answers, unsaturated", CLG_MEASURE_ANSWER, true, 0.10);
    print_aim(t, m, "throughput", CLG_MEASURE_RATE, false, 0.05);
}

/* ---- by what was served */

enum { BY_MODEL, BY_GPU, BY_ENGINE };

static const char *name_by(const clg_measured *row, int by) {
    return by == BY_MODEL ? row->plan.model : by == BY_GPU ? row->plan.gpu : row->plan.engine;
}

static bool named_before(const clg_measured_table *m, int row, int by) {
    const char *name = name_by(&m->row[row], by);
    for (int i = 0; i < row; i++) {
        const char *other = name_by(&m->row[i], by);
        if (m->row[i].held_out && other && strcmp(other, name) == 0) return true;
    }
    return false;
}

static void print_by(clg_text *t, const clg_measured_table *m, int by, const char *title) {
    clg_text_print(t,
                   "\n| %s | throughput, rows | mean | median | bias | per token, rows | mean | "
                   "median | bias |\n|---|---|---|---|---|---|---|---|---|\n",
                   title);
    for (int i = 0; i < m->rows; i++) {
        const char *name = name_by(&m->row[i], by);
        if (!m->row[i].held_out || m->row[i].reason || !name || named_before(m, i, by)) continue;
        asked a = {.held = true};
        *(by == BY_MODEL ? &a.model : by == BY_GPU ? &a.gpu : &a.engine) = name;
        clg_measured_score rate = clg_measured_score_rows(m, keep, &a, CLG_MEASURE_RATE);
        clg_measured_score token = clg_measured_score_rows(m, keep, &a, CLG_MEASURE_TPOT);
        clg_text_print(t, "| %s | %d | %s | %s | %s | %d | %s | %s | %s |\n", name, rate.scored,
                       share(t, rate.mape), share(t, rate.median_ape), share(t, rate.bias),
                       token.scored, share(t, token.mape), share(t, token.median_ape),
                       share(t, token.bias));
    }
}

/* ---- words */

static void print_blind(clg_text *t) {
    clg_text_print(
        t,
        "## Never fitted on\n\n"
        "Rows written down from published texts, all of a table or a page that could be expressed, "
        "before they were predicted. No constant was set by them, and none may be. What a text "
        "does not say is left to the engine. How they were predicted the first time, and which "
        "terms were written with their errors in sight: [below](#first-looks).\n\n");
}

/* Mean errors of a table when it was predicted for the first time, in %; "-": not measured. History
 * that no program can print again. */
static const struct {
    const char *table, *rows, *first, *token, *answer, *rate;
} first_looks[] = {{"held-out.csv", "984", "51 (29)", "29 (26)", "32 (25)", "23 (11)"},
                   {"held-out-open-loop.csv", "51", "10 (9)", "4.7 (2.8)", "5.4 (2.7)", "1.0"},
                   {"disaggregated.csv", "226", "75 (43)", "19 (17)", "-", "-"},
                   {"rocm-vllm.csv", "40", "-", "-", "15 (13)", "17 (14)"},
                   {"sparse.csv, GLM-5", "38", "38", "12", "-", "-"},
                   {"sparse.csv, GPUStack's lab", "30", "53", "53", "-", "51 (24)"}};

/* What was written with errors of rows in sight that nothing was fitted on: they are blind to
 * constants, not to these. */
static const char *const in_sight[] = {
    "Limits that trtllm-bench chooses, for latent attention and for weights in 4 bit, read in its "
    "code (DeepSeek on B200 and GB200 was 57 and 62 % slow); the layout of Llama 4 Maverick under "
    "TensorRT-LLM 0.20, which its page says otherwise than was written down first.",
    "TensorRT-LLM's built engines know no windows, in its documentation (Mistral 7B with prompts "
    "of 20,000 tokens was two to three times too fast).",
    "What SGLang leaves of its memory and which graphs it keeps, read in its code.",
    "What TensorRT-LLM's code and pull requests say of mixtures: layers with windows keep all "
    "tokens, Llama 4's chunks are read for each query head on Hopper, CUTLASS computes experts by "
    "default and its tiles are tried out, DeepSeek's prompts wait for all ranks, attention over "
    "latents is arithmetic (InferSim's table of kernels).",
    "RTX PRO 6000: logits and launches of each stage of a pipeline, and the board's own curves, "
    "from tables of kernels (19 to 14 %).",
    "Wide expert parallelism: the overlap of two batches, experts placed by load, tokens sent once "
    "to a box (8 rows, throughput 46 to 11 %).",
    "Disaggregated rows of InferenceX: the count of tokens taken of three proposed, from "
    "InferenceX itself (2.50) instead of NVIDIA (2.82); SGLang's share of memory, from scripts.",
    "Open loops: models whose files ask for top-k or top-p sampling, which vLLM heeds where a "
    "client does not say, have all logits sorted ([serving.md](serving.md#sampling)); what that "
    "takes is published by others (L40S, per token, 14 to 3 %). Four of vLLM's host times (126 us "
    "an iteration, 4 us a sequence in it, 46 us an output token, 0.8 ms an answer) are a fit by "
    "the authors of these measurements, so 21 of the stages are not blind to them; without all "
    "four those are 3.5 instead of 2.7 % off per token.",
    "Sparse attention: all rows that were at hand. Their times had been seen before the model was "
    "written; no constant and no term was set or chosen by them."};

static void print_first_looks(clg_text *t) {
    clg_text_print(t, "\n## First looks\n\nMean errors in %% (medians) when each table of "
                      "`data/serving-runs` was predicted for the first time:\n\n| table | rows | "
                      "first token | per token | whole answer | throughput |\n"
                      "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof first_looks / sizeof first_looks[0]; i++)
        clg_text_print(t, "| %s | %s | %s | %s | %s | %s |\n", first_looks[i].table,
                       first_looks[i].rows, first_looks[i].first, first_looks[i].token,
                       first_looks[i].answer, first_looks[i].rate);
    clg_text_print(t, "\nWritten afterwards, with their errors in sight: for these the rows are "
                      "blind to constants only.\n\n");
    for (size_t i = 0; i < sizeof in_sight / sizeof in_sight[0]; i++)
        clg_text_print(t, "- %s\n", in_sight[i]);
    clg_text_print(
        t, "\nLeft out after they were scored: eight rows of a page whose throughput contradicts "
           "its own latencies and of recipes that do not say which GPU. Never entered: three "
           "overloaded open-loop stages of which a third and more of the requests timed out. In "
           "open loops Inference-perf repeats a hundred prompts, so all but the first are cached; "
           "it counts tokens anew from the text, so tokens a second are requests a second times "
           "the tokens asked for, and time per token is what an answer takes after the first "
           "one.\n");
}

static void print_causes(clg_text *t) {
    clg_text_print(
        t,
        "\n## Known causes of the large errors\n\n"
        "Suspected from the rows, none of it modelled:\n\n"
        "- DeepSeek R1 in early 2025 (dstack; vLLM, SGLang and TensorRT-LLM, 8 H200 or MI300X): "
        "half of the speed predicted, or less. The kernels are those of a year later. Under "
        "TensorRT-LLM prompts on 8 H200 take half as long again as predicted later too.\n"
        "- TensorRT-LLM on GB200 with prompts of 1,000 tokens (gpt-oss 20B, Qwen3 30B): half or "
        "less of the speed is predicted; the host of 1.2 seems lighter than those its times are "
        "from. Behind Dynamo 0.9.0 (Qwen3 32B in 16 bit on GB200, gpt-oss 120B on H100) one client "
        "on each of two copies waits five times as long for a token as one alone.\n"
        "- Llama 4 Maverick under TensorRT-LLM 0.20, heads split over 8 H100 or H200: 20 to 50 %% "
        "fast, prompts of 20,000 tokens twice. Mixtures on H100 whose cache is nearly full go in "
        "waves: a per cent of memory is 20 to 40 %% of speed.\n"
        "- SGLang started without its authors' options for records: mixtures on 8 B200 take 15 to "
        "40 %% longer a token, on MI300X, of which no kernels were timed, up to twice as long. "
        "Llama 3.1 70B on A100 is within 10 %%. What is dense is known better on MI300X: Llama 3.1 "
        "70B and 405B under AMD's vLLM 0.10 (40 rows) are 15 %% off on the mean.\n"
        "- A thousand chats at once on one or two H100 (GPUStack's lab): Qwen3 14B takes twice as "
        "long a token, Qwen3 8B as long as predicted, gpt-oss 20B four times as long under SGLang "
        "and TensorRT-LLM and as predicted under vLLM: what held them back is not printed.\n"
        "- Decoding of DeepSeek on 72 H100 (LMSYS) 27 %% fast: what it loses beside exchange and "
        "products is not printed.\n"
        "- DeepSeek under TensorRT-LLM on 16 H100 of two boxes 45 %% fast: its exchange between "
        "boxes is priced as NCCL's.\n"
        "- Pools of a disaggregated recipe are matched to each other: a few per cent decide which "
        "of them has the queue, and time to the first token is off by several times.\n"
        "- gpt-oss 120B disaggregated on H200 (dstack): first tokens of 2,048-token prompts are "
        "predicted four to five times as late as measured; their benchmark may send prompts again "
        "that are cached by then.\n"
        "- gpt-oss 120B under TensorRT-LLM is predicted 15 to 45 %% fast where GPUs share experts "
        "out, 20 %% slow on one H200.\n"
        "- Mixtral under TensorRT-LLM 0.17: 10 %% slow on Hopper, 10 %% fast on A100; the kernels "
        "of "
        "its experts were not timed, cuBLAS's and those of experts shared out stand for them.\n"
        "- DeepSeek V3.2 on 8 H200 (GPUStack's lab, engines of its first weeks): with sequences "
        "shared out SGLang's throughput is predicted within 18 %% for prompts of 2,000 to 32,000 "
        "tokens and for long answers, 10 to 25 %% low for a thousand chats, double for answers of "
        "four tokens; with tensor parallelism alone it is less than half of what is predicted, "
        "under TensorRT-LLM 0.25 to 0.4, under vLLM 0.4 to 0.85. Time per token is that of a "
        "server "
        "with prompts in between, and worse.\n"
        "- GLM-5 under SGLang: first tokens come 80 %% later than predicted on B200, 20 %% on "
        "B300.\n"
        "- RTX PRO 6000: eight stages of a pipeline 20 to 55 %% fast where answers are long, two "
        "and four up to 25 %%: what the stages' processes do for each sequence is not known; "
        "prompts in NVFP4 5 to 15 %% slow, of which no products are published.\n"
        "- Llama 3.1 70B in 16 bit on 8 H100 under 0.14, long answers: 40 to 100 %% fast; the "
        "limits "
        "of that page were read from a file of the same release.\n"
        "- Time between tokens of TensorRT-LLM 0.14 behind a server is printed in whole "
        "milliseconds and 18 %% longer than predicted, while throughput is right.\n"
        "- First tokens of vLLM under light load on H100 are predicted 10 to 20 %% (4 ms) late: "
        "its front end was fitted on another benchmark, whose first tokens are right.\n"
        "- Time to the first token near saturation is a queue: a few per cent of service time "
        "become several times of waiting.\n");
}

static void print_skipped(clg_text *t, const clg_measured_table *m) {
    int skipped = 0;
    for (int i = 0; i < m->rows; i++) skipped += m->row[i].reason != NULL;
    if (skipped == 0) return;
    clg_text_print(t, "\n## Rows not scored\n\n");
    for (int i = 0; i < m->rows; i++)
        if (m->row[i].reason) clg_text_print(t, "- %s: %.200s\n", m->row[i].id, m->row[i].reason);
}

void clg_report_measured_page(clg_text *t, const clg_measured_table *m) {
    clg_text_print(
        t,
        "# How far to trust serving\n\n"
        "This page is made by the program: `ceiling validate --serving --markdown "
        "data/serving-runs/*.csv > docs/accuracy-serving.md`.\nEach row of those tables is a "
        "published measurement with its citation ([formats.md](formats.md#serving-measurements)), "
        "predicted from its plan alone. Training is on [another page](accuracy.md).\n\n"
        "Errors are in %%; bias is the median signed error, positive where more is predicted: of "
        "times too slow, of throughput too fast. Two models stand beside it. *Roofline*: bytes of "
        "weights and cache over the bandwidth of HBM, or products over the peak, no constants "
        "([roofline.h](../src/serve/roofline.h)). *One constant*: that, times the one factor per "
        "source, GPU and measure that fits its rows best.\n\n");
    if (any(m, true)) {
        print_blind(t);
        print_part(t, m, true);
        print_aims(t, m);
        clg_text_print(t, "\n## By what was served\n\nOf rows never fitted on.\n");
        print_by(t, m, BY_MODEL, "model");
        print_by(t, m, BY_GPU, "GPU");
        print_by(t, m, BY_ENGINE, "engine");
        clg_report_measured_peers(t, m);
        print_first_looks(t);
        print_causes(t);
    }
    if (any(m, false)) {
        clg_text_print(
            t, "\n## In sight\n\n"
               "Of tables that were in sight while the model was made, four rows or fewer of "
               "each model, GPU and engine, evenly spaced. Which constants were fitted on "
               "which, and the whole tables: [serving.md](serving.md#fitted-on-what), "
               "[economics.md](economics.md#how-far-to-trust-it).\n\n");
        print_part(t, m, false);
    }
    print_skipped(t, m);
}
