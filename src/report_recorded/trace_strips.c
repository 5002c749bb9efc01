/* trace_strips.c -- what ranks did when, as JSON: runs of equal bins, "C12W3" for twelve of compute
 * and three of waiting. */
#include "report_recorded/trace_report.h"

#include "trace/strips.h"

static const char letters[CLG_STRIP_KINDS + 1] = "CTWMI"; /* M: memory is copied */

static void add_runs(clg_json_writer *w, const uint8_t *strip, int bins) {
    clg_text runs = {.arena = w->text->arena};
    for (int i = 0, next; i < bins; i = next) {
        for (next = i + 1; next < bins && strip[next] == strip[i];) next++;
        clg_text_print(&runs, "%c%d", letters[strip[i]], next - i);
    }
    clg_json_add_string(w, "runs", runs.data ? runs.data : "");
}

void clg_json_strips(clg_json_writer *w, const clg_recorded_job *job) {
    clg_strips s = clg_job_strips(w->text->arena, job);
    if (s.bin_ns == 0) {
        clg_json_add_null(w, "strips");
        return;
    }
    clg_json_open(w, "strips", '{');
    clg_json_add_nanoseconds(w, "bin_s", s.bin_ns);
    clg_json_open(w, "ranks", '[');
    for (int i = 0; i < job->count; i++) {
        clg_json_open(w, NULL, '{');
        if (job->traces[i].rank >= 0)
            clg_json_add_integer(w, "rank", job->traces[i].rank);
        else
            clg_json_add_null(w, "rank");
        add_runs(w, s.strip + (size_t)i * (size_t)s.bins, s.bins);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
