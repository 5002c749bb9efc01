/* Lists of GPU work that other profilers write: the same job in each form, worked by hand. */
#include "cli/tool.h"
#include "record/devices.h"
#include "record/recording.h"
#include "test.h"

#define FOLDER "tests/fuzz/corpus/profile/"

static clg_csv table;
static clg_arena arena;

static clg_recording read_text(const char *path, const char *text, size_t size) {
    clg_recording r = {.file = path};
    clg_trace_memory memory = {text, size, 0};
    clg_recording_read(path, (clg_slice){text, size}, clg_trace_from_memory(&memory), &table, &r);
    return r;
}

static clg_recording read(const char *path) {
    clg_error error = {0};
    const char *text;
    size_t size;
    CHECK(clg_file_read(&arena, path, 1 << 20, &text, &size, &error) == CLG_OK);
    return read_text(path, text, size);
}

static bool ledger_is(const clg_trace *t, int64_t span, int64_t compute, int64_t communication,
                      int64_t copies) {
    const clg_ledger *l = &t->ledger;
    return l->span_ns == span && l->compute_ns == compute &&
           l->exposed_communication_ns == communication && l->exposed_copy_ns == copies &&
           l->idle_ns == span - compute - communication - copies;
}

/* GPU 0: a product of 1 to 3 us, a collective of 4 to 6, a copy of 6 to 7. GPU 1: 1.5 to 2.5. */
static void check_rocprof(const char *path, bool copies, bool launches) {
    clg_recording r = read(path);
    CHECK(r.status == CLG_OK && r.count == 2);
    CHECK(r.traces[0].rank == 0 && r.traces[1].rank == 1);
    CHECK(ledger_is(&r.traces[0], copies ? 6000 : 5000, 2000, 2000, copies ? 1000 : 0));
    CHECK(ledger_is(&r.traces[1], 1000, 1000, 0, 0));
    CHECK(r.traces[0].call_count == 1);
    CHECK_TEXT(r.traces[0].timeline.names[0], "Cijk_Ailk");
    if (launches) { /* idle of 3 to 4 us, of which the launch at 3.5 explains half */
        CHECK(r.traces[0].idle_launch_ns == 500);
        CHECK_TEXT(r.traces[0].gpu, "AMD Instinct MI300X");
        CHECK_TEXT(r.traces[0].host, "node7");
    }
    clg_recording_end(&r);
}

static void too_many_gpus(void) {
    CASE("more GPUs than there is room for are said to be that");
    clg_text text = {.arena = &arena};
    clg_text_print(&text,
                   "Kind,Agent_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp\n");
    for (int i = 0; i <= CLG_DEVICES; i++)
        clg_text_print(&text, "KERNEL_DISPATCH,Agent %d,k,1,1000,3000\n", i);
    clg_recording r = read_text("agents.csv", text.data, text.size);
    CHECK(r.status == CLG_OK && r.count == CLG_DEVICES && r.traces[0].damages == 1);
    CHECK(r.count > 0 && strstr(r.traces[0].damage[0].reason, "more than 1,024 GPUs"));
    clg_recording_end(&r);
}

/* A kernel of 3 to 4 us after one of 1 to 2, launched at 2.5 us and once at a time not said. */
static void untimed_launch(void) {
    CASE("XLA: a call that tells no time launches nothing");
    static const char *const events[] = {
        "'ph':'M','pid':1,'name':'process_name','args':{'name':'/device:GPU:0'}",
        "'ph':'M','pid':1,'tid':7,'name':'thread_name','args':{'name':'Stream #7'}",
        "'ph':'X','pid':1,'tid':7,'name':'a','ts':1,'dur':1,'args':{}",
        "'ph':'X','pid':1,'tid':7,'name':'b','ts':3,'dur':1,'args':{'correlation_id':'2'}",
        "'ph':'X','pid':701,'tid':2,'name':'launch','ts':2.5,'dur':0.1,'args':{'correlation_id':'2'"
        "}",
        "'ph':'X','pid':701,'tid':2,'name':'launch','args':{'correlation_id':'2'}"};
    clg_text text = {.arena = &arena};
    clg_text_print(&text, "{'traceEvents':[");
    for (int i = 0; i < 6; i++) clg_text_print(&text, "%s{%s}", i ? "," : "", events[i]);
    clg_text_print(&text, "]}");
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '\'') text.data[i] = '"';
    clg_recording r = read_text("jax.trace.json", text.data, text.size);
    CHECK(r.status == CLG_OK && r.count == 1 && r.traces[0].idle_launch_ns == 500);
    clg_recording_end(&r);
}

int main(void) {
    table = clg_trace_kernels(&arena);
    CASE("rocprofv3: JSON, database, table of kernels");
    check_rocprof(FOLDER "rocprof.json", true, true);
    check_rocprof(FOLDER "rocpd.db", true, true);
    check_rocprof(FOLDER "kernel_trace.csv", false, false);
    CASE("rocprofv3: a cut file is read as far as it goes, and says so");
    clg_recording r = read(FOLDER "rocprof-cut");
    CHECK(r.status == CLG_OK && r.count == 1 && r.traces[0].damaged);
    CHECK(ledger_is(&r.traces[0], 5000, 2000, 2000, 0));
    clg_recording_end(&r);
    r = read(FOLDER "kernel_trace.csv");
    CHECK(r.traces[0].damaged);
    clg_recording_end(&r);
    CASE("XLA: streams of GPUs with kernels, launches and steps of the host");
    r = read(FOLDER "jax.xplane.pb");
    CHECK(r.status == CLG_OK && r.count == 2);
    /* Kernels from 1 to 5 us and 5 to 8, a copy of 7.5 to 9; GPU 2 only was copied to. */
    CHECK(ledger_is(&r.traces[0], 8000, 4000, 3000, 1000));
    CHECK(ledger_is(&r.traces[1], 6000, 4000, 2000, 0));
    CHECK(r.traces[0].elsewhere == 1 && r.traces[0].events_read == 3);
    CHECK(r.traces[0].step_count == 2 && r.traces[0].step[0].number == 7);
    CHECK(r.traces[0].step[0].ledger.compute_ns == 4000 && r.traces[0].step[1].events == 1);
    CHECK_TEXT(r.traces[0].host, "node7");
    clg_recording_end(&r);
    r = read(FOLDER "jax-cut");
    CHECK(r.status == CLG_OK && r.count == 2 && r.traces[0].damaged);
    clg_recording_end(&r);
    CASE("XLA: the viewer's export says the same");
    r = read(FOLDER "jax.trace.json");
    CHECK(r.status == CLG_OK && r.count == 2);
    CHECK(ledger_is(&r.traces[0], 8000, 4000, 3000, 1000));
    CHECK(ledger_is(&r.traces[1], 6000, 4000, 2000, 0));
    CHECK(r.traces[0].step_count == 2 && r.traces[0].step[0].number == 7);
    CHECK(r.traces[0].idle_launch_ns == 0 && r.traces[1].idle_launch_ns == 0);
    clg_recording_end(&r);
    untimed_launch();
    too_many_gpus();
    clg_arena_clear(&arena);
    return DONE;
}
