/* Files of stacks: what a file leaves out, and what changed from a month on. */
#include "dataset/kept.h"
#include "stack/stack.h"
#include "test.h"

static clg_arena arena;

static clg_status read(const char *text, clg_stack *stack, clg_error *error) {
    *error = (clg_error){0};
    return clg_stack_read(&arena, "mine.json", text, strlen(text), stack, error);
}

static void check_recipe_faults(void) {
    clg_stack mine;
    clg_error error = {0};
    CASE("faults show when the file is read");
    CHECK(read("{\"name\": \"m\", \"recipes\": [{\"models\": [\"x\"], \"as\": \"nobody\"}]}", &mine,
               &error) == CLG_BAD_INPUT);
    CHECK(read("{\"name\": \"m\", \"recipes\": [{\"attention\": \"cudnn\"}]}", &mine, &error) ==
          CLG_BAD_INPUT);
    CHECK(read("{\"name\": \"m\", \"recipes\": [{\"models\": [\"x\"], \"host_expret_s\": 1}]}",
               &mine, &error) == CLG_BAD_INPUT);
}

static void check_kept(void) {
    clg_stack first, later;
    clg_error error = {0};
    clg_kept *kept = clg_kept_open();
    clg_arena one = {.kept = kept}, two = {.kept = kept};
    CASE("the current stack is read once, lives longer than the call that read it, and is a copy");
    CHECK(clg_stack_current(&one, "nvidia", false, &first, &error) == CLG_OK);
    first.host.launch_s = -1;
    clg_arena_clear(&one);
    CHECK(clg_stack_current(&two, "nvidia", false, &later, &error) == CLG_OK);
    CHECK(later.data == first.data && later.date == first.date && later.host.launch_s >= 0);
    const clg_stack *there = clg_kept_made(&two, "stack of nvidia");
    CHECK(there && there->data == first.data && !clg_kept_made(&two, "stack of amd"));
    CASE("vendors that data/ does not know are not kept");
    CHECK(clg_stack_current(&two, "nobody", false, &later, &error) == CLG_OK);
    CHECK(!clg_kept_made(&two, "stack of nobody") && !clg_kept_made(&arena, "stack of nvidia"));
    clg_arena_clear(&two);
    clg_kept_close(kept);
}

static void check_masks(void) {
    static const struct {
        const char *stack, *model, *attention;
        bool final; /* whatever newer kernel the GPU has */
    } rows[] = {{"transformers@2024-01", "llama-2-7b", "flash1", false},
                {"transformers@2024-03", "llama-2-7b", "masked", true},
                {"transformers@2024-03", "mistral-7b", "flash2", false},
                {"transformers@2024-06", "llama-3-8b", "flash2", false},
                {"torchtitan-2025@2025-07", "deepseek-v3", "flash1", true},
                {"torchtitan-2025@2025-11", "deepseek-v2-lite", "flash2", true},
                {"torchtitan-2025@2025-11", "qwen3-30b-a3b", "flash2", false}};
    CASE("transformers 4.38 to 4.40 gave Llama a mask; torchtitan's latent heads had one kernel");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        clg_stack stack;
        clg_error error = {0};
        CHECK(clg_stack_find(&arena, rows[i].stack, &stack, &error) == CLG_OK);
        CHECK(clg_stack_recipe(&arena, &stack, rows[i].model, "a100-sxm-80gb", &error) == CLG_OK);
        CHECK(strcmp(stack.attention, rows[i].attention) == 0);
        CHECK(stack.attention_final == rows[i].final);
    }
}

/* What a launch takes under a stack of one month for a model and a GPU. */
static double launch_s(const char *name, const char *model, const char *gpu) {
    clg_stack mine;
    clg_error error = {0};
    CHECK(clg_stack_find(&arena, name, &mine, &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, model, gpu, &error) == CLG_OK);
    return mine.host.launch_s;
}

static void check_recipes_of_mixtures(void) {
    CASE("NeMo's recipes of 2025 replay graphs of mixtures on GB200, not of DeepSeek-V3");
    const char *mixtures[] = {"mixtral-8x7b", "llama-4-scout", "grok-1", "deepseek-v3"};
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(launch_s("nemo-2024@2025-05", mixtures[i], "gb200"), i < 3 ? 3e-6 : 57e-6,
                   1e-12);
    CASE("Megatron-Bridge's of early 2026 leave gpt-oss on GB200 to launches, not on GB300");
    CHECK_NEAR(launch_s("megatron-2026@2026-04", "gpt-oss-120b", "gb200"), 57e-6, 1e-12);
    CHECK_NEAR(launch_s("megatron-2026@2026-04", "gpt-oss-120b", "gb300"), 3e-6, 1e-12);
    CHECK_NEAR(launch_s("megatron-2026@2026-02", "qwen3-235b-a22b", "b200-sxm"), 57e-6, 1e-12);
    CHECK_NEAR(launch_s("megatron-2026@2026-06", "qwen3-235b-a22b", "b200-sxm"), 3e-6, 1e-12);
}

static void check_built_in_recipes(void) {
    check_masks();
    clg_stack mine, other;
    clg_error error = {0};
    CASE("built in: gpt-oss under Megatron-Bridge went by all-to-all until 26.02, on GB200 with "
         "activations again; a stack that stands on it does the same");
    CHECK(clg_stack_find(&arena, "megatron-2026@2026-02", &mine, &error) == CLG_OK);
    CHECK(clg_stack_find(&arena, "megatron-2026@2026-07", &other, &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "gpt-oss-120b", "gb200", &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &other, "gpt-oss-120b", "gb200", &error) == CLG_OK);
    CHECK(!mine.experts.dedup && mine.recompute.activation);
    CHECK(other.experts.dedup && !other.recompute.activation);
    CHECK(read("{\"name\": \"m\", \"base\": \"megatron-2026\"}", &mine, &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "deepseek-v3", "gb200", &error) == CLG_OK);
    CHECK(mine.recompute.latent);
    CASE("built in: MaxText's mixtures on AMD compute places of a fixed capacity");
    static const struct {
        const char *model, *gpu;
        double capacity;
    } fixed[] = {{"deepseek-v2-lite", "mi355x", 1.25},
                 {"mixtral-8x7b", "mi300x", 1},
                 {"mixtral-8x7b", "h100-sxm", 0}};
    for (int i = 0; i < 3; i++) {
        CHECK(clg_stack_find(&arena, "maxtext-2024", &mine, &error) == CLG_OK);
        CHECK(clg_stack_recipe(&arena, &mine, fixed[i].model, fixed[i].gpu, &error) == CLG_OK);
        CHECK_NEAR(mine.experts.capacity, fixed[i].capacity, 1e-15);
    }
    CASE("built in: Primus multiplies experts in 16 bit until 2026-06, and turns latent heads in "
         "one kernel from 2026-04 on, not those of DeepSeek V2");
    CHECK(clg_stack_find(&arena, "primus@2026-05", &mine, &error) == CLG_OK);
    CHECK(clg_stack_find(&arena, "primus@2026-06", &other, &error) == CLG_OK);
    CHECK(mine.experts.wide && !other.experts.wide && !mine.fused.latent_rotary);
    CHECK(clg_stack_recipe(&arena, &mine, "deepseek-v2", "mi355x", &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &other, "deepseek-v3", "mi355x", &error) == CLG_OK);
    CHECK(!mine.fused.latent_rotary && other.fused.latent_rotary);
    CASE("built in: NeMo's recipes of 2025 replay graphs of an 8B on Blackwell, of GPT-3 on GB200; "
         "elsewhere eager modules take 57 us a launch");
    CHECK(clg_stack_find(&arena, "nemo-2024@2025-05", &mine, &error) == CLG_OK);
    other = mine;
    CHECK_NEAR(mine.host.launch_s, 57e-6, 1e-12);
    CHECK(clg_stack_recipe(&arena, &mine, "gpt3-175b", "b200-sxm", &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "llama-3-8b", "h100-sxm", &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "llama-3.1-405b", "gb200", &error) == CLG_OK);
    CHECK_NEAR(mine.host.launch_s, 57e-6, 1e-12);
    CHECK(clg_stack_recipe(&arena, &mine, "nemotron-4-340b", "gb200", &error) == CLG_OK);
    CHECK_NEAR(mine.host.launch_s, 3e-6, 1e-12);
    CHECK(clg_stack_recipe(&arena, &other, "gpt3-175b", "gb200", &error) == CLG_OK);
    CHECK_NEAR(other.host.launch_s, 3e-6, 1e-12);
    CASE(
        "a run that names no software, of a model that one trainer trained: that one's, then only");
    CHECK(clg_stack_find(&arena, "unknown@2024-07", &mine, &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "llama-3.1-405b", "h100-sxm", &error) == CLG_OK);
    CHECK(mine.known && mine.recompute.activation);
    CHECK(clg_stack_find(&arena, "unknown@2025-07", &mine, &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "llama-3.1-405b", "h100-sxm", &error) == CLG_OK);
    CHECK(!mine.known && !mine.recompute.activation);
    CHECK(clg_stack_find(&arena, "torchtitan-2025@2024-06", &mine, &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "llama-3.1-405b", "h100-sxm", &error) == CLG_OK);
    CHECK_TEXT(mine.name, "torchtitan-2025");
}

/* Software of a month, whoever's it is, runs the attention of that month. */
static void check_casts(void) {
    clg_stack stack;
    clg_error error = {0};
    CASE("who casts norms and tables back keeps 16 bit beside a base of 4");
    CHECK(clg_stack_find(&arena, "transformers@2025-06", &stack, &error) == CLG_OK);
    CHECK(stack.precision.widens_rest && stack.precision.single_beside_frozen);
    CHECK(clg_stack_find(&arena, "axolotl@2025-06", &stack, &error) == CLG_OK);
    CHECK(!stack.precision.widens_rest && !stack.precision.single_beside_frozen);
    CHECK(!stack.loss.shifted_logits); /* as the releases it stands on */
    CASE("of a logit 12 bytes, 14 while the model holds those of 16 bit beside a shifted copy");
    static const char *const months[] = {"2024-10", "2024-12", "2025-06"};
    for (int i = 0; i < 3; i++) {
        const char *name = clg_arena_print(&arena, "transformers-fsdp@%s", months[i]);
        CHECK(clg_stack_find(&arena, name, &stack, &error) == CLG_OK);
        CHECK_NEAR(stack.loss.peak_bytes, i == 1 ? 14 : 12, 0);
    }
}

static void check_years(void) {
    static const char *const kernels[][2] = {
        {"unknown@2021-05", "unfused"}, {"unknown@2023-05", "flash1"},
        {"unknown@2024-06", "flash2"},  {"unknown@2025-06", "cudnn"},
        {"unknown", "flash2"},          {"transformers@2023-11", "unfused"},
        {"transformers", "flash2"},     {"pytorch@2023-11", "flash1"},
        {"pytorch", "flash2"},          {"nanotron@2023-11", "flash2"}};
    clg_stack stack;
    clg_error error = {0};
    CASE("scores in memory until FlashAttention came, with PyTorch's releases and transformers'");
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        CHECK(clg_stack_find(&arena, kernels[i][0], &stack, &error) == CLG_OK);
        CHECK_TEXT(stack.attention, kernels[i][1]);
    }
    CASE("transformers and TRL check point without reentrance since 2026-01");
    CHECK(clg_stack_find(&arena, "trl@2025-12", &stack, &error) == CLG_OK);
    CHECK(!stack.recompute.stops_early && stack.precision.single_beside_frozen &&
          stack.precision.widens_rest);
    CHECK(stack.kernels.odd_flop_per_clock > 0);
    CHECK(clg_stack_find(&arena, "trl@2026-01", &stack, &error) == CLG_OK);
    CHECK(stack.recompute.stops_early && stack.experts.rows == CLG_ROWS_LOOPED);
    CHECK(!stack.precision.single_beside_frozen &&
          !stack.precision.widens_rest); /* PEFT's preparation is not called */
    CASE("under FSDP whole layers are gathered; later releases are those of its base");
    CHECK(clg_stack_find(&arena, "transformers@2025-12", &stack, &error) == CLG_OK);
    CHECK(stack.host.gather_s > 0 && !stack.recompute.stops_early);
    CHECK(clg_stack_find(&arena, "transformers-fsdp@2026-02", &stack, &error) == CLG_OK);
    CHECK(stack.host.gather_s == 0 && stack.recompute.stops_early && stack.years_off == 0);
    CHECK_TEXT(stack.name, "transformers-fsdp");
    CHECK(stack.experts.rows == CLG_ROWS_INDEXED && stack.recipes != NULL);
    CASE("eager PyTorch: 39 kernels of 13.48 us for 27 counted; loops of its own stay eager");
    CHECK(clg_stack_find(&arena, "lightning@2026-03", &stack, &error) == CLG_OK);
    CHECK_NEAR(stack.host.step_s, 1e-3, 1e-12); /* a trainer's own data loader and logs: 10 ms */
    CHECK_NEAR(stack.host.launch_s, 39 * 13.48e-6 / 27, 0.01);
    CHECK(!stack.fused.norm && !stack.fused.optimizer && stack.precision.master_weights);
    CASE("what one benchmark's scripts cost the host is of its months only");
    CHECK(clg_stack_find(&arena, "nanotron", &stack, &error) == CLG_OK);
    CHECK(stack.host.rank_launches == 0);
    CHECK(clg_stack_find(&arena, "nanotron-2025@2025-02", &stack, &error) == CLG_OK);
    CHECK(stack.host.rank_launches > 3);
    CHECK(clg_stack_find(&arena, "nanotron@2024-06", &stack, &error) == CLG_OK);
    CHECK(stack.host.rank_launches == 0);
}

static void check_recipes(void) {
    clg_stack mine;
    clg_error error = {0};
    const char *text = "{\"name\": \"mine\", \"date\": \"2026-01\", \"recipes\": ["
                       "{\"models\": [\"gpt-oss\", \"x\"], \"gpus\": [\"gb200\"],"
                       " \"from\": \"2025-11\", \"until\": \"2026-03\","
                       " \"attention\": \"unfused\", \"name\": \"theirs\","
                       " \"host_expert_s\": {\"value\": 3, \"unit\": \"us\","
                       " \"source\": \"x\", \"kind\": \"assumed\"}},"
                       "{\"models\": [\"x\"],"
                       " \"host_expert_s\": {\"value\": 5, \"unit\": \"us\","
                       " \"source\": \"x\", \"kind\": \"assumed\"}},"
                       "{\"models\": [\"y\"], \"from\": \"2026-02\","
                       " \"host_expert_s\": {\"value\": 7, \"unit\": \"us\","
                       " \"source\": \"x\", \"kind\": \"assumed\"}}]}";
    CASE("a recipe waits for its model and GPU: by name, or by what comes before a hyphen");
    CHECK(read(text, &mine, &error) == CLG_OK);
    double before = mine.host.expert_s;
    CHECK(clg_stack_recipe(&arena, &mine, "gpt-osseous", "gb200", &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "gpt", "gb200", &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "gpt-oss-120b", "gb300", &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, NULL, "gb200", &error) == CLG_OK);
    CHECK_NEAR(mine.host.expert_s, before, 0);
    CHECK(!mine.attention_final);
    CHECK(clg_stack_recipe(&arena, &mine, "gpt-oss-120b", "gb200", &error) == CLG_OK);
    CHECK_NEAR(mine.host.expert_s, 3e-6, 1e-12);
    CHECK_TEXT(mine.attention, "unfused");
    CHECK_TEXT(mine.name, "mine");
    CHECK(mine.attention_final);
    CASE("later ones go over earlier ones; one whose month has not come is not yet");
    CHECK(read(text, &mine, &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "x", "gb200", &error) == CLG_OK);
    CHECK_NEAR(mine.host.expert_s, 5e-6, 1e-12);
    CHECK(read(text, &mine, &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &mine, "y", "gb200", &error) == CLG_OK);
    CHECK_NEAR(mine.host.expert_s, before, 0);
    check_kept();
    check_built_in_recipes();
    check_recipes_of_mixtures();
    check_recipe_faults();
}

static void check_software(void) {
    clg_stack s;
    clg_error error = {0};
    clg_layout l = {.dp = 8, .zero = 3, .tp = 1, .cp = 1, .ep = 1, .etp = 1, .pp = 1};
    CASE(
        "nobody names software: the newest release of what is current for the GPUs, else a middle");
    CHECK(clg_stack_current(&arena, "nvidia", false, &s, &error) == CLG_OK);
    CHECK(s.known && s.chosen && strcmp(s.date, "2026-06") >= 0 && s.assumes);
    CHECK(clg_stack_runs_on(&s, "nvidia") && !clg_stack_runs_on(&s, "amd"));
    CHECK(clg_stack_current(&arena, "amd", false, &s, &error) == CLG_OK);
    CHECK(s.known && clg_stack_runs_on(&s, "amd"));
    CHECK(clg_stack_current(&arena, "nobody", false, &s, &error) == CLG_OK);
    CHECK(!s.known && s.chosen);
    CHECK(clg_stack_current(&arena, "nobody", true, &s, &error) == CLG_OK);
    CHECK(s.known && strstr(s.chosen, "beside 4 or 8 bits"));
    CASE(
        "recipes of performance are for the boards they were written on: older ones have defaults");
    const double graphs = 3e-6;
    CHECK(clg_stack_current(&arena, "nvidia", false, &s, &error) == CLG_OK);
    CHECK(clg_stack_recipe(&arena, &s, "llama-3.1-8b", "h100-sxm", &error) == CLG_OK);
    CHECK_NEAR(s.host.launch_s, graphs, 1e-12);
    CHECK(s.fused.cross_entropy && s.gradient == CLG_BF16);
    CHECK(clg_stack_recipe(&arena, &s, "llama-3.1-8b", "a100-sxm-80gb", &error) == CLG_OK);
    CHECK(s.host.launch_s > 10 * graphs && s.overlap.tensor == 0);
    CHECK(!s.fused.cross_entropy && s.gradient == CLG_FP32 && !s.attention_final);
    CHECK(clg_stack_recipe(&arena, &s, "llama-3.1-8b", "v100-sxm-32gb", &error) == CLG_OK);
    CHECK_TEXT(s.attention_older, "unfused");
    CASE("what a stack lacks of a layout, by name");
    CHECK(clg_stack_find(&arena, "fsdp-2024", &s, &error) == CLG_OK);
    CHECK(!s.chosen && !clg_stack_lacks(&s, &l));
    l.zero = 1;
    CHECK_TEXT(clg_stack_lacks(&s, &l), "zero-1");
    l.dp = 1, l.pp = 8, l.schedule = CLG_DUALPIPE;
    CHECK_TEXT(clg_stack_lacks(&s, &l), "dualpipe");
    l.tp = 2;
    CHECK_TEXT(clg_stack_lacks(&s, &l), "tp");
    l.tp = 1, l.pp = 1, l.recompute = CLG_RECOMPUTE_SELECTIVE;
    CHECK_TEXT(clg_stack_lacks(&s, &l), "selective");
    CASE("sp without tp: tensor ranks always split what lies between products, too");
    l = (clg_layout){.tp = 2, .dp = 1, .cp = 1, .ep = 1, .etp = 1, .pp = 1};
    CHECK(read("{\"name\": \"m\", \"shardings\": [\"sp\"]}", &s, &error) == CLG_OK);
    CHECK_TEXT(clg_stack_lacks(&s, &l), "tp");
    l.sp = true;
    CHECK(!clg_stack_lacks(&s, &l));
    CASE("sets of a file: names in a list, nothing else");
    CHECK(read("{\"name\": \"m\", \"shardings\": [\"zero-3\", \"tp\"]}", &s, &error) == CLG_OK);
    CHECK(s.shardings == (1u << (CLG_SHARD_ZERO + 3) | 1u << CLG_SHARD_TP));
    CHECK(read("{\"name\": \"m\", \"schedules\": []}", &s, &error) == CLG_OK && s.schedules == 0);
    CHECK(read("{\"name\": \"m\", \"shardings\": [\"zero3\"]}", &s, &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.mend, "zero-3"));
    CHECK(read("{\"name\": \"m\", \"recomputes\": \"full\"}", &s, &error) == CLG_BAD_INPUT);
    CHECK(read("{\"name\": \"m\", \"schedules\": [1]}", &s, &error) == CLG_BAD_INPUT);
}

static void check_strict(void) {
    static const char *const bad[] = {
        "{}",
        "{\"name\": \"m\", \"vendors\": \"nvidia\"}",
        "{\"name\": \"m\", \"current_on\": [1]}",
        "{\"name\": \"m\", \"current_beside_narrow_base\": 1}",
        "{\"name\": \"m\", \"date\": \"2026\"}",
        "{\"name\": \"m\", \"recipes\": [{\"models\": [\"x\"], \"until\": \"soon\"}]}",
        "{\"name\": \"m\", \"kernel_slowdown\": {\"value\": 0.9, \"source\": \"x\", \"kind\": "
        "\"fitted\"}}",
        "{\"name\": \"m\", \"expert_overlap\": {\"value\": 1.5, \"source\": \"x\", \"kind\": "
        "\"fitted\"}}",
        "{\"name\": \"m\", \"scatters\": {\"value\": true, \"source\": \"x\", \"kind\": "
        "\"vendor\"}}",
        "{\"name\": \"m\", \"zero_one\": {\"value\": \"shard\", \"source\": \"x\", \"kind\": "
        "\"vendor\"}}",
        "{\"name\": \"m\", \"sigma\": {\"value\": 0.1, \"source\": \"x\", \"kind\": \"fitted\", "
        "\"rows\": \"y\"}}",
        "{\"name\": \"m\", \"dropout\": {\"value\": true, \"sauce\": 1, \"source\": \"x\", "
        "\"kind\": \"fitted\"}}"};
    clg_stack s;
    clg_error error;
    CASE("what would be taken for something else, or for nothing, is refused where it stands");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(read(bad[i], &s, &error) == CLG_BAD_INPUT);
        CHECK(error.line == 1 && error.mend[0]);
    }
    CASE("a behaviour by its name");
    CHECK(read("{\"name\": \"m\", \"zero_one\": {\"value\": \"sums-after\", \"source\": \"x\", "
               "\"kind\": \"vendor\"}}",
               &s, &error) == CLG_OK);
    CHECK(s.traffic.zero_one == CLG_ZERO_ONE_SUMS_AFTER && s.traffic.scatters == CLG_SCATTERS_EACH);
    CASE("a file without a title goes by its name, not by that of what it stands on");
    CHECK(read("{\"name\": \"mine\", \"base\": \"megatron-2026\"}", &s, &error) == CLG_OK);
    CHECK_TEXT(s.title, "mine");
}

static void check_terms(void) {
    clg_stack now, then;
    clg_error error = {0};
    CASE("where a term is stated: in the newest release up to the month, in the file, or nowhere");
    CHECK(clg_stack_find(&arena, "megatron-2026@2025-08", &then, &error) == CLG_OK);
    CHECK(clg_stack_find(&arena, "megatron-2026@2026-07", &now, &error) == CLG_OK);
    const clg_json *early = clg_stack_states(&then, "host_experts_s"),
                   *late = clg_stack_states(&now, "host_experts_s");
    CHECK(early && late && late->line > early->line);
    CHECK_TEXT(clg_json_member(early, "kind")->text, "vendor");
    CHECK_TEXT(clg_json_member(late, "kind")->text, "assumed");
    CHECK(clg_stack_states(&now, "expert_overlap") && !clg_stack_states(&now, "shard_jitter"));
    CASE("a number by its name, and none for what is a switch");
    *clg_stack_number(&now, "gradient_overlap") = 0.25;
    CHECK_NEAR(now.overlap.gradient, 0.25, 0);
    CHECK(!clg_stack_number(&now, "fused_norm") && !clg_stack_number(&now, "gradient_overlop"));
    CASE("the family is that of the base, or none");
    CHECK_TEXT(now.family, "megatron");
    CHECK(read("{\"name\": \"m\", \"base\": \"fsdp-2023\"}", &then, &error) == CLG_OK);
    CHECK_TEXT(then.family, "pytorch");
    CHECK(clg_stack_find(&arena, "unknown", &then, &error) == CLG_OK && !then.family);
    CASE("what is no month, no release, or no term is refused where it stands");
    CHECK(clg_stack_find(&arena, "megatron-2026@26.04", &then, &error) == CLG_BAD_INPUT);
    CHECK(clg_stack_find(&arena, "megatron-2026@2026-04-01", &then, &error) == CLG_BAD_INPUT);
    CHECK(read("{\"name\": \"m\", \"releases\": [{\"attention\": \"cudnn\"}]}", &then, &error) ==
          CLG_BAD_INPUT);
    CHECK(read("{\"name\": \"m\", \"date\": \"2025-01\", \"releases\":"
               " [{\"from\": \"2024-01\", \"host_expret_s\": 1}]}",
               &then, &error) == CLG_BAD_INPUT);
    CASE("and so is a network that is not built in");
    CHECK(read("{\"name\": \"m\", \"fabric\": \"efa-v1\"}", &then, &error) == CLG_OK);
    CHECK(strcmp(then.fabric, "efa-v1") == 0);
    error = (clg_error){0};
    CHECK(read("{\"name\": \"m\", \"fabric\": \"efa-v9\"}", &then, &error) == CLG_BAD_INPUT);
    CHECK(error.line == 1 && strcmp(error.field, "fabric") == 0);
}

static void check_months(void) {
    clg_stack now, then, other;
    clg_error error = {0};
    CASE("a month takes the releases up to it, no month those up to the file's own date");
    const char *mine = "{\"name\": \"mine\", \"date\": \"2026-04\", \"gradient\": \"bf16\","
                       " \"releases\": ["
                       "{\"from\": \"2025-02\", \"attention\": \"flash3\","
                       " \"host_expert_s\": {\"value\": 3, \"unit\": \"us\", \"source\": \"x\","
                       " \"kind\": \"assumed\"}},"
                       "{\"from\": \"2026-05\", \"attention\": \"cudnn\"}]}";
    CHECK(read(mine, &now, &error) == CLG_OK);
    CHECK_TEXT(now.attention, "flash3");
    CHECK_NEAR(now.host.expert_s, 3e-6, 1e-12);
    CHECK_TEXT(now.name, "mine");
    CHECK_TEXT(now.date, "2026-04");
    CHECK(now.gradient == CLG_BF16 && now.known);
    CASE("a built-in stack by month: one before all its releases, one after, one without");
    CHECK(clg_stack_find(&arena, "megatron-2026@2025-09", &then, &error) == CLG_OK);
    CHECK(clg_stack_find(&arena, "megatron-2026@2026-07", &now, &error) == CLG_OK);
    CHECK(clg_stack_find(&arena, "megatron-2026", &other, &error) == CLG_OK);
    CHECK(!then.experts.dedup && other.experts.dedup && now.experts.dedup);
    CHECK(!then.fused.experts && !other.fused.experts && now.fused.experts);
    CHECK_TEXT(then.name, "megatron-2026");
    CHECK_TEXT(now.date, "2026-07");
    CHECK(then.known && now.known);
    CASE("what routing costs an eager host rose with Megatron-Core of late 2025, not for who "
         "graphs it");
    CHECK(clg_stack_find(&arena, "megatron-2024@2025-07", &then, &error) == CLG_OK);
    CHECK(clg_stack_find(&arena, "megatron-2024@2025-08", &now, &error) == CLG_OK);
    CHECK_NEAR(then.host.experts_s, 1e-3, 0);
    CHECK_NEAR(now.host.experts_s, 3.1e-3, 1e-12);
    CHECK(clg_stack_find(&arena, "megatron-2026@2025-12", &now, &error) == CLG_OK);
    CHECK_NEAR(now.host.experts_s, 1e-3, 0);

    CASE("the default changes with its releases too, and stays unknown");
    CHECK(clg_stack_find(&arena, "unknown@2023-01", &then, &error) == CLG_OK);
    CHECK(clg_stack_find(&arena, "unknown@2025-05", &now, &error) == CLG_OK);
    CHECK(!then.known && !now.known && !then.experts.dedup);
    CASE("releases of the default are not those of a stack that stands on it");
    CHECK(now.experts.dedup);
    CHECK(clg_stack_find(&arena, "megatron-2024@2025-05", &other, &error) == CLG_OK);
    CHECK(!other.experts.dedup);
}

int main(void) {
    check_recipes();
    check_casts();
    check_years();
    check_software();
    check_strict();
    check_months();
    check_terms();
    clg_arena_clear(&arena);
    return DONE;
}
