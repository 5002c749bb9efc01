/* Operation timelines: a job of two by two by hand, and the published answers of two real ones
 * (ByteDance-Seed/StragglerAnalysis, data/result-*.json, mw-AR.json, ms-ST.json) where they lie
 * beside the project. */
#include "cli/trace_files.h"
#include "record/recording.h"
#include "test.h"

static clg_arena arena;

/* The text behind `path` in memory; NULL when it is not there. */
static clg_stages *read_path(const char *path) {
    clg_stages_list *list = clg_take(&arena, 1, clg_stages_list);
    clg_arena scratch = {0};
    clg_trace_file *file;
    clg_slice head;
    clg_error error = {0};
    list->arena = &arena;
    if (clg_trace_open(&scratch, path, &file, &head, &error) != CLG_OK) return NULL;
    CHECK(strcmp(clg_reader_of(head)->name, "stages") == 0);
    bool read = clg_stages_read(list, path, clg_trace_file_source(file));
    clg_trace_close(file);
    clg_arena_clear(&scratch);
    CHECK(read);
    return read ? &list->file[0] : NULL;
}

/* Forward 10 on stage 0 and 20 on stage 1, backward 20 and 40, sends 1, clip 1, optimizer 5 us; but
 * replica 1 takes 70 for its backward on stage 1. Means: forward 15, backward 37.5. */
static void by_hand(void) {
    CASE("two replicas of two stages");
    const clg_stages *s = read_path("tests/fuzz/corpus/stages/two-by-two");
    if (!s) return;
    CHECK(!s->unknown && s->steps == 1 && s->replicas == 2 && s->stages == 2 && s->count == 24);
    CHECK_NEAR(s->recorded_s, 128e-6, 1e-12);
    CHECK_NEAR(s->prompt_s, 128e-6, 1e-12);     /* 10 + 1 + 20 + 70 + 1 + 20, then 1 + 5 */
    CHECK_NEAR(s->even_s, 113e-6, 1e-12);       /* 15 + 1 + 15 + 37.5 + 1 + 37.5, then 6 */
    CHECK_NEAR(s->replica_s[0], 113e-6, 1e-12); /* replica 0 takes 92 + 6, the even one 113 */
    CHECK_NEAR(s->replica_s[1], 128e-6, 1e-12);
    CHECK_NEAR(s->stage_s[0], 90.5e-6, 1e-12);  /* 10 + 1 + 15 + 37.5 + 1 + 20, then 6 */
    CHECK_NEAR(s->stage_s[1], 150.5e-6, 1e-12); /* 15 + 1 + 20 + 70 + 1 + 37.5, then 6 */
    CHECK_NEAR(s->without_stage_s[1], 90.5e-6, 1e-12);
    CHECK_NEAR(s->kind_s[CLG_STAGE_BACKWARD], 128e-6, 1e-12); /* 15+1+15+70+1+20 = 122, then 6 */
    CHECK(s->worst_replica == 1 && s->worst_stage == 1);
    CHECK_NEAR(s->without_worst_s, 98e-6, 1e-12); /* replica 0 as it was: 92, then 6 */
    CASE("cut: what is there is replayed or said");
    s = read_path("tests/fuzz/corpus/stages/damaged");
    CHECK(s && s->others > 0);
}

static double given_back(const clg_stages *s, double repaired_s) {
    return (s->prompt_s - repaired_s) / (s->prompt_s - s->even_s);
}

static const clg_stages *published(const char *name) {
    static const char *const roots[] = {"../shared/traces", "../../shared/traces"};
    for (int i = 0; i < 2; i++) {
        const char *path = clg_arena_print(&arena, "%s/stragglers/%s", roots[i], name);
        FILE *file = fopen(path, "rb");
        if (!file) continue;
        fclose(file);
        return read_path(path);
    }
    return NULL;
}

/* Their durations are single precision: five digits. */
static void real_jobs(void) {
    CASE("published: one slow worker");
    const clg_stages *s = published("timeline-AR.json.gz");
    if (s) {
        CHECK(!s->unknown && s->steps == 44 && s->replicas == 4 && s->stages == 4);
        CHECK_NEAR(s->even_s, 23.484700, 1e-4);
        CHECK_NEAR(s->prompt_s / s->even_s, 1.9730451, 1e-5);
        CHECK_NEAR(s->recorded_s / s->prompt_s, 1.00675, 1e-4);
        CHECK_NEAR(s->replica_s[0] / s->even_s, 1.9730444, 1e-5);
        CHECK_NEAR(s->replica_s[1] / s->even_s, 1.0108913, 1e-5);
        CHECK_NEAR(s->stage_s[0] / s->even_s, 1.9791886, 1e-5);
        CHECK_NEAR(s->stage_s[2] / s->even_s, 0.9956041, 1e-5);
        CHECK_NEAR(s->kind_s[CLG_STAGE_BACKWARD] / s->even_s, 1.5805062, 1e-5);
        CHECK_NEAR(s->kind_s[CLG_STAGE_FORWARD] / s->even_s, 1.3688857, 1e-5);
        CHECK(s->worst_replica == 0 && s->worst_stage == 0);
        CHECK_NEAR(given_back(s, s->without_worst_s), 1.0017013, 1e-4);
    }
    CASE("published: a long last stage");
    s = published("timeline-ST.json.gz");
    if (s) {
        CHECK_NEAR(s->prompt_s / s->even_s, 1.1787022, 1e-5);
        CHECK_NEAR(s->replica_s[1] / s->even_s, 1.1778704, 1e-5);
        CHECK_NEAR(s->stage_s[3] / s->even_s, 1.2322560, 1e-5);
        CHECK_NEAR(given_back(s, s->without_stage_s[3]), 1.2193564, 1e-4);
    }
}

int main(void) {
    by_hand();
    real_jobs();
    clg_arena_clear(&arena);
    return DONE;
}
