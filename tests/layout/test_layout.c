/* Every rule of layouts has a case that breaks it, and the sentence names what was broken. */
#include "layout/layout.h"

#include "plan.h"

static clg_arena arena;
static clg_model llama, mixtral, deepseek;

/* The clause that refuses contains all the words; searching refuses the same without words. */
static void broken(const clg_model *model, clg_layout l, const char *words, const char *number) {
    const char *why = clg_layout_refuses(&arena, model, &l);
    CHECK(why != NULL);
    if (!why) return;
    bool names = strstr(why, words) && strstr(why, number);
    if (!names) printf("  %s\n", why);
    CHECK(names);
    CHECK(clg_layout_refuses(NULL, model, &l) != NULL);
}

static void fine(const clg_model *model, clg_layout l) {
    const char *why = clg_layout_refuses(&arena, model, &l);
    if (why) printf("  %s\n", why);
    CHECK(why == NULL && clg_layout_refuses(NULL, model, &l) == NULL);
}

static void degrees(void) {
    CASE("degrees are positive, zero is 0 to 3");
    const clg_layout good = plan_layout(4096);
    fine(&llama, good);
    static const size_t ints[] = {offsetof(clg_layout, dp),  offsetof(clg_layout, tp),
                                  offsetof(clg_layout, cp),  offsetof(clg_layout, ep),
                                  offsetof(clg_layout, etp), offsetof(clg_layout, pp),
                                  offsetof(clg_layout, vpp), offsetof(clg_layout, micro_batch)};
    for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++)
        for (int value = -3; value <= 0; value++) {
            clg_layout l = good;
            *(int *)(void *)((char *)&l + ints[i]) = value;
            broken(&llama, l, "every degree", "at least 1");
        }
    clg_layout l = good;
    l.accumulation = 0;
    broken(&llama, l, "every degree", "at least 1");
    l = good, l.seq = 0;
    broken(&llama, l, "every degree", "at least 1");
    l = good, l.zero = 4;
    broken(&llama, l, "zero", "0 to 3");
    l.zero = -1;
    broken(&llama, l, "zero", "0 to 3");
}

static void batch(void) {
    CASE("the batch is dp x micro-batch x accumulation");
    clg_layout l = plan_layout(4096);
    l.dp = 4, l.micro_batch = 2, l.accumulation = 3;
    for (l.global_batch = 1; l.global_batch <= 60; l.global_batch++) {
        if (l.global_batch == 24)
            fine(&llama, l);
        else
            broken(&llama, l, "global batch of", "24 sequences");
    }
}

static void tensor(void) {
    CASE("tp divides heads, key-value heads one way or the other, and the MLP");
    clg_layout l = plan_layout(4096);
    for (l.tp = 1; l.tp <= 32; l.tp++) {
        if (32 % l.tp == 0) /* 32 heads, 8 key-value heads: 16 ranks share 8 heads */
            fine(&llama, l);
        else
            broken(&llama, l, "does not divide", "32 attention heads");
    }
    clg_model odd = llama;
    odd.kind[0].attention.kv_heads = 6;
    l.tp = 4;
    broken(&odd, l, "key-value heads", "6");
    l.tp = 2;
    fine(&odd, l);
    odd = llama;
    odd.kind[0].mlp.ffn = 14337;
    broken(&odd, l, "MLP width", "14337");
}

static void sequence(void) {
    CASE("sp needs tp, and tokens that split over it");
    clg_layout l = plan_layout(4096);
    l.sp = true;
    broken(&llama, l, "sp", "tp is 1");
    l.tp = 8;
    fine(&llama, l);
    l.seq = 4092;
    broken(&llama, l, "tp 8", "4092 tokens");
    CASE("cp takes pairs of pieces, one early and one late (causal balance)");
    l = plan_layout(4096);
    for (l.cp = 2; l.cp <= 48; l.cp++) {
        if (4096 % (2 * l.cp) == 0)
            fine(&llama, l);
        else
            broken(&llama, l, "2 x cp", "4096 tokens");
    }
    CASE("ulysses splits heads over tp x cp");
    l.cp_kind = CLG_CONTEXT_ULYSSES;
    l.cp = 4, l.tp = 8;
    fine(&llama, l);
    l.cp = 8;
    broken(&llama, l, "ulysses", "32 heads");
    l.cp_kind = CLG_CONTEXT_RING;
    fine(&llama, l);
}

static void experts(void) {
    CASE("ep and etp need experts");
    clg_layout l = plan_layout(4096);
    l.dp = l.ep = 4, l.global_batch = 4;
    broken(&llama, l, "model has none", "ep 4");
    l.ep = 1, l.etp = 2;
    broken(&llama, l, "model has none", "etp 2");
    CASE("ep divides the experts");
    l = plan_layout(4096);
    for (int ep = 1; ep <= 16; ep++) {
        l.dp = l.ep = ep, l.global_batch = ep;
        if (8 % ep == 0)
            fine(&mixtral, l);
        else
            broken(&mixtral, l, "ep", "8 experts");
    }
    CASE("etp divides an expert's width");
    l = plan_layout(4096);
    l.dp = 6, l.global_batch = 6, l.etp = 3; /* 14336 / 3 */
    broken(&mixtral, l, "etp 3", "14336");
    CASE("ep x etp divides tp x cp x dp");
    l.dp = 4, l.global_batch = 4, l.etp = 1, l.ep = 8;
    broken(&mixtral, l, "tp x cp x dp", "4 ranks");
    l.tp = 2;
    fine(&mixtral, l);
    l.etp = 2;
    broken(&mixtral, l, "tp x cp x dp", "8 ranks");
    CASE("deepseek: 256 experts");
    l = plan_layout(4096);
    l.dp = l.ep = 64, l.global_batch = 64;
    fine(&deepseek, l);
    l.dp = l.ep = 48, l.global_batch = 48;
    broken(&deepseek, l, "ep 48", "256 experts");
}

static void depth(void) {
    CASE("chunks: no more than layers, and two more for embedding and head");
    clg_layout l = plan_layout(4096); /* 32 layers */
    l.pp = 34;
    fine(&llama, l);
    l.pp = 35;
    broken(&llama, l, "pp 35", "32 layers");
    l.pp = 17, l.vpp = 2;
    fine(&llama, l);
    l.vpp = 3;
    broken(&llama, l, "vpp 3", "32 layers");
    l.pp = 1, l.vpp = 33;
    broken(&llama, l, "vpp 33", "32 layers");
    CASE("shard groups divide dp x cp, and may span all of it");
    l = plan_layout(4096);
    l.dp = 12, l.global_batch = 12, l.zero = 3;
    for (l.hsdp = 0; l.hsdp <= 16; l.hsdp++) {
        if (l.hsdp == 0 || 12 % l.hsdp == 0)
            fine(&llama, l);
        else
            broken(&llama, l, "shard group", "dp 12");
    }
    l.dp = 2, l.cp = 4, l.global_batch = 2;
    for (l.hsdp = 1; l.hsdp <= 8; l.hsdp *= 2) {
        fine(&llama, l);
        CHECK(clg_layout_shards(&l) == l.hsdp);
    }
    broken(&llama, l, "shard group", "cp 4");
    l.dp = 1, l.global_batch = 1, l.hsdp = 4;
    fine(&llama, l);
    CASE("first layers recomputed: with full recompute only");
    l = plan_layout(4096);
    l.recompute_layers = 4;
    broken(&llama, l, "recompute-layers", "full recompute");
    l.recompute = CLG_RECOMPUTE_SELECTIVE;
    broken(&llama, l, "recompute-layers", "full recompute");
    l.recompute = CLG_RECOMPUTE_FULL;
    fine(&llama, l);
    l.recompute_layers = -1;
    broken(&llama, l, "recompute-layers", "-1");
}

static void spread_by_hand(void) {
    clg_model m = llama;
    CASE("126 layers on 16 stages: 7 at each end, 8 between (Llama 3, arXiv:2407.21783)");
    m.layers = 126;
    clg_layout l = plan_layout(4096);
    l.pp = 16;
    int of[16];
    clg_layout_layers(&m, &l, of);
    CHECK(of[0] == 7 && of[15] == 7);
    for (int i = 1; i < 15; i++) CHECK(of[i] == 8);
    CASE("61 layers on 16 stages: 3 at the ends, 4 on 13 of the 14 between");
    m.layers = 61;
    clg_layout_layers(&m, &l, of);
    int fours = 0;
    for (int i = 0; i < 16; i++) fours += of[i] == 4;
    CHECK(of[0] == 3 && of[15] == 3 && fours == 13);
    CASE("61 layers and a prediction module: 4 on 15 of 16 stages, 1 beside the head");
    m.prediction_layers = 1;
    clg_layout_layers(&m, &l, of);
    for (int i = 0; i < 15; i++) CHECK(of[i] == 4);
    CHECK(of[15] == 1 && clg_layout_fewest(&m, &l) == 1 && clg_layout_most(&m, &l) == 4);
    CASE("the same in 32 chunks: 1, 30 times 2, none");
    int thin[32];
    l.vpp = 2;
    clg_layout_layers(&m, &l, thin);
    CHECK(thin[0] == 1 && thin[31] == 0);
    for (int i = 1; i < 31; i++) CHECK(thin[i] == 2);
    CASE("64 layers divide: the module comes on top");
    m.layers = 64;
    clg_layout_layers(&m, &l, thin);
    for (int i = 0; i < 32; i++) CHECK(thin[i] == 2);
}

/* Layers of chunks by brute force: sum, spread, ends. */
static void spread(void) {
    CASE("chunks hold the model's layers, even to one, ends last to get more");
    clg_model m = llama;
    int shapes = 0;
    for (m.layers = 1; m.layers <= 130; m.layers += m.layers < 12 ? 1 : 7)
        for (int pp = 1; pp <= 64; pp++)
            for (int vpp = 1; vpp <= 6; vpp++) {
                clg_layout l = plan_layout(4096);
                l.pp = pp, l.vpp = vpp;
                if (clg_layout_refuses(NULL, &m, &l)) continue;
                int chunks = pp * vpp, of[512], sum = 0, least = 1 << 20, most = 0;
                clg_layout_layers(&m, &l, of);
                for (int i = 0; i < chunks; i++) {
                    sum += of[i];
                    least = of[i] < least ? of[i] : least;
                    most = of[i] > most ? of[i] : most;
                }
                CHECK(sum == m.layers && least >= 0 && most - least <= 1);
                /* an end has the larger number only when every chunk between has it */
                bool inner = true;
                for (int i = 1; i + 1 < chunks; i++) inner &= of[i] == most;
                if (chunks > 2 && most > least) {
                    CHECK(of[chunks - 1] == least);
                    if (of[0] == most) CHECK(inner);
                }
                /* a chunk without layers is an end: it has the embedding or the head to do */
                for (int i = 1; i + 1 < chunks; i++)
                    if (m.layers >= chunks - 2) CHECK(of[i] >= 1);
                shapes++;
            }
    CHECK(shapes > 1000);
    spread_by_hand();
}

static void words(void) {
    CASE("a layout in words");
    clg_layout l = plan_layout(4096);
    l.tp = 8, l.sp = true, l.pp = 16, l.dp = 128, l.zero = 1;
    char text[160];
    clg_layout_print(&l, text, sizeof text);
    CHECK_TEXT(text, "tp8+sp pp16 1f1b dp128 zero1 mb1 recompute-none");
    CHECK(clg_layout_gpus(&l) == 16384);
    l.cp = 2;
    CHECK(clg_layout_gpus(&l) == 32768);
    CASE("no room, no overrun");
    for (size_t size = 1; size < sizeof text; size++) {
        memset(text, '#', sizeof text);
        clg_layout_print(&l, text, size);
        CHECK(strlen(text) < size && text[size] == '#');
    }
}

int main(void) {
    clg_error e = {0};
    CASE("presets");
    CHECK(clg_model_find(&arena, "llama-3.1-8b", &llama, &e) == CLG_OK);
    CHECK(clg_model_find(&arena, "mixtral-8x7b", &mixtral, &e) == CLG_OK);
    CHECK(clg_model_find(&arena, "deepseek-v3", &deepseek, &e) == CLG_OK);
    degrees();
    batch();
    tensor();
    sequence();
    experts();
    depth();
    spread();
    words();
    clg_arena_clear(&arena);
    return DONE;
}
