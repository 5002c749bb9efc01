/* trace_memory.c -- GPU memory over a recording, for people and as JSON, and beside the plan's. */
#include "report_recorded/trace_report.h"

#include "report/number_words.h"
#include "units/units.h"

enum { MOST_ROWS = 16, LABEL = 30, COLUMN = 12 };

/* Of the n-th trace that tells it, then of files that tell nothing else; NULL past the last. */
static const clg_memory_use *use_at(const clg_recorded_job *job, int n) {
    for (int i = 0; i < job->count; i++)
        if (job->traces[i].memory.file && n-- == 0) return &job->traces[i].memory;
    return (size_t)n < job->memory.count ? &job->memory.use[n] : NULL;
}

static void bytes_column(clg_text *t, int64_t bytes) {
    clg_text_pad(t, bytes >= 0 ? clg_words_known(t, (double)bytes, CLG_BYTES) : "?", COLUMN, true);
}

static void draw(clg_text *t, const clg_memory_use *u) {
    static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { HEIGHTS = sizeof heights / sizeof *heights };
    for (int i = 0; i < CLG_MEMORY_BINS; i++) {
        double share = u->peak_bytes > 0 ? (double)u->bin[i] / (double)u->peak_bytes : 0;
        int height = (int)(share * HEIGHTS);
        clg_text_print(t, "%s", heights[height >= HEIGHTS ? HEIGHTS - 1 : height < 0 ? 0 : height]);
    }
}

static void print_kinds(clg_text *t, const clg_memory_use *u) {
    if (!u->kinds || u->peak_bytes <= 0) return;
    size_t from = t->size;
    clg_text_print(t, "  at the peak:");
    for (int k = 0, said = 0; k < CLG_HELD_KINDS; k++)
        if (u->at_peak[k] > 0)
            clg_text_print(t, "%s %s %s (%.0f %%)", said++ ? "," : "",
                           clg_name_of(clg_held_kind_names, k),
                           clg_words_known(t, (double)u->at_peak[k], CLG_BYTES),
                           100 * (double)u->at_peak[k] / (double)u->peak_bytes);
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 4);
}

static void print_sites(clg_text *t, const clg_memory_use *u) {
    for (int i = 0; i < u->sites; i++) {
        clg_text_print(t, "  %s", i == 0 ? "  taken by" : "          ");
        bytes_column(t, u->site[i].bytes);
        clg_text_print(t, "  %.70s\n", u->site[i].where);
    }
    if (u->refused_bytes >= 0)
        clg_text_print(t, "  out of memory: %s were asked for, %s free\n",
                       clg_words_known(t, (double)u->refused_bytes, CLG_BYTES),
                       clg_words_known(t, (double)u->free_bytes, CLG_BYTES));
    if (u->left_out > 0)
        clg_text_print(t, "  %s %s of this file left out: more GPUs or blocks than are read\n",
                       clg_words_count(t, u->left_out), u->left_out == 1 ? "segment" : "segments");
}

static void print_use(clg_text *t, const clg_memory_use *u) {
    const char *rank = u->rank >= 0 ? clg_arena_print(t->arena, "%d", u->rank) : "?";
    clg_text_pad(t, rank, 6, true);
    bytes_column(t, u->peak_bytes);
    bytes_column(t, u->reserved_bytes);
    bytes_column(t, u->least_bytes);
    clg_text_print(t, "  ");
    draw(t, u);
    clg_text_print(t, "\n");
    print_kinds(t, u);
    print_sites(t, u);
}

void clg_report_held(clg_text *t, const clg_recorded_job *job) {
    const clg_memory_use *u = use_at(job, 0);
    if (!u) return;
    clg_text_print(t, "\n  rank  memory peak    reserved  throughout  over %s\n",
                   u->span_ns >= 0
                       ? clg_words_ns(t, u->span_ns)
                       : clg_arena_print(t->arena, "%lld changes", (long long)u->changes));
    int n = 0;
    for (; n < MOST_ROWS && (u = use_at(job, n)) != NULL; n++) print_use(t, u);
    if (use_at(job, n)) clg_text_print(t, "  ... and more ranks: --json has all\n");
}

/* ---- beside the plan ---- */

static void compare(clg_text *t, const char *what, double planned, int64_t recorded) {
    clg_text_print(t, "  ");
    clg_text_pad(t, what, LABEL, false);
    bytes_column(t, (int64_t)(planned + 0.5));
    bytes_column(t, recorded);
    if (planned > 0 && recorded >= 0) clg_text_print(t, " %10.2f x", (double)recorded / planned);
    clg_text_print(t, "\n");
}

static void compare_kinds(clg_text *t, const clg_memory_ledger *p, const clg_memory_use *u) {
    const int64_t *held = u->at_peak;
    int64_t rest = u->peak_bytes - held[CLG_HELD_PARAMETER] - held[CLG_HELD_GRADIENT] -
                   held[CLG_HELD_OPTIMIZER];
    compare(t, "weights", p->weights_bytes, held[CLG_HELD_PARAMETER]);
    compare(t, "gradients", p->gradients_bytes, held[CLG_HELD_GRADIENT]);
    compare(t, "optimizer", p->optimizer_bytes, held[CLG_HELD_OPTIMIZER]);
    compare(t, "activations, buffers", p->activations_bytes + p->buffers_bytes, rest);
}

/* The fullest rank beside the fullest stage. What is held throughout is told of any recording:
 * weights, the optimizer's states, and gradients that are kept between steps. */
void clg_report_held_beside(clg_text *t, const clg_trace_answer *a) {
    const clg_memory_ledger *p = &a->plan->plan.memory;
    const clg_memory_use *fullest = use_at(a->job, 0), *u;
    if (!fullest || p->total_bytes <= 0) return;
    for (int n = 1; (u = use_at(a->job, n)) != NULL; n++)
        if (u->peak_bytes > fullest->peak_bytes) fullest = u;
    clg_text_print(t, "\n  memory of the fullest rank          planned    recorded\n");
    bool kinds = fullest->kinds && fullest->sites == 0; /* who took it does not tell what it is */
    if (kinds && p->weights_bytes > 0) compare_kinds(t, p, fullest);
    if (!kinds && p->weights_bytes > 0)
        compare(t, "weights, optimizer: throughout", p->weights_bytes + p->optimizer_bytes,
                fullest->least_bytes);
    compare(t, "peak of tensors", p->total_bytes - p->reserved_bytes, fullest->peak_bytes);
    if (fullest->reserved_bytes >= 0)
        compare(t, "peak with what is reserved", p->total_bytes, fullest->reserved_bytes);
}

/* ---- as JSON ---- */

static void add_use(clg_json_writer *w, const clg_memory_use *u) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "file", u->file);
    clg_json_add_whole(w, "rank", u->rank);
    clg_json_add_integer(w, "changes", u->changes);
    clg_json_add_integer(w, "peak_bytes", u->peak_bytes);
    clg_json_add_whole(w, "reserved_bytes", u->reserved_bytes);
    clg_json_add_integer(w, "least_bytes", u->least_bytes);
    if (u->span_ns >= 0) clg_json_add_nanoseconds(w, "span_s", u->span_ns);
    if (u->span_ns < 0) clg_json_add_null(w, "span_s");
    if (u->span_ns >= 0) clg_json_add_nanoseconds(w, "peak_s", u->peak_ns);
    if (u->span_ns < 0) clg_json_add_null(w, "peak_s");
    clg_json_open(w, "at_peak", '{');
    for (int k = 0; u->kinds && k < CLG_HELD_KINDS; k++)
        clg_json_add_integer(w, clg_name_of(clg_held_kind_names, k), u->at_peak[k]);
    clg_json_close(w, '}');
    clg_json_open(w, "taken_by", '[');
    for (int i = 0; i < u->sites; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "where", u->site[i].where);
        clg_json_add_integer(w, "bytes", u->site[i].bytes);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_add_whole(w, "refused_bytes", u->refused_bytes);
    clg_json_add_whole(w, "free_bytes", u->free_bytes);
    clg_json_add_integer(w, "segments_left_out", u->left_out);
    clg_json_open(w, "bins", '[');
    for (int i = 0; i < CLG_MEMORY_BINS; i++) clg_json_add_integer(w, NULL, u->bin[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}

void clg_json_held(clg_json_writer *w, const clg_recorded_job *job) {
    clg_json_open(w, "memory", '[');
    for (int i = 0; i < job->count; i++)
        if (job->traces[i].memory.file) add_use(w, &job->traces[i].memory);
    for (size_t i = 0; i < job->memory.count; i++) add_use(w, &job->memory.use[i]);
    clg_json_close(w, ']');
}
