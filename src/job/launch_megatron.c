/* launch_megatron.c -- flags as in Megatron-LM megatron/training/arguments.py and the
 * TransformerConfig that its parser is made from; releases in data/trainer/megatron.json. */
#include "job/launch.h"

enum { BOXED = 8 }; /* GPUs of the largest box without a switch between boxes */
/* A launch with CUDA graphs takes less: stacks have 3 us with, 19.5 us and more without. */
static const double graphed_s = 10e-6;

/* Biases of queries, keys and values, which are all that attention has beside its matrices. */
static int64_t input_biases(const clg_attention *a) {
    if (a->kind == CLG_ATTENTION_LATENT) return 0;
    return (int64_t)(a->heads + a->kv_heads) * a->head_dim +
           (int64_t)a->kv_heads * a->value_head_dim;
}

static bool has_input_biases(const clg_layer_kind *k) {
    return k->extra.attention > 0 && k->extra.attention == input_biases(&k->attention);
}

/* On every tensor rank beside the norms of layer and heads: a bias of the output projection or a
 * gate of the shared experts, as wide as the residual, and a bias of each expert of the router. */
static int64_t beside_norms(const clg_layer_kind *k) {
    bool normed = k->attention.query_key_norm && k->attention.kind == CLG_ATTENTION_GROUPED;
    return k->extra.replicated - (normed ? 2 * (int64_t)k->attention.head_dim : 0);
}

static bool has_shared_gate(const clg_model *m, const clg_layer_kind *k) {
    return k->mlp.shared_ffn > 0 && beside_norms(k) >= m->hidden;
}

static bool has_router_bias(const clg_model *m, const clg_layer_kind *k) {
    int64_t rest = beside_norms(k) - (has_shared_gate(m, k) ? m->hidden : 0);
    return k->mlp.kind == CLG_MLP_MOE && rest > 0 && rest % m->hidden == k->mlp.experts;
}

/* Layers whose sizes the flags below say in full: grouped or latent attention, whole windows. */
static bool is_plain(const clg_layer_kind *k) {
    const clg_attention *a = &k->attention;
    bool known = a->kind == CLG_ATTENTION_GROUPED || a->kind == CLG_ATTENTION_LATENT;
    bool own = k->extra.attention == 0 || has_input_biases(k);
    return known && own && !a->window && !a->gate_dim && !a->borrows && !a->keys_serve &&
           !a->norm_over_heads && !a->shared_values && !k->parallel && k->norms == 2 &&
           !a->indexer.heads && k->mlp.kind != CLG_MLP_NONE && !k->mlp.clamped && !k->mlp.biases;
}

/* Layers before the first with experts, all of one kind and the rest of another; 0: all are alike;
 * -1: neither. */
static int dense_first(const clg_model *m) {
    int first = 0;
    for (int i = 0; i < m->kinds; i++)
        if (!is_plain(&m->kind[i])) return -1;
    if (m->kinds == 1) return 0;
    if (m->kinds != 2) return -1;
    while (first < m->layers && m->kind[m->layer_kind[first]].mlp.kind == CLG_MLP_DENSE) first++;
    for (int i = first; i < m->layers; i++)
        if (m->kind[m->layer_kind[i]].mlp.kind != CLG_MLP_MOE) return -1;
    return first > 0 && first < m->layers ? first : -1;
}

static void refusals(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    clg_launch_refuse(f, clg_launch_narrow_moments(s) && (l->zero != 1 || l->optimizer != CLG_ADAM),
                      "narrow moments come with Adam and its distributed optimizer: --zero 1");
    bool usual = l->schedule == CLG_1F1B || l->schedule == CLG_INTERLEAVED;
    clg_launch_refuse(f, s->model.capped_logits, "it caps no logits, as this model does");
    clg_launch_refuse(f, dense_first(&s->model) < 0,
                      "this model's layers need flags that are not written here");
    for (int i = 0; i < s->model.kinds; i++)
        clg_launch_refuse(f, s->model.kind[i].mlp.latent > 0,
                          "experts on a latent width are not written here");
    clg_launch_refuse(f, l->pp > 1 && !usual, "it runs 1f1b and interleaved 1f1b only");
    clg_launch_refuse(f, l->order > 1, "it has no such order of ranks");
    bool known = l->optimizer == CLG_ADAM || l->optimizer == CLG_SGD || l->optimizer == CLG_MUON;
    clg_launch_refuse(f, !known, "it has no 8-bit Adam, no Lion, no Adafactor");
    clg_launch_refuse(f, l->optimizer == CLG_MUON && l->zero > 0,
                      "its Muon runs without the distributed optimizer");
    clg_launch_refuse(f, l->precision == CLG_FP32 && l->zero >= 2,
                      "its FSDP is not run in fp32 here");
    clg_launch_refuse(f, l->hsdp > 0 && l->hsdp < l->dp && (l->zero != 1 || l->cp > 1),
                      "shards over a part of the ranks are written for ZeRO-1 without context "
                      "parallelism");
    clg_launch_refuse(f, clg_model_experts(&s->model) && l->tp > 1 && !l->sp,
                      "its experts beside tensor parallelism want --sp 1"); /* moe_layer.py */
    clg_launch_refuse(f, l->zero >= 2 && l->pp > 1 && s->model.kinds > 1,
                      "its FSDP and pipelines are not written together here");
}

/* The parser divides the width by the heads where no width of a head is given, though latent
 * attention has its own. */
static void attention(clg_text *t, const clg_attention *a) {
    clg_text_print(t, "  --num-attention-heads %d --kv-channels %d\n", a->heads,
                   a->kind == CLG_ATTENTION_LATENT ? a->value_head_dim : a->head_dim);
    if (a->kind == CLG_ATTENTION_LATENT) {
        clg_text_print(t,
                       "  --multi-latent-attention --kv-lora-rank %d --qk-head-dim %d\n"
                       "  --qk-pos-emb-head-dim %d --v-head-dim %d\n",
                       a->kv_rank, a->head_dim - a->rope_dim, a->rope_dim, a->value_head_dim);
        if (a->query_rank > 0) clg_text_print(t, "  --q-lora-rank %d\n", a->query_rank);
    } else if (a->kv_heads != a->heads)
        clg_text_print(t, "  --group-query-attention --num-query-groups %d\n", a->kv_heads);
    /* Latent attention has norms on its low ranks by the same flag
     * (multi_latent_attention.py: q_layernorm, kv_layernorm). */
    if (a->query_key_norm || a->kind == CLG_ATTENTION_LATENT)
        clg_text_print(t, "  --qk-layernorm\n");
}

/* Tokens sent once are DeepEP's; across more GPUs of fast links than a box has, HybridEP's
 * (Megatron-Bridge flex_dispatcher_backend.py). */
static void exchange(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    bool once = s->stack.experts.dedup && l->ep > 1;
    clg_text_print(t, "  --expert-model-parallel-size %d --expert-tensor-parallel-size %d\n", l->ep,
                   l->etp);
    clg_text_print(t, "  --moe-grouped-gemm --moe-token-dispatcher-type %s\n",
                   !once                            ? "alltoall"
                   : s->machine.node.domain > BOXED ? "flex --moe-flex-dispatcher-backend hybridep"
                                                    : "flex --moe-enable-deepep");
}

static void experts(clg_text *t, const clg_model *m, const clg_layer_kind *k) {
    const clg_mlp *p = &k->mlp;
    int dense = dense_first(m);
    clg_text_print(t, "  --num-experts %d --moe-router-topk %d --moe-ffn-hidden-size %lld\n",
                   p->experts, p->experts_per_token, (long long)p->expert_ffn);
    if (dense > 0)
        clg_text_print(t, "  --moe-layer-freq \"([0]*%d+[1]*%d)\"\n", dense, m->layers - dense);
    if (has_router_bias(m, k)) /* a bias of every expert; the parser asks for both */
        clg_text_print(t,
                       "  --moe-router-enable-expert-bias --moe-router-score-function sigmoid\n");
    if (p->groups > 1)
        clg_text_print(t, "  --moe-router-num-groups %d --moe-router-group-topk %d\n", p->groups,
                       p->groups_per_token);
    if (p->shared_ffn > 0)
        clg_text_print(t, "  --moe-shared-expert-intermediate-size %lld%s\n",
                       (long long)p->shared_ffn,
                       has_shared_gate(m, k) ? " --moe-shared-expert-gate" : "");
}

/* Its own default is a table; "none" is neither that nor a rotation. */
static void positions(clg_text *t, const clg_model *m, bool rotary) {
    bool table = m->embedding_parameters > m->vocab * m->hidden;
    clg_text_print(t, "  --position-embedding-type %s\n",
                   rotary  ? "rope"
                   : table ? "learned_absolute"
                           : "none");
}

static void biases(clg_text *t, const clg_model *m) {
    const clg_layer_kind *first = &m->kind[m->layer_kind[0]];
    if (first->extra.mlp > 0) return;
    clg_text_print(t, "  --disable-bias-linear%s\n",
                   has_input_biases(first) ? " --add-qkv-bias" : "");
}

/* Both are a tenth where nothing is said, which costs time and is no model's here. */
static void dropout(clg_text *t, const clg_scenario *s) {
    if (!s->stack.kernels.dropout)
        clg_text_print(t, "  --attention-dropout 0.0 --hidden-dropout 0.0\n");
}

static void model(clg_text *t, const clg_scenario *s) {
    const clg_model *m = &s->model;
    const clg_layer_kind *first = &m->kind[m->layer_kind[0]],
                         *last = &m->kind[m->layer_kind[m->layers - 1]];
    const clg_mlp *p = &first->mlp;
    clg_text_print(t, "MODEL=(\n  --num-layers %d --hidden-size %lld --ffn-hidden-size %lld\n",
                   m->layers, (long long)m->hidden,
                   (long long)(p->kind == CLG_MLP_MOE ? p->expert_ffn : p->ffn));
    attention(t, &first->attention);
    if (p->gated) clg_text_print(t, "  --swiglu\n");
    if (!first->layer_norm) clg_text_print(t, "  --normalization RMSNorm\n");
    positions(t, m, first->attention.rotary);
    biases(t, m);
    dropout(t, s);
    if (!m->tied) clg_text_print(t, "  --untie-embeddings-and-output-weights\n");
    if (clg_model_experts(m)) experts(t, m, last);
    if (m->prediction_layers > 0)
        clg_text_print(t, "  --mtp-num-layers %d\n", m->prediction_layers);
    clg_text_print(t, "  --tokenizer-type NullTokenizer --vocab-size %lld\n)\n",
                   (long long)m->vocab);
}

/* "Et*3|t*4|t*3L": chunks in the order a token meets them. It gives the virtual stages too, and no
 * other flag may (arguments.py asserts so). */
static void stages(clg_launch *f, clg_text *t, const clg_scenario *s, const clg_layout *l) {
    int chunks = l->pp * l->vpp;
    bool even = !l->split && s->model.layers % chunks == 0;
    if (even && l->vpp > 1)
        clg_text_print(t, "  --num-virtual-stages-per-pipeline-rank %d\n", l->vpp);
    if (even) return;
    int *layers = clg_take(f->arena, (size_t)chunks, int);
    clg_layout_layers(&s->model, l, layers);
    clg_text_print(t, "  --pipeline-model-parallel-layout \"E");
    for (int i = 0; i < chunks; i++) {
        clg_text_print(t, "%s%s", i > 0 ? "|" : "", layers[i] > 0 ? "t" : "");
        if (layers[i] > 1) clg_text_print(t, "*%d", layers[i]);
    }
    for (int i = 0; i < s->model.prediction_layers; i++) clg_text_print(t, "m");
    clg_text_print(t, "L\"\n");
}

static void sharding(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    if (l->zero >= 1) clg_text_print(t, "  --use-distributed-optimizer\n");
    /* Muon's releases before 0.17 refuse it (arguments.py). */
    if (l->zero >= 2 || (s->stack.overlap.gradient > 0 && l->optimizer != CLG_MUON))
        clg_text_print(t, "  --overlap-grad-reduce%s\n",
                       l->zero >= 1 ? " --overlap-param-gather" : "");
    if (l->zero == 1 && l->hsdp > 0 && l->hsdp < l->dp)
        clg_text_print(t, "  --num-distributed-optimizer-instances %d\n", l->dp / l->hsdp);
    if (l->zero >= 2)
        clg_text_print(t,
                       "  --use-megatron-fsdp --data-parallel-sharding-strategy %s\n"
                       "  --no-gradient-accumulation-fusion --ckpt-format fsdp_dtensor\n",
                       l->zero == 3 ? "optim_grads_params" : "optim_grads");
    if (l->zero == 3) /* else every rank makes the whole model before it is cut */
        clg_text_print(t, "  --init-model-with-meta-device\n");
}

static void degrees(clg_launch *f, clg_text *t, const clg_scenario *s, const clg_layout *l) {
    static const char *const context[] = {[CLG_CONTEXT_RING] = "p2p",
                                          [CLG_CONTEXT_GATHER] = "all_gather",
                                          [CLG_CONTEXT_ULYSSES] = "a2a"};
    clg_text_print(t,
                   "PARALLEL=(\n  --tensor-model-parallel-size %d --pipeline-model-parallel-size "
                   "%d\n",
                   l->tp, l->pp);
    if (l->sp) clg_text_print(t, "  --sequence-parallel\n");
    if (l->order == 1) clg_text_print(t, "  --use-tp-pp-dp-mapping\n");
    if (l->cp > 1)
        clg_text_print(t, "  --context-parallel-size %d --cp-comm-type %s\n", l->cp,
                       context[l->cp_kind]);
    if (clg_model_experts(&s->model)) exchange(t, s, l);
    if (l->pp > 1) stages(f, t, s, l);
    sharding(t, s, l);
    clg_text_print(t, ")\n");
}

/* What the plan makes again beside the attention core, which is what "selective" alone says. */
static void made_again(clg_text *t, const clg_scenario *s, bool core) {
    const clg_stack *k = &s->stack;
    bool latent = s->model.kind[0].attention.kind == CLG_ATTENTION_LATENT && k->recompute.latent;
    bool experts = clg_model_experts(&s->model) && k->recompute.experts;
    bool norms = k->recompute.activation;
    bool acts = norms && clg_model_experts(&s->model) && !experts;
    if (core || latent || experts || norms)
        clg_text_print(t, "  --recompute-granularity selective");
    if (latent || experts || norms)
        clg_text_print(t, " --recompute-modules%s%s%s%s%s", core ? " core_attn" : "",
                       latent ? " mla_up_proj" : "", experts ? " moe" : "",
                       norms ? " layernorm" : "", acts ? " moe_act" : "");
    if (core || latent || experts || norms) clg_text_print(t, "\n");
}

/* Off unless asked, and priced as on. */
static void fusions(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    if (s->stack.fused.cross_entropy) clg_text_print(t, "  --cross-entropy-loss-fusion\n");
    if (clg_model_experts(&s->model) && s->stack.experts.rows == CLG_ROWS_AS_THEY_LIE)
        clg_text_print(t, "  --moe-permute-fusion\n");
    if (l->tp > 1 && l->sp && s->stack.overlap.tensor > 0)
        clg_text_print(t, "  --tp-comm-overlap\n");
}

static void memory(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    if (l->recompute != CLG_RECOMPUTE_FULL)
        made_again(t, s, l->recompute == CLG_RECOMPUTE_SELECTIVE);
    if (l->recompute == CLG_RECOMPUTE_FULL)
        clg_text_print(t,
                       "  --recompute-granularity full --recompute-method %s "
                       "--recompute-num-layers %d\n",
                       l->recompute_layers > 0 ? "block" : "uniform",
                       l->recompute_layers > 0 ? l->recompute_layers : 1);
    if (l->offload)
        clg_text_print(t, "  --optimizer-cpu-offload --optimizer-offload-fraction 1.0 "
                          "--use-precision-aware-optimizer\n");
}

static void numbers(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    bool eight = l->precision == CLG_FP8 || l->precision == CLG_MXFP8;
    if (l->precision != CLG_FP32)
        clg_text_print(t, "  --%s\n", l->precision == CLG_FP16 ? "fp16" : "bf16");
    if (eight)
        clg_text_print(t, "  --fp8-format hybrid --fp8-recipe %s\n",
                       l->precision == CLG_MXFP8            ? "mxfp8"
                       : s->stack.precision.current_scaling ? "tensorwise"
                                                            : "delayed");
    if (l->precision == CLG_NVFP4) clg_text_print(t, "  --fp4-format e2m1\n");
    if (s->stack.gradient == CLG_BF16) clg_text_print(t, "  --grad-reduce-in-bf16\n");
    if (clg_launch_narrow_moments(s))
        clg_text_print(
            t, "  --use-precision-aware-optimizer --exp-avg-dtype %s --exp-avg-sq-dtype %s\n",
            clg_name_of(clg_precision_names, (int)s->stack.moments),
            clg_name_of(clg_precision_names, (int)s->stack.moments));
    if (l->optimizer != CLG_ADAM)
        clg_text_print(t, "  --optimizer %s\n",
                       clg_name_of(clg_optimizer_names, (int)l->optimizer));
}

void clg_launch_megatron(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    refusals(f, s, l);
    if (f->asks) return;
    clg_text *t = clg_launch_file(f, "train.sh");
    clg_launch_head(t, s);
    if ((l->tp > 1 || l->cp > 1) && l->zero < 2) /* arguments.py asserts so before Blackwell */
        clg_text_print(t, "export CUDA_DEVICE_MAX_CONNECTIONS=1\n");
    model(t, s);
    degrees(f, t, s, l);
    clg_text_print(t,
                   "TRAIN=(\n  --micro-batch-size %d --global-batch-size %lld --seq-length %lld\n",
                   l->micro_batch, (long long)l->global_batch, (long long)l->seq);
    clg_text_print(t, "  --max-position-embeddings %lld --train-iters 100 --lr 1.0e-4\n",
                   (long long)l->seq);
    numbers(t, s, l);
    memory(t, s, l);
    fusions(t, s, l);
    /* Masks of seq x seq bytes, read by no kernel here, are made and sent unless told not to; the
     * newest parser has no default interval, which training.py divides by. */
    clg_text_print(t,
                   "  --mock-data --split 99,1,0 --no-create-attention-mask-in-dataloader\n"
                   "  --eval-iters 0 --eval-interval 1000 --log-interval 1 --log-throughput\n)\n");
    clg_text_print(t, "torchrun --nproc-per-node $GPUS_PER_NODE --nnodes $NNODES \\\n"
                      "  --node-rank ${NODE_RANK:-0} --master-addr ${MASTER_ADDR:-localhost} \\\n"
                      "  --master-port ${MASTER_PORT:-29500} ${TRAINER:-.}/pretrain_gpt.py \\\n"
                      "  \"${MODEL[@]}\" \"${PARALLEL[@]}\" \"${TRAIN[@]}\"\n");
    clg_launch_say(f, true, "TRAINER: where pretrain_gpt.py lies, Megatron-LM");
    clg_launch_say(f, true, "data is --mock-data: put your own, and its tokenizer, in its place");
    clg_launch_say(f, true,
                   "what no plan says is the trainer's own: base of the rotation, epsilon, "
                   "activation, schedule of the rate");
    clg_launch_say(f, clg_model_experts(&s->model) && s->stack.experts.dedup && l->ep > 1,
                   "DeepEP or HybridEP, which send tokens once, have to be installed");
    clg_launch_say(f, s->stack.fused.cross_entropy,
                   "its own fused loss keeps fp32 logits: more memory than priced; Transformer "
                   "Engine's (--cross-entropy-fusion-impl te) is refused since 2026");
    clg_launch_say(f, s->stack.host.launch_s < graphed_s,
                   "CUDA graphs are priced: add --cuda-graph-impl, with what your release has");
    clg_launch_say(f, l->attention >= 0,
                   "attention is what Transformer Engine picks (--attention-backend)");
}
