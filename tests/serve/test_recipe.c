/* test_recipe.c -- public recipes of InferenceX: which row is one of which. */
#include "dataset/dataset.h"
#include "machine/machine.h"
#include "model/preset.h"
#include "serve/recipe.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const char *path = "recipe/inferencex.csv";

static int find(clg_arena *arena, const clg_recipe_row *row, clg_recipe *first) {
    clg_error error = {0};
    int count = -1;
    CHECK(clg_recipes_find(arena, row, 1, first, &count, &error) == CLG_OK);
    return count;
}

/* DeepSeek R1 in 4 bit under TensorRT-LLM, 8,192 tokens in and 1,024 out. */
static clg_recipe_row row_on(const char *gpu, int64_t clients, int first, int rest) {
    return (clg_recipe_row){"deepseek-v3",
                            gpu,
                            "trtllm",
                            CLG_NVFP4,
                            8192,
                            1024,
                            clients,
                            "2026-02-03T00:00:00.000Z",
                            {first, 1, 1, 1, 0},
                            {rest, 1, 1, 1, 0}};
}

static void test_match(clg_arena *arena) {
    clg_recipe c;
    CASE("by lengths, clients and GPUs of a copy; nvidia-master.yaml, dsr1-fp4-gb300-dynamo-trt");
    clg_recipe_row row = row_on("gb300", 72, 2, 8);
    CHECK(find(arena, &row, &c) == 1);
    CHECK(c.prefill.copies == 1 && c.prefill.dp == 2 && c.prefill.ep == 2 && c.prefill.tp == 1);
    CHECK(c.part.copies == 3 && c.part.tp == 8 && c.part.dp == 1 && c.part.ep == 8);
    CHECK(c.batch == 16 && c.drafted == 0 && strstr(c.cite, "ctx1_gen3_tep8_batch16"));
    CASE("a number of clients is a whole word of the list");
    row.clients = 7;
    CHECK(find(arena, &row, &c) == 0);
    CASE("other degrees, another month: none");
    row = row_on("gb300", 72, 2, 4);
    CHECK(find(arena, &row, &c) == 0);
    row = row_on("gb300", 72, 2, 8);
    row.date = "2026-04-01";
    CHECK(find(arena, &row, &c) == 0);
    CASE("with and without speculation alike: two; copies are given only where there is none");
    row = row_on("gb300", 5, 2, 8);
    CHECK(find(arena, &row, &c) == 2);
    row.prefill.copies = 1;
    row.part.copies = 4;
    CHECK(find(arena, &row, &c) == 1 && c.drafted == 0);
    row.part.copies = 3;
    CHECK(find(arena, &row, &c) == 0);
}

static void test_exports_of_2025(clg_arena *arena) {
    clg_recipe c;
    CASE("GPUs of the whole system in both parts: 4 x 4 and 32 are 48, 6 x 4 and 16 are 40");
    clg_recipe_row row = row_on("gb200", 256, 48, 48);
    row.date = "2025-12-05";
    CHECK(find(arena, &row, &c) == 1 && c.prefill.copies == 4 && c.part.dp == 32);
    row.clients = 1075;
    CHECK(find(arena, &row, &c) == 1 && c.prefill.copies == 8 && c.drafted == 2);
    row = row_on("gb200", 1075, 40, 40);
    row.date = "2025-12-05";
    CHECK(find(arena, &row, &c) == 1 && c.prefill.copies == 6 && c.drafted == 0);
    row = row_on("gb200", 256, 47, 47);
    row.date = "2025-12-05";
    CHECK(find(arena, &row, &c) == 0);
    CASE("nothing but ones: clients and lengths decide; 1,024 have two recipes, 4,096 one");
    row = row_on("gb200", 4096, 1, 1);
    row.engine = "sglang";
    row.date = "2025-12-21";
    CHECK(find(arena, &row, &c) == 1 && c.prefill.copies == 6 && c.part.dp == 48);
    row.clients = 1024;
    CHECK(find(arena, &row, &c) == 2);
}

static void test_table(clg_arena *arena) {
    clg_error error = {0};
    const clg_file *file = clg_dataset_find(path);
    clg_csv t;
    CHECK(file && clg_csv_parse(arena, path, file->text, file->size, &t, &error) == CLG_OK);
    CASE("each recipe is of things that are built in, sound, and cited");
    for (int i = 0; i < t.rows; i++) {
        clg_model model;
        clg_gpu gpu;
        int first =
            atoi(clg_csv_field(&t, i, "prefill_tp")) * atoi(clg_csv_field(&t, i, "prefill_dp"));
        int rest = atoi(clg_csv_field(&t, i, "tp")) * atoi(clg_csv_field(&t, i, "dp"));
        int share = atoi(clg_csv_field(&t, i, "prefill_ep")), ep = atoi(clg_csv_field(&t, i, "ep"));
        CHECK(clg_model_find(arena, clg_csv_field(&t, i, "model"), &model, &error) == CLG_OK);
        CHECK(clg_gpu_find(arena, clg_csv_field(&t, i, "gpu"), &gpu, &error) == CLG_OK);
        CHECK(share >= 1 && first % share == 0 && ep >= 1 && rest % ep == 0);
        CHECK(atoi(clg_csv_field(&t, i, "copies")) >= 1 && *clg_csv_field(&t, i, "cite"));
        CHECK(strcmp(clg_csv_field(&t, i, "from"), clg_csv_field(&t, i, "until")) <= 0);
    }
    CASE("TensorRT-LLM's recipes are named after what they set");
    for (int i = 0; i < t.rows; i++) {
        const char *name = strstr(clg_csv_field(&t, i, "cite"), "ctx");
        int first, copies, size, batch, eplb, drafted;
        char kind[8];
        if (!name || sscanf(name, "ctx%d_gen%d_%3[a-z]%d_batch%d_eplb%d_mtp%d", &first, &copies,
                            kind, &size, &batch, &eplb, &drafted) != 7)
            continue;
        CHECK(first == atoi(clg_csv_field(&t, i, "prefill_copies")));
        CHECK(copies == atoi(clg_csv_field(&t, i, "copies")));
        CHECK(size == atoi(clg_csv_field(&t, i, kind[0] == 't' ? "tp" : "dp")));
        CHECK(batch == atoi(clg_csv_field(&t, i, "batch")));
        CHECK(drafted == atoi(clg_csv_field(&t, i, "drafted")));
    }
}

static void test_gained(clg_arena *arena) {
    clg_error error = {0};
    double before = 1;
    CASE("more proposed, more taken, never more than all of them");
    for (int drafted = 1; drafted <= 3; drafted++) {
        double gained = 0;
        CHECK(clg_recipe_gained(arena, drafted, &gained, &error) == CLG_OK);
        CHECK(gained > before && gained < drafted + 1);
        before = gained;
    }
    CHECK(clg_recipe_gained(arena, 4, &before, &error) != CLG_OK);
}

int main(void) {
    clg_arena arena = {0};
    test_match(&arena);
    test_exports_of_2025(&arena);
    test_table(&arena);
    test_gained(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
