/* log.c -- text: logs of nccl-tests and of training programs, perhaps both in one. */
#include "base/letters.h"
#include "record/recording.h"

static bool any(clg_slice head) {
    (void)head;
    return true;
}

/* Recordings that are not read, by the ends of their names, and what to give instead. */
static const struct {
    const char *ending, *what, *mend;
} unread[] = {
    {".nsys-rep", "a report of Nsight Systems",
     "nsys export -t sqlite FILE, and give what that wrote"},
    {".qdrep", "a report of Nsight Systems",
     "nsys export -t sqlite FILE, and give what that wrote"},
    {".ncu-rep", "a report of Nsight Compute, which has kernels without time between them",
     "record with nsys profile or torch.profiler"},
    {".pftrace", "a Perfetto trace",
     "record with rocprofv3 --output-format json or csv, or give "
     "the Chrome JSON that the trace was made of"},
    {".perfetto-trace", "a Perfetto trace", "give the Chrome JSON that the trace was made of"},
    {".parquet", "a Parquet table", "nsys export -t sqlite, and give what that wrote"},
    {".zst", "what zstd compressed", "zstd -d FILE, and give what that wrote"},
    {".xz", "what xz compressed", "xz -dk FILE, and give what that wrote"},
    {".bz2", "what bzip2 compressed", "bzip2 -dk FILE, and give what that wrote"},
    {".lz4", "what lz4 compressed", "lz4 -d FILE, and give what that wrote"}};

static clg_status refuse(clg_recording *into) {
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (clg_ends(into->file, unread[i].ending))
            return clg_recording_refuse(
                into, unread[i].mend,
                clg_arena_print(&into->arena, "%s is not read", unread[i].what));
    return clg_recording_refuse(
        into,
        "give traces of torch.profiler, exports of Nsight Systems, logs of training or nccl-tests",
        "no profiler recording");
}

static clg_status read_text(clg_recording *into, clg_slice text) {
    into->benchmarks.arena = into->logs.arena = &into->arena;
    bool benchmark = clg_nccl_log_read(&into->benchmarks, into->file, text) > 0;
    bool training = clg_train_log_read(&into->logs, into->file, text);
    if (benchmark || training) return CLG_OK;
    if (clg_nccl_log_heading(text))
        return clg_recording_refuse(into, "give the log of a run",
                                    "a log of nccl-tests whose rows hold no numbers");
    return refuse(into);
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    (void)kernels;
    clg_arena scratch = {0};
    clg_status status = read_text(into, clg_source_whole(&scratch, source));
    clg_arena_clear(&scratch);
    return status;
}

const clg_reader clg_reader_log = {"log", any, read};
