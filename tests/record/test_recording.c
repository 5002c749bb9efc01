/* What a file held, packed and unpacked: every answer from it is the same, whatever kind it is of.
 */
#include "api/answer_trace.h"
#include "cli/trace_files.h"
#include "test.h"
#include "timeline/perfetto.h"
#include "trace/job_samples.h"
#include "trace/merge.h"

static clg_arena arena;
static clg_csv table;

static void read_file(const char *path, clg_recording *into) {
    clg_arena scratch = {0};
    clg_trace_file *file;
    clg_slice head;
    *into = (clg_recording){.file = path};
    into->status = clg_trace_open(&scratch, path, &file, &head, &into->error);
    if (into->status == CLG_OK) {
        clg_recording_read(path, head, clg_trace_file_source(file), &table, into);
        clg_trace_close(file);
    }
    clg_arena_clear(&scratch);
}

static clg_text packed(clg_recording *recording) {
    clg_text text = {.arena = &arena};
    clg_parcel p = clg_parcel_to(&text);
    clg_recording_walk(&p, recording);
    return text;
}

static bool unpack(clg_text text, size_t size, const char *path, clg_recording *into) {
    *into = (clg_recording){.file = path};
    clg_parcel p = clg_parcel_from(&into->arena, text.data, size);
    clg_recording_walk(&p, into);
    return clg_parcel_ended(&p);
}

/* Report, JSON, rows, picture, timeline and samples, or the error there is instead. */
static clg_text answers(clg_recording *recordings, int count) {
    clg_text text = {.arena = &arena};
    clg_json_writer writer = {.text = &text};
    clg_recorded_job job;
    clg_trace_skips skips;
    clg_error error = {0};
    if (clg_recordings_join(&arena, recordings, count, &job, &skips, &error) != CLG_OK) {
        char sentence[2048];
        clg_error_sentence(&error, sentence, sizeof sentence);
        clg_text_print(&text, "%s", sentence);
        return text;
    }
    clg_trace_answer a = {
        .job = &job, .top = 100, .skipped = skips.row, .skipped_count = skips.count};
    a.what_if = clg_job_replay(&job);
    clg_report_trace(&text, &a);
    clg_json_trace(&writer, &a);
    clg_report_trace_rows(&text, &job);
    clg_picture_trace(&text, &job);
    clg_timeline merged;
    clg_job_timeline(&arena, &job, &merged);
    clg_timeline_perfetto(&text, &merged, "rank");
    clg_span_rule rule = {CLG_SPANS_WHOLE, NULL};
    clg_trace_means means = clg_job_means(&job, &rule, NULL);
    for (int i = 0; i < CLG_SPLITS; i++) clg_text_print(&text, "%.17g\n", means.transfer_s[i]);
    clg_samples samples = {0};
    clg_job_samples(&arena, &job, &samples);
    for (int i = 0; i < samples.count; i++)
        clg_text_print(&text, "%d %d %.17g %.17g %.17g %.17g %.17g\n", (int)samples.sample[i].kind,
                       (int)samples.sample[i].precision, samples.sample[i].bytes,
                       samples.sample[i].m, samples.sample[i].n, samples.sample[i].k,
                       samples.sample[i].seconds);
    for (int i = 0; i < samples.reasons; i++)
        clg_text_print(&text, "%d %s\n", samples.left_out[i].count, samples.left_out[i].why);
    return text;
}

static bool same(clg_text a, clg_text b) {
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static bool same_host(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Field by field: between fields there is room that says nothing. */
static bool same_event(const clg_event *a, const clg_event *b) {
    return a->start_ns == b->start_ns && a->duration_ns == b->duration_ns && a->name == b->name &&
           a->track == b->track && a->work == b->work && a->micro_batch == b->micro_batch &&
           a->detail == b->detail;
}

/* What the answers above have no place for. */
static bool same_work(const clg_trace *a, const clg_trace *b) {
    size_t count = a->timeline.count;
    if (count != b->timeline.count || !a->launch_ns != !b->launch_ns) return false;
    bool same = a->groups.count == b->groups.count && a->product_count == b->product_count &&
                a->step_count == b->step_count && same_host(a->host, b->host);
    for (size_t i = 0; same && i < a->step_count; i++)
        same = a->step[i].start_ns == b->step[i].start_ns;
    if (!same || count == 0) return same;
    for (size_t i = 0; same && i < count; i++)
        same = same_event(&a->timeline.events[i], &b->timeline.events[i]);
    return same &&
           (!a->launch_ns || memcmp(a->launch_ns, b->launch_ns, count * sizeof(int64_t)) == 0);
}

static void check_folder(const char *folder) {
    const char **paths;
    int count;
    clg_error error = {0};
    if (clg_trace_list(&arena, &folder, 1, &paths, &count, &error) != CLG_OK) return;
    clg_recording *here = clg_take(&arena, (size_t)count, clg_recording);
    clg_recording *there = clg_take(&arena, (size_t)count, clg_recording);
    CASE(folder);
    for (int i = 0; i < count; i++) {
        clg_arena_mark mark = clg_arena_here(&arena);
        read_file(paths[i], &here[i]);
        clg_text text = packed(&here[i]);
        CHECK(unpack(text, text.size, paths[i], &there[i]));
        CHECK(same(text, packed(&there[i])));
        CHECK(here[i].count == there[i].count && here[i].status == there[i].status);
        for (int k = 0; k < here[i].count && k < there[i].count; k++)
            CHECK(same_work(&here[i].traces[k], &there[i].traces[k]));
        clg_arena_back_to(&arena, mark);
    }
    CHECK(count > 0 && same(answers(here, count), answers(there, count)));
    for (int i = 0; i < count; i++) {
        clg_recording_end(&here[i]);
        clg_recording_end(&there[i]);
    }
}

/* Every beginning of a parcel, and every parcel with a byte changed, is refused or is a recording
 * that can be packed: never more than that. */
static void check_damage(const char *path) {
    clg_recording whole, part;
    CASE("damaged parcels");
    read_file(path, &whole);
    clg_text text = packed(&whole);
    for (size_t size = 0; size < text.size; size++) {
        CHECK(!unpack(text, size, path, &part));
        clg_recording_end(&part);
    }
    for (size_t i = 0; i < text.size; i++) {
        clg_arena_mark mark = clg_arena_here(&arena);
        text.data[i] ^= 0x15;
        if (unpack(text, text.size, path, &part)) packed(&part);
        text.data[i] ^= 0x15;
        clg_recording_end(&part);
        clg_arena_back_to(&arena, mark);
    }
    CASE("a parcel of another form");
    text.data[0] ^= 2;
    CHECK(!unpack(text, text.size, path, &part));
    clg_recording_end(&part);
    clg_recording_end(&whole);
}

/* Else the fuzzer begins with what is refused at its first byte. */
static void check_form(const char *path) {
    const char *text;
    size_t size;
    clg_error error = {0};
    clg_recording recording = {.file = "fuzz"};
    CASE(path);
    CHECK(clg_file_read(&arena, path, 1 << 20, &text, &size, &error) == CLG_OK);
    clg_parcel p = clg_parcel_from(&recording.arena, text, size);
    clg_recording_walk(&p, &recording);
    CHECK(clg_parcel_ended(&p));
    clg_recording_end(&recording);
}

int main(void) {
    static const char *const folders[] = {
        "tests/fuzz/corpus/trace",         "tests/fuzz/corpus/nccl_log",
        "tests/fuzz/corpus/train_log",     "tests/fuzz/corpus/stages",
        "tests/fuzz/corpus/execution",     "tests/fuzz/corpus/sqlite",
        "tests/fuzz/corpus/profile",       "tests/recorded/two-hosts",
        "../shared/traces/megatron-tp8",   "../shared/traces/kineto",
        "../../shared/traces/megatron-tp8"};
    table = clg_trace_kernels(&arena);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (i < 8 || clg_trace_is_directory(folders[i])) check_folder(folders[i]);
    check_damage("tests/fuzz/corpus/trace/whole");
    check_damage("tests/fuzz/corpus/stages/two-by-two");
    check_damage("tests/fuzz/corpus/execution/pytorch-1.1");
    check_damage("tests/fuzz/corpus/train_log/megatron");
    check_form("tests/fuzz/corpus/recording/phases");
    check_form("tests/fuzz/corpus/recording/snapshot");
    int failed = DONE;
    clg_arena_clear(&arena);
    return failed;
}
