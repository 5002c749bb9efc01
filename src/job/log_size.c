/* log_size.c -- see the header. */
#include "job/log_size.h"

clg_status clg_log_check_size(const clg_train_log *log, const clg_layout *l, clg_error *error) {
    const struct {
        const char *what, *flag;
        int64_t said, planned;
    } sizes[] = {{"GPUs", "--gpus", log->gpus, clg_layout_gpus(l)},
                 {"sequences a step", "--global-batch", log->batch, l->global_batch},
                 {"tokens a sequence", "--seq", log->seq, l->seq}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].said <= 0 || sizes[i].said == sizes[i].planned) continue;
        clg_error_at(error, log->file, 0, 0, sizes[i].flag);
        return clg_fail(error, CLG_BAD_INPUT, "give the job as it ran; flags override its files",
                        "the log is of %lld %s, the job of %lld", (long long)sizes[i].said,
                        sizes[i].what, (long long)sizes[i].planned);
    }
    return CLG_OK;
}
