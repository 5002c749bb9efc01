/* Runs left out of the fit: predicted by the others alone. */
#include "validate/leave_out.h"

#include "test.h"

static clg_arena arena;

enum { TEXT = 1 << 16 };
#define HEAD                                                                                       \
    "id,source,model,kind,layers,hidden,ffn,gated,heads,kv_heads,vocab,tied,seq,gpu,gpus,stack,"   \
    "precision,recompute,tp,pp,zero,micro_batch,global_batch,status,held_out,step_s\n"

/* Four sizes of a source on a GPU, their steps as `factor` times what its stack takes at a
 * slowdown. */
typedef struct made {
    const char *source, *gpu, *stack;
    double slowdown, factor;
    int held_out;
} made;

static void print_plan(char *text, const made *m, int i, double step_s) {
    int size = 1 + i;
    snprintf(text, 512,
             "%s-%d,%s,,dense,%d,%d,%d,1,%d,%d,32000,0,4096,%s,8,%s,bf16,full,1,1,1,1,64,ok,%d,"
             "%.17g\n",
             m->source, i, m->source, 8 + 4 * size, 1024 * size, 2816 * size, 8 * size, 8 * size,
             m->gpu, m->stack, m->held_out, step_s);
}

static clg_csv parsed(const char *text) {
    clg_csv csv = {0};
    clg_error e = {0};
    CHECK(clg_csv_parse(&arena, "runs.csv", text, strlen(text), &csv, &e) == CLG_OK);
    return csv;
}

static double step_of(const made *m, int i) {
    char line[512], text[1024];
    clg_error e = {0};
    clg_scenario *s = clg_take(&arena, 1, clg_scenario);
    clg_evaluation v = {0};
    print_plan(line, m, i, 1);
    snprintf(text, sizeof text, "%s%s", HEAD, line);
    clg_csv csv = parsed(clg_arena_copy(&arena, text, strlen(text)));
    CHECK(!clg_validate_row(&arena, &csv, 0, s, &v));
    s->stack.kernels.slowdown = m->slowdown;
    CHECK(clg_evaluate(&arena, s, &v.layout, false, NULL, &v, &e) == CLG_OK);
    return v.step_s * m->factor;
}

static clg_csv table_of(const made *m, int count) {
    char *text = clg_take(&arena, TEXT, char);
    size_t used = (size_t)snprintf(text, TEXT, "%s", HEAD);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 4; i++) {
            print_plan(text + used, &m[k], i, step_of(&m[k], i));
            used += strlen(text + used);
        }
    return parsed(text);
}

static clg_leave_out scored(const made *m, int count, clg_fold_kind kind) {
    clg_csv csv = table_of(m, count);
    clg_validation *v = clg_take(&arena, 1, clg_validation);
    clg_leave_out_rows *rows;
    clg_leave_out l = {0};
    clg_error e = {0};
    CHECK(clg_validate(&arena, &csv, 1, (clg_progress){0}, v, &e) == CLG_OK);
    CHECK(clg_leave_out_begin(&arena, &csv, 1, v, (clg_progress){0}, &rows, &e) == CLG_OK);
    clg_leave_out_score(&arena, rows, kind, (clg_progress){0}, &l);
    return l;
}

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void by_source(void) {
    CASE("the others know: all sources at 1.2 predict each other");
    const made alike[] = {{"a", "h100-sxm", "megatron-2024", 1.2, 1, 0},
                          {"b", "h100-sxm", "megatron-2024", 1.2, 1, 0},
                          {"c", "a100-sxm-80gb", "megatron-2024", 1.2, 1, 0}};
    clg_leave_out l = scored(alike, 3, CLG_FOLD_SOURCE);
    CHECK(l.folds == 3 && l.all.unseen.scored == 12 && l.held_out.unseen.rows == 0);
    for (int i = 0; i < 3; i++) CHECK(l.fold[i].unseen.mape < 0.002 && l.fold[i].new_stack == 0);
    CHECK(l.all.in_sight.mape > 0.05); /* the built-in 1.06 */
    CASE("one of them a fifth longer: its fold is off by that, whatever it says itself");
    made odd[] = {alike[0], alike[1], alike[2]};
    odd[1].factor = 1.25;
    l = scored(odd, 3, CLG_FOLD_SOURCE);
    CHECK_NEAR(l.fold[1].unseen.bias, -0.2, 0.01);
    CHECK_NEAR(l.fold[1].unseen.mape, 0.2, 0.01);
    odd[1].factor = 2.5;
    clg_leave_out longer = scored(odd, 3, CLG_FOLD_SOURCE);
    for (int i = 4; i < 8; i++) {
        CHECK(same(l.run[i].predicted.step_s, longer.run[i].predicted.step_s));
        CHECK(same(l.run[i].predicted.step_p10_s, longer.run[i].predicted.step_p10_s));
        CHECK(same(l.run[i].predicted.step_p90_s, longer.run[i].predicted.step_p90_s));
    }
    CHECK(!same(l.run[0].predicted.step_s, longer.run[0].predicted.step_s));
    CASE("its constant is that of the others: of their rates, not of its own");
    CHECK(same(l.run[4].baseline_step_s, longer.run[4].baseline_step_s));
    CHECK(!(l.run[8].baseline_step_s > 0)); /* no other A100 */
}

static void held_out(void) {
    CASE("what is held out changes nothing, and is scored by the others");
    made m[] = {{"a", "h100-sxm", "megatron-2024", 1.2, 1, 0},
                {"b", "h100-sxm", "megatron-2024", 1.2, 1, 0},
                {"h", "h100-sxm", "megatron-2024", 1.2, 1, 1}};
    clg_leave_out l = scored(m, 3, CLG_FOLD_SOURCE);
    m[2].factor = 3;
    clg_leave_out slow = scored(m, 3, CLG_FOLD_SOURCE);
    CHECK(l.folds == 2 && l.held_out.unseen.scored == 4);
    CHECK(l.held_out.unseen.mape < 0.002);
    CHECK_NEAR(slow.held_out.unseen.bias, 1 / 3.0 - 1, 0.01);
    CHECK(same(l.stacks.kernel_slowdown, slow.stacks.kernel_slowdown));
    CHECK(same(l.stacks.stack[0].term[0].term.to, slow.stacks.stack[0].term[0].term.to));
    CHECK(same(l.widths.sigma, slow.widths.sigma));
    CHECK(same(l.all.unseen.mape, slow.all.unseen.mape));
}

static void other_folds(void) {
    CASE("models by their shape, generations by their GPUs");
    const made m[] = {{"a", "h100-sxm", "megatron-2024", 1.2, 1, 0},
                      {"b", "h200-sxm", "megatron-2024", 1.2, 1, 0},
                      {"c", "a100-sxm-80gb", "fsdp-2023", 1.2, 1, 0}};
    clg_leave_out models = scored(m, 3, CLG_FOLD_MODEL);
    clg_leave_out generations = scored(m, 3, CLG_FOLD_GENERATION);
    CHECK(models.folds == 4 && generations.folds == 2);
    CHECK_TEXT(models.fold[0].name, "12 x 1024");
    CHECK(models.fold[0].unseen.scored == 3 && generations.fold[0].unseen.scored == 8);
    CHECK(models.all.unseen.mape < 0.01 && models.all.generic.rows == 0);
    CASE("a stack without runs elsewhere is told, and predicted as a new one");
    CHECK(generations.fold[0].new_stack == 8 && generations.fold[1].new_stack == 4);
    CHECK(generations.all.unseen.mape < 0.01); /* all families at 1.2 */
    CASE("with the curves of another generation: other times, wider intervals");
    CHECK(generations.fold[1].generic.scored == 4 && generations.fold[1].generic.mape > 0.01);
}

int main(void) {
    by_source();
    held_out();
    other_folds();
    clg_arena_clear(&arena);
    return DONE;
}
