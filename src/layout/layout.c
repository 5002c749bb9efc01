/* layout.c -- which layouts are legal, and how layers fall on stages. */
#include "layout/layout.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const clg_name clg_recompute_names[] = {
    {"none", CLG_RECOMPUTE_NONE, "every activation is kept"},
    {"selective", CLG_RECOMPUTE_SELECTIVE,
     "the attention core is done again; of latent attention, its heads"},
    {"full", CLG_RECOMPUTE_FULL, "layers are done again from their inputs"},
    {NULL, 0, NULL}};

const clg_name clg_schedule_names[] = {
    {"gpipe", CLG_GPIPE, "all forwards, then all backwards"},
    {"1f1b", CLG_1F1B, "one forward, one backward in steady state"},
    {"interleaved", CLG_INTERLEAVED, "1f1b over several chunks per stage (vpp)"},
    {"zb-h1", CLG_ZB_H1, "1f1b with weight gradients moved into the bubble"},
    {"zb-h2", CLG_ZB_H2, "no bubble, twice the activations of 1f1b"},
    {"zb-v", CLG_ZB_V, "two chunks in a V, weight gradients fill the bubble"},
    {"dualpipe", CLG_DUALPIPE, "both directions at once, two copies of the weights"},
    {NULL, 0, NULL}};

const clg_name clg_context_names[] = {
    {"ring", CLG_CONTEXT_RING, "keys and values pass round a ring, under attention"},
    {"gather", CLG_CONTEXT_GATHER, "keys and values are gathered before attention"},
    {"ulysses", CLG_CONTEXT_ULYSSES, "heads are exchanged for tokens by all-to-all"},
    {NULL, 0, NULL}};

const clg_name clg_optimizer_names[] = {
    {"adam", CLG_ADAM, "fp32 master weights and two fp32 moments"},
    {"adam8bit", CLG_ADAM_8BIT, "fp32 master weights and two 8-bit moments"},
    {"muon", CLG_MUON, "fp32 master weights and one moment, orthogonalized"},
    {"sgd", CLG_SGD, "fp32 master weights and one moment"},
    {"lion", CLG_LION, "fp32 master weights and one moment"},
    {"lion8bit", CLG_LION_8BIT, "fp32 master weights and one 8-bit moment"},
    {"adafactor", CLG_ADAFACTOR, "fp32 master weights, sums of rows and columns"},
    {"paged-adam8bit", CLG_ADAM_8BIT, "the same bytes, moved to the host where they do not fit"},
    {"paged-adam", CLG_ADAM, "the same bytes, moved to the host where they do not fit"},
    {NULL, 0, NULL}};

const clg_name clg_reference_names[] = {
    {"none", CLG_REFERENCE_NONE, NULL},
    {"model", CLG_REFERENCE_MODEL, "a frozen model runs forward beside"},
    {"precomputed", CLG_REFERENCE_NONE, "what it says was computed before: nothing in a step"},
    {NULL, 0, NULL}};

const clg_name clg_order_names[] = {{"tp-cp-dp-pp", 0, "stages outermost, as trainers have it"},
                                    {"tp-cp-pp-dp", 1, "copies outermost"},
                                    {"tp-dp-cp-pp", 2, NULL},
                                    {"tp-dp-pp-cp", 3, NULL},
                                    {"tp-pp-cp-dp", 4, NULL},
                                    {"tp-pp-dp-cp", 5, NULL},
                                    {"cp-tp-dp-pp", 6, NULL},
                                    {"cp-tp-pp-dp", 7, NULL},
                                    {"cp-dp-tp-pp", 8, NULL},
                                    {"cp-dp-pp-tp", 9, NULL},
                                    {"cp-pp-tp-dp", 10, NULL},
                                    {"cp-pp-dp-tp", 11, NULL},
                                    {"dp-tp-cp-pp", 12, "copies inside a node"},
                                    {"dp-tp-pp-cp", 13, NULL},
                                    {"dp-cp-tp-pp", 14, NULL},
                                    {"dp-cp-pp-tp", 15, NULL},
                                    {"dp-pp-tp-cp", 16, NULL},
                                    {"dp-pp-cp-tp", 17, NULL},
                                    {"pp-tp-cp-dp", 18, "stages inside a node"},
                                    {"pp-tp-dp-cp", 19, NULL},
                                    {"pp-cp-tp-dp", 20, NULL},
                                    {"pp-cp-dp-tp", 21, NULL},
                                    {"pp-dp-tp-cp", 22, NULL},
                                    {"pp-dp-cp-tp", 23, NULL},
                                    {NULL, 0, NULL}};

void clg_layout_axes(const clg_layout *l, clg_rank_axis axes[4]) {
    const char *name = clg_name_of(clg_order_names, l->order);
    for (int i = 0; i < 4; i++) {
        memcpy(axes[i].name, name + (size_t)(3 * i), 2);
        axes[i].name[2] = '\0';
        axes[i].degree = axes[i].name[0] == 't'   ? l->tp
                         : axes[i].name[0] == 'c' ? l->cp
                         : axes[i].name[0] == 'd' ? l->dp
                                                  : l->pp;
    }
}

int64_t clg_layout_gpus(const clg_layout *layout) {
    return (int64_t)layout->dp * layout->tp * layout->cp * layout->pp;
}

double clg_layout_tokens(const clg_layout *l) { return (double)l->global_batch * (double)l->seq; }

int clg_layout_shards(const clg_layout *layout) {
    int ranks = layout->dp * layout->cp;
    return layout->hsdp > 0 && layout->hsdp < ranks ? layout->hsdp : ranks;
}

int clg_layout_copies(const clg_layout *layout) { return layout->schedule == CLG_DUALPIPE ? 2 : 1; }

/* What a rule sees and where it says why. `why` is NULL while searching, so that refusing a layout
 * costs no formatting. */
typedef struct rule_context {
    clg_arena *arena;
    const clg_model *model;
    const clg_layout *layout;
    const char *why;
} rule_context;

static bool refuse(rule_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Always false, for `return condition || refuse(...)`. */
static bool refuse(rule_context *context, const char *format, ...) {
    if (!context->arena) {
        context->why = "refused";
        return false;
    }
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    context->why = clg_arena_copy(context->arena, text, strlen(text));
    return false;
}

static bool degrees_are_positive(rule_context *c) {
    const clg_layout *l = c->layout;
    bool positive = l->dp >= 1 && l->tp >= 1 && l->cp >= 1 && l->ep >= 1 && l->etp >= 1 &&
                    l->pp >= 1 && l->vpp >= 1 && l->micro_batch >= 1 && l->accumulation >= 1 &&
                    l->seq >= 1 && l->zero >= 0 && l->zero <= 3;
    return positive || refuse(c, "every degree is at least 1 and zero is 0 to 3");
}

static bool batch_is_whole(rule_context *c) {
    const clg_layout *l = c->layout;
    int64_t product = (int64_t)l->dp * l->micro_batch * l->accumulation;
    return product == l->global_batch ||
           refuse(c,
                  "dp %d x micro-batch %d x accumulation %lld is %lld sequences, not the global "
                  "batch of %lld; the batch has to be a multiple of dp x micro-batch",
                  l->dp, l->micro_batch, (long long)l->accumulation, (long long)product,
                  (long long)l->global_batch);
}

static bool attention_splits(rule_context *c, const clg_attention *attention) {
    int tp = c->layout->tp;
    if (attention->kind == CLG_ATTENTION_NONE) return true;
    if (attention->heads % tp != 0)
        return refuse(c, "tp %d does not divide the %d attention heads", tp, attention->heads);
    bool shared = attention->kv_heads % tp == 0 || tp % attention->kv_heads == 0;
    return shared || refuse(c, "tp %d and the %d key-value heads do not divide one another", tp,
                            attention->kv_heads);
}

static bool tensor_splits(rule_context *c) {
    const clg_model *m = c->model;
    int tp = c->layout->tp;
    for (int i = 0; i < m->kinds; i++) {
        const clg_layer_kind *kind = &m->kind[i];
        if (!attention_splits(c, &kind->attention)) return false;
        if (kind->mlp.kind == CLG_MLP_DENSE && kind->mlp.ffn % tp != 0)
            return refuse(c, "tp %d does not divide the MLP width %lld", tp,
                          (long long)kind->mlp.ffn);
    }
    return true;
}

static bool sequence_splits(rule_context *c) {
    const clg_layout *l = c->layout;
    if (l->sp && l->tp == 1) return refuse(c, "sp splits norms over tp, and tp is 1");
    if (l->cp > 1 && l->seq % (2 * (int64_t)l->cp) != 0)
        return refuse(c, "2 x cp %d does not divide the sequence of %lld tokens", l->cp,
                      (long long)l->seq);
    if (l->sp && l->seq / l->cp % l->tp != 0)
        return refuse(c, "tp %d does not divide the %lld tokens of a sequence on one rank", l->tp,
                      (long long)(l->seq / l->cp));
    for (int i = 0; l->cp > 1 && i < c->model->kinds; i++) {
        const clg_attention *a = &c->model->kind[i].attention;
        bool state = a->kind == CLG_ATTENTION_LINEAR; /* its heads change places, like ulysses' */
        if ((state || l->cp_kind == CLG_CONTEXT_ULYSSES) && a->heads % (l->tp * l->cp) != 0)
            return refuse(c, "%s: tp %d x cp %d does not divide the %d heads",
                          state ? "state layers" : "ulysses", l->tp, l->cp, a->heads);
    }
    return true;
}

static bool experts_split(rule_context *c) {
    const clg_layout *l = c->layout;
    const clg_mlp *mlp = clg_model_experts(c->model);
    if (!mlp)
        return (l->ep == 1 && l->etp == 1) ||
               refuse(c, "%s %d shares out experts, and the model has none: leave it out",
                      l->ep > 1 ? "ep" : "etp", l->ep > 1 ? l->ep : l->etp);
    if (mlp->experts % l->ep != 0)
        return refuse(c, "ep %d does not divide the %d experts", l->ep, mlp->experts);
    if (mlp->expert_ffn % l->etp != 0)
        return refuse(c, "etp %d does not divide the expert width %lld", l->etp,
                      (long long)mlp->expert_ffn);
    int64_t home = (int64_t)l->tp * l->cp * l->dp;
    return home % ((int64_t)l->ep * l->etp) == 0 ||
           refuse(c, "ep %d x etp %d does not divide the %lld ranks of tp x cp x dp", l->ep, l->etp,
                  (long long)home);
}

/* The first and the last chunk of a pipeline may hold the embedding or the head alone. */
int clg_layout_most_chunks(const clg_model *model, int pp) {
    return (model->layers + (pp > 1 ? 2 : 0)) / pp;
}

static bool layers_suffice(rule_context *c) {
    const clg_layout *l = c->layout;
    return l->vpp <= clg_layout_most_chunks(c->model, l->pp) ||
           refuse(c, "pp %d x vpp %d is more than the %d layers", l->pp, l->vpp, c->model->layers);
}

/* Layers by hand: one number per chunk, together the model. */
static bool split_is_whole(rule_context *c) {
    const clg_layout *l = c->layout;
    int all = 0;
    if (!l->split) return true;
    if (l->split_count != l->pp * l->vpp)
        return refuse(c, "stage-layers has %d numbers, not one for each of pp %d x vpp %d chunks",
                      l->split_count, l->pp, l->vpp);
    for (int i = 0; i < l->split_count; i++) all += l->split[i];
    return all == c->model->layers ||
           refuse(c, "stage-layers is %d layers in all, the model has %d", all, c->model->layers);
}

static bool shards_are_whole(rule_context *c) {
    const clg_layout *l = c->layout;
    int64_t ranks = (int64_t)l->dp * l->cp;
    if (l->hsdp <= 0 || l->hsdp == ranks) return true;
    if (l->zero == 0)
        return refuse(c, "hsdp %d says where shards repeat, and zero 0 has none: give zero 3",
                      l->hsdp);
    return ranks % l->hsdp == 0 ||
           refuse(c, "a shard group of %d ranks does not divide dp %d x cp %d", l->hsdp, l->dp,
                  l->cp);
}

static bool recompute_is_meant(rule_context *c) {
    const clg_layout *l = c->layout;
    if (l->recompute_layers < 0)
        return refuse(c, "recompute-layers is %d, less than 0", l->recompute_layers);
    return l->recompute_layers == 0 || l->recompute == CLG_RECOMPUTE_FULL ||
           refuse(c, "recompute-layers goes with full recompute only");
}

static bool degrees_are_legal(rule_context *c) {
    return degrees_are_positive(c) && batch_is_whole(c) && tensor_splits(c) && sequence_splits(c) &&
           experts_split(c);
}

static bool stages_are_legal(rule_context *c) {
    return layers_suffice(c) && split_is_whole(c) && shards_are_whole(c) && recompute_is_meant(c);
}

const char *clg_layout_refuses(clg_arena *arena, const clg_model *model, const clg_layout *layout) {
    rule_context context = {arena, model, layout, NULL};
    return degrees_are_legal(&context) && stages_are_legal(&context) ? NULL : context.why;
}

bool clg_layout_degrees_legal(const clg_model *model, const clg_layout *layout) {
    return degrees_are_legal(&(rule_context){.model = model, .layout = layout});
}

bool clg_layout_stages_legal(const clg_model *model, const clg_layout *layout) {
    return stages_are_legal(&(rule_context){.model = model, .layout = layout});
}

/* Layers beside the head. Where layers do not divide they are laid by hand, and then a prediction
 * module counts for two, itself and its pass over the head: embedding and 4 layers, 14 times 4, and
 * 1 with module and head; or by twos with none there (Megatron-Bridge,
 * scripts/performance/configs/deepseek/deepseek_workload_base_configs.py, pp_layout). */
static int last_layers(const clg_model *model, int chunks) {
    int tail = model->layers % chunks != 0 ? 2 * model->prediction_layers : 0;
    int last = (model->layers + tail) / chunks - tail;
    return last > 0 ? last : 0;
}

void clg_layout_layers(const clg_model *model, const clg_layout *layout, int *layers_of) {
    int chunks = layout->pp * layout->vpp;
    if (layout->split) {
        for (int i = 0; i < chunks; i++) layers_of[i] = layout->split[i];
        return;
    }
    int last = last_layers(model, chunks), others = chunks - 1;
    layers_of[others] = last;
    if (others == 0) return;
    int even = (model->layers - last) / others, extra = (model->layers - last) % others;
    for (int i = 0; i < others; i++) layers_of[i] = even;
    /* The first chunk has the embedding: it gets an extra layer last. */
    int first = others > 1 ? 1 : 0, inner = others - first;
    int to_inner = extra < inner ? extra : inner;
    int start = first + (inner - to_inner) / 2;
    for (int i = 0; i < to_inner; i++) layers_of[start + i]++;
    if (extra > inner) layers_of[0]++;
}

/* Blocks go to a stage until the cumulated cost is above its threshold (nanotron, models/base.py).
 * Where it is met to the parameter (a published grid has a head of just four layers), pace and
 * memory of pipelines in one node say that being met is enough. */
void clg_layout_layers_by_cost(const clg_model *model, const clg_layout *layout, int *layers_of) {
    int stages = layout->pp * layout->vpp, stage = 0;
    double all = (double)model->vocab * (double)model->hidden, sum = 0;
    for (int i = 0; i < stages; i++) layers_of[i] = 0;
    for (int i = 0; i < model->layers; i++) {
        const clg_layer_parameters *p = &model->kind[model->layer_kind[i]].parameters;
        all += (double)(p->attention + p->mlp + p->experts);
    }
    for (int i = 0; i < model->layers; i++) {
        const clg_layer_parameters *p = &model->kind[model->layer_kind[i]].parameters;
        layers_of[stage]++;
        sum += (double)(p->attention + p->mlp + p->experts);
        if (sum >= all * (stage + 1) / stages && stage + 1 < stages) stage++;
    }
}

int clg_layout_fewest(const clg_model *model, const clg_layout *layout) {
    if (!layout->split) return last_layers(model, layout->pp * layout->vpp);
    int fewest = layout->split[0];
    for (int i = 1; i < layout->split_count; i++)
        if (layout->split[i] < fewest) fewest = layout->split[i];
    return fewest;
}

int clg_layout_most(const clg_model *model, const clg_layout *layout) {
    int chunks = layout->pp * layout->vpp, others = chunks - 1;
    int last = last_layers(model, chunks), most = last;
    if (others > 0 && (model->layers - last + others - 1) / others > most)
        most = (model->layers - last + others - 1) / others;
    for (int i = 0; layout->split && i < layout->split_count; i++)
        if (layout->split[i] > most) most = layout->split[i];
    return most;
}

/* Appends; never past the end. */
static void add(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(char *out, size_t size, const char *format, ...) {
    size_t used = strlen(out);
    if (used + 1 >= size) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + used, size - used, format, arguments);
    va_end(arguments);
}

void clg_layout_print(const clg_layout *l, char *out, size_t size) {
    assert(size > 0);
    out[0] = '\0';
    add(out, size, "tp%d%s", l->tp, l->sp ? "+sp" : "");
    if (l->cp > 1)
        add(out, size, " cp%d%s%s", l->cp, l->cp_kind == CLG_CONTEXT_RING ? "" : "-",
            l->cp_kind == CLG_CONTEXT_RING ? "" : clg_name_of(clg_context_names, (int)l->cp_kind));
    if (l->ep > 1) add(out, size, " ep%d", l->ep);
    if (l->etp > 1) add(out, size, " etp%d", l->etp);
    add(out, size, " pp%d", l->pp);
    if (l->pp > 1) add(out, size, " %s", clg_name_of(clg_schedule_names, (int)l->schedule));
    if (l->vpp > 1) add(out, size, " vpp%d", l->vpp);
    add(out, size, " dp%d zero%d", l->dp, l->zero);
    if (clg_layout_shards(l) != l->dp * l->cp) add(out, size, " hsdp%d", l->hsdp);
    add(out, size, " mb%d recompute-%s", l->micro_batch,
        clg_name_of(clg_recompute_names, (int)l->recompute));
    if (l->recompute_layers > 0) add(out, size, "-%d", l->recompute_layers);
    if (l->order > 0) add(out, size, " %s", clg_name_of(clg_order_names, l->order));
    if (l->split) add(out, size, " uneven");
}
