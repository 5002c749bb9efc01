/* log.c -- text: logs of nccl-tests and of training programs, perhaps both in one. */
#include "record/recording.h"

static bool any(clg_slice head) {
    (void)head;
    return true;
}

static clg_status read_text(clg_recording *into, clg_slice text) {
    into->benchmarks.arena = into->logs.arena = &into->arena;
    bool benchmark = clg_nccl_log_read(&into->benchmarks, into->file, text) > 0;
    bool training = clg_train_log_read(&into->logs, into->file, text);
    if (benchmark || training) return CLG_OK;
    if (clg_nccl_log_heading(text))
        return clg_recording_refuse(into, "give the log of a run",
                                    "a log of nccl-tests whose rows hold no numbers");
    return clg_recording_refuse(
        into,
        "give traces of torch.profiler, exports of Nsight Systems, logs of training or nccl-tests",
        "no profiler recording");
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    (void)kernels;
    clg_arena scratch = {0};
    clg_status status = read_text(into, clg_source_whole(&scratch, source));
    clg_arena_clear(&scratch);
    return status;
}

const clg_reader clg_reader_log = {"log", any, read};
