/* axes.c -- exposed communication by what it splits, and waiting as a part of it. */
#include "trace/parts.h"
#include "trace/recorded_job.h"

static void take_axis(clg_axis_time *a, const clg_sweep_sum *sum, int axis) {
    a->transfer_ns = sum->own_ns[CLG_PART_TRANSFER + axis];
    a->waiting_ns = sum->own_ns[CLG_PART_WAITING + axis];
    a->exposed_ns = a->transfer_ns + a->waiting_ns;
}

static void split_trace(clg_arena *scratch, const clg_trace *t, const clg_degrees *degrees,
                        bool matched, clg_axis_time *axes, int64_t *waiting_ns) {
    size_t count;
    bool known[CLG_SPLITS];
    const clg_sweep_part *parts = clg_parts_of(scratch, t, degrees, &count);
    clg_sweep_sum sum = clg_sweep_all(scratch, parts, count);
    *waiting_ns = matched ? 0 : -1;
    for (int a = 0; a < CLG_SPLITS; a++) {
        axes[a].calls = 0;
        known[a] = matched;
        take_axis(&axes[a], &sum, a);
        if (*waiting_ns >= 0) *waiting_ns += axes[a].waiting_ns;
    }
    for (size_t i = 0; i < t->call_count; i++) {
        int a = (int)clg_axis_of(t, &t->calls[i], degrees);
        axes[a].calls++;
        if (t->calls[i].transfer_ns < 0) *waiting_ns = -1, known[a] = false;
    }
    for (int a = 0; a < CLG_SPLITS; a++)
        if (!known[a]) axes[a].transfer_ns = axes[a].waiting_ns = -1;
}

void clg_job_split(clg_recorded_job *job, const clg_degrees *degrees) {
    clg_arena scratch = {0};
    for (int i = 0; i < job->count; i++) {
        clg_arena_mark mark = clg_arena_here(&scratch);
        split_trace(&scratch, &job->traces[i], degrees, !job->unmatched, job->axis[i],
                    &job->waiting_ns[i]);
        clg_arena_back_to(&scratch, mark);
    }
    clg_arena_clear(&scratch);
}
