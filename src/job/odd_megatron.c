/* odd_megatron.c -- the argument parser's arithmetic (megatron/training/arguments.py). */
#include "job/odd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ffn_hidden_size left out: 4 h, or with a gate two thirds of it in multiples of 64; of FlagScale's
 * --multiple-of, rounded up (flagscale/runner/auto_tuner/utils.py). */
static void widths(clg_reading *r) {
    double hidden = clg_job_get(r, CLG_JOB_HIDDEN), multiple = clg_odd_number(r, "multiple-of", 0);
    bool gated = clg_job_get(r, CLG_JOB_GATED) != 0;
    if (hidden <= 0) return;
    double thirds =
        floor(floor(4 * hidden * 2 / 3) * clg_odd_number(r, "hidden-dim-multiplier", 1));
    if (multiple >= 1 && gated)
        clg_job_put(r, CLG_JOB_FFN, ceil(thirds / multiple) * multiple, NULL,
                    "8/3 of hidden, up to --multiple-of");
    clg_job_put(r, CLG_JOB_FFN, gated ? floor(4 * hidden * 2 / 3 / 64) * 64 : 4 * hidden, NULL,
                gated ? "8/3 of hidden in multiples of 64, as the trainer has it"
                      : "4 x hidden, as the trainer has it");
    if (clg_job_get(r, CLG_JOB_EXPERTS) > 0)
        clg_job_put(r, CLG_JOB_EXPERT_FFN, clg_job_get(r, CLG_JOB_FFN), NULL,
                    "as the dense width, as the trainer has it");
}

/* MindSpeed counts shared experts, as wide as the others. */
static void shared(clg_reading *r) {
    double count = clg_odd_number(r, "n-shared-experts", 0);
    double width = clg_job_get(r, CLG_JOB_EXPERT_FFN);
    if (count > 0 && width > 0)
        clg_job_put(r, CLG_JOB_SHARED_FFN, count * width, NULL,
                    "shared experts x an expert's width");
}

/* The vocabulary is padded to a multiple of --make-vocab-size-divisible-by x tp. */
static void vocabulary(clg_reading *r) {
    double rows = clg_job_get(r, CLG_JOB_VOCAB), tp = clg_job_value_or(r, CLG_JOB_TP, 1);
    double multiple = clg_job_value_or(r, CLG_JOB_VOCAB_MULTIPLE, 128) * tp;
    if (rows < 1 || multiple < 1) return;
    double padded = ceil(rows / multiple) * multiple;
    if (padded == rows) return;
    clg_job_note_down(
        r->arena, &r->job->doubts, "vocab", NULL,
        clg_arena_print(r->arena, "padded to %.0f rows, multiples of %.0f", padded, multiple), -1);
}

enum { CHUNKS_MOST = 1024 };

/* Layers of the chunks of a pipeline: those before `count` are whole, the one there is begun. */
typedef struct chunks {
    int layers[CHUNKS_MOST + 1];
    int count;
} chunks;

/* "*3" after a letter or a group; without it once. */
static int times_of(const char *text) {
    double times = *text == '*' ? atof(text + 1) : 1;
    return times >= 1 && times < 1e4 ? (int)times : 1;
}

/* "Et*3", "tt|": bars part chunks, "t" is a layer; embedding, head and modules beside it are not.
 */
static void add_chunks(chunks *c, const char *text, const char *end) {
    for (; text < end; text++) {
        if (*text == '|' && c->count < CHUNKS_MOST) c->layers[++c->count] = 0;
        if (*text == 't' && c->layers[c->count] < 10000) c->layers[c->count] += times_of(text + 1);
    }
}

/* "Et*3|(tt|)*29,m|L": "(...)*n" stands n times. */
static void read_chunks(chunks *c, const char *layout) {
    while (*layout) {
        const char *end = layout + strcspn(layout, "("), *close = strchr(end, ')');
        add_chunks(c, layout, end);
        if (!*end || !close) return;
        for (int n = times_of(close + 1); n > 0; n--) add_chunks(c, end + 1, close);
        layout = close + 1;
    }
}

static void stages(clg_reading *r) {
    const char *layout = clg_odd_word(r, "pipeline-model-parallel-layout", "");
    double pp = clg_job_value_or(r, CLG_JOB_PP, 1);
    chunks *c = clg_take(r->arena, 1, chunks);
    read_chunks(c, layout);
    if (!*layout || c->count + 1 < pp || fmod(c->count + 1, pp) != 0) return;
    clg_job_put(r, CLG_JOB_VPP, (c->count + 1) / pp, NULL,
                "stages of the pipeline's layout over pp");
    clg_odd_stage_layers(r, c->layers, c->count + 1, "layers of the pipeline's layout");
}

/* Whether "embedding" or "loss" counts as a layer of its stage: said, or a recipe's own. */
static bool counts(clg_reading *r, const char *what) {
    const char *keys = clg_arena_print(r->arena,
                                       "account-for-%s-in-pipeline-split|"
                                       "model.account_for_%s_in_pipeline_split|"
                                       "account_for_%s_in_pipeline_split",
                                       what, what, what);
    bool own = clg_job_get(r, CLG_JOB_ENDS_COUNT) > 0;
    return clg_job_is(clg_odd_word(r, keys, own ? "true" : ""), "true");
}

/* Layers of stage `at` of `pp`: first and last as they are told, the others alike; embedding and
 * loss in the place of a layer each (transformer_layer.py, get_num_layers_to_build). 0: not told.
 */
static double stage_of(clg_reading *r, int at, int pp) {
    double layers = clg_job_get(r, CLG_JOB_LAYERS);
    double first = clg_odd_number(
        r, "decoder-first-pipeline-num-layers|num-layers-in-first-pipeline-stage", 0);
    double last =
        clg_odd_number(r, "decoder-last-pipeline-num-layers|num-layers-in-last-pipeline-stage", 0);
    bool begins = counts(r, "embedding"), ends = counts(r, "loss");
    int others = pp - (first > 0) - (last > 0);
    if (first <= 0 && last <= 0 && !begins && !ends) return 0;
    if (at == 0 && first > 0) return first;
    if (at == pp - 1 && last > 0) return last;
    return others < 1 ? 0 : (layers - first - last + begins + ends) / others;
}

/* A stage's layers are cut evenly into its chunks; a chunk of every stage comes before the next of
 * any. */
void clg_odd_uneven_stages(clg_reading *r) {
    int pp = clg_odd_whole(r, CLG_JOB_PP), layers[256];
    double each = clg_job_get(r, CLG_JOB_CHUNK_LAYERS), whole = stage_of(r, 0, pp);
    bool begins = counts(r, "embedding"), ends = counts(r, "loss");
    if (pp < 2 || pp > 256 || whole <= 0) return;
    if (each > 0 && fmod(whole, each) == 0)
        clg_job_put(r, CLG_JOB_VPP, whole / each, NULL, "layers of a stage over those of a chunk");
    int vpp = clg_odd_whole(r, CLG_JOB_VPP), parts = pp * vpp;
    if (vpp < 1 || vpp > 256 / pp) return;
    for (int i = 0; i < parts; i++) {
        double part = stage_of(r, i % pp, pp) / vpp;
        if (part != floor(part) || fabs(part) > 1e6) return;
        layers[i] = (int)part - (begins && i == 0) - (ends && i == parts - 1);
    }
    clg_odd_stage_layers(r, layers, parts, "layers of the first and the last stage, as told");
}

/* What --moe-layer-freq says of the layers: so many without experts stand first, and whether more
 * of them stand behind one that has. */
typedef struct layer_pattern {
    double first;
    bool experts, mixed;
} layer_pattern;

enum { PATTERN_MOST = 10000 };

/* "[0,1]" up to its bracket, `times` times over. */
static void add_layers(layer_pattern *p, const char *list, int times) {
    for (int i = 0; i < times && p->first < PATTERN_MOST && !p->mixed; i++)
        for (const char *at = list; *at && *at != ']'; at++) {
            if (*at == '1') p->experts = true;
            if (*at == '0' && !p->experts) p->first++;
            if (*at == '0' && p->experts) p->mixed = true;
        }
}

/* "[0]*3+[1]*58", "([0]+[1]*26)", "[0, 1, 1]"; a number n: the first of every n layers has them. */
static layer_pattern read_pattern(const char *text) {
    layer_pattern p = {.mixed = atof(text) > 1};
    for (const char *at = strchr(text, '['); at; at = strchr(at + 1, '[')) {
        const char *end = at + strcspn(at, "]"), *behind = end + (*end == ']');
        add_layers(&p, at + 1, times_of(behind + strspn(behind, " ")));
    }
    const char *group = strchr(text, ')');
    if (p.first > 0 && p.experts && group && times_of(group + 1) > 1) p.mixed = true;
    return p;
}

static void dense_layers(clg_reading *r) {
    layer_pattern p = read_pattern(clg_odd_word(r, "moe-layer-freq|moe_layer_freq", ""));
    if (clg_job_get(r, CLG_JOB_EXPERTS) < 1) return;
    if (p.first >= 1 && p.first < PATTERN_MOST)
        clg_job_put(r, CLG_JOB_DENSE_LAYERS, p.first, NULL, "layers without experts stand first");
    if (p.mixed)
        clg_job_note_down(r->arena, &r->job->doubts, "moe-layer-freq", NULL,
                          "layers without experts stand between others: priced as if those had "
                          "experts; give the model's config.json",
                          -1);
}

/* megablocks spreads experts over the ranks of one copy, as many as there are of either. */
static void megablocks(clg_reading *r) {
    double experts = clg_job_get(r, CLG_JOB_EXPERTS);
    double ranks = clg_job_get(r, CLG_JOB_DP);
    if (ranks < 1 || !clg_job_is(clg_odd_word(r, "moe-expert-model-parallelism", ""), "true"))
        return;
    if (experts >= 1) clg_job_forget(r, CLG_JOB_EP);
    clg_job_put(r, CLG_JOB_EP, experts < ranks ? experts : ranks, NULL,
                "--moe-expert-model-parallelism: over data-parallel ranks");
}

/* What the trainer's recompute modules are as terms; the core itself is the field "recompute". */
static const struct {
    const char *module, *term;
} made[] = {{"core_attn", ""},
            {"mla_up_proj", "recompute_latent"},
            {"moe", "recompute_experts"},
            {"layernorm", "recompute_activation"},
            {"moe_act", "recompute_activation"}};

static void add_module(clg_reading *r, const char *module, const char **terms) {
    bool within = strcmp(module, "shared_experts") == 0 && strstr(*terms, "recompute_experts");
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        if (strcmp(made[i].module, module) != 0) continue;
        if (*made[i].term && !strstr(*terms, made[i].term))
            *terms =
                clg_arena_print(r->arena, "%s%s%s=true", *terms, **terms ? "," : "", made[i].term);
        return;
    }
    if (within) return;
    clg_job_note_down(r->arena, &r->job->doubts, "recompute-modules", NULL,
                      clg_arena_print(r->arena,
                                      "%.40s is made again, which is not priced: less memory, and "
                                      "a little more time",
                                      module),
                      -1);
}

/* "moe mla_up_proj", a list of them. */
static void add_modules(clg_reading *r, const clg_json *node, const char **terms) {
    for (const clg_json *one = node->kind == CLG_JSON_ARRAY ? node->first : NULL; one;
         one = one->next)
        add_modules(r, one, terms);
    if (node->kind == CLG_JSON_ARRAY) return;
    static const char marks[] = " ,[]'\"";
    for (const char *at = clg_job_word(node); *(at += strspn(at, marks)); at += strcspn(at, marks))
        add_module(r, clg_arena_copy(r->arena, at, strcspn(at, marks)), terms);
}

void clg_odd_made_again(clg_reading *r) {
    clg_found_key key =
        clg_job_key(r, r->main, "model.recompute_modules|recompute-modules|recompute_modules");
    const char *mode = clg_odd_word(
        r, "model.recompute_granularity|recompute-granularity|recompute_granularity", "");
    const char *held = r->job->field[CLG_JOB_TERM].text, *terms = held ? held : "";
    if (!key.node || strcmp(mode, "selective") != 0) return;
    add_modules(r, key.node, &terms);
    if (terms == held || !*terms) return;
    r->job->field[CLG_JOB_TERM].text = NULL; /* the terms held stand first in the new ones */
    clg_job_put_word(r, CLG_JOB_TERM, terms, clg_job_from(r, &key), NULL);
}

/* "M*M-/MM": Mamba, attention and other layers in turn. */
static void pattern(clg_reading *r) {
    clg_found_key key = clg_job_key(r, r->main, "hybrid-layer-pattern|hybrid-override-pattern");
    if (key.node)
        clg_job_note_down(r->arena, &r->job->doubts, "hybrid-layer-pattern", NULL,
                          "its kinds of layers are not read: give the model's name or config.json",
                          -1);
}

void clg_odd_megatron(clg_reading *r) {
    clg_odd_made_again(r);
    pattern(r);
    megablocks(r);
    widths(r);
    shared(r);
    dense_layers(r);
    stages(r);
    clg_odd_uneven_stages(r);
    vocabulary(r);
    if (clg_job_get(r, CLG_JOB_MICRO_BATCH) > 0 && clg_job_get(r, CLG_JOB_GLOBAL_BATCH) == 0)
        clg_job_put(r, CLG_JOB_ACCUMULATION, 1, NULL,
                    "no global batch: micro-batch x dp, as the trainer has it");
}
