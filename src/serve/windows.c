/* windows.c -- see the header. Left out: requests that a window takes over from the one before.
 */
#include "serve/windows.h"

#include "serve/sizing.h"

#include <math.h>

/* A window begins empty, so it has to be much longer than answers take beside others, some three
 * times as long as alone. */
static double window_of(const clg_serve_question *q, double alone_answer_s) {
    double span_s = q->demand->span_s, window_s = span_s >= 12 * 3600 ? 3600 : span_s / 12;
    if (q->window_s > 0) return q->window_s;
    return fmin(span_s, fmax(window_s, q->habits.window_answers * alone_answer_s));
}

typedef struct sizing {
    const clg_serve_question *question;
    clg_serve_answer *answer;
    clg_serve_progress progress;
    clg_serve_window *window;
} sizing;

static void size_window(const sizing *at, clg_arena *arena, clg_serve_window *w) {
    const clg_serve_question *q = at->question;
    clg_demand part = clg_demand_slice(q->demand, w->begin_s, w->begin_s + w->seconds);
    w->steady = (double)part.output_tokens / w->seconds / at->answer->target_tokens_per_s;
    clg_serve_target target =
        clg_target_of_part(arena, q->replica, &part, &q->target, at->answer->alone_share);
    w->needed = (double)clg_fleet_needed(arena, q->replica, &part, &target, w->steady, 0);
}

enum { WINDOW_PIECES = 64 };

/* Every so manieth window; memory is given back at once, for a piece lives as long as all. */
static void size_some_windows(void *context, int index, clg_arena *arena) {
    const sizing *at = context;
    for (int64_t i = index; i < at->answer->windows; i += WINDOW_PIECES) {
        clg_arena_mark mark = clg_arena_here(arena);
        size_window(at, arena, &at->window[i]);
        clg_arena_back_to(arena, mark);
    }
    clg_arena_clear(arena);
}

static void add_window(const clg_serve_window *w, clg_window_sum *sum) {
    double seconds = w->seconds, needed = w->needed, steady = w->steady;
    sum->needed += needed * seconds;
    sum->whole += ceil(steady) * seconds;
    sum->steady += steady * seconds;
    sum->most = fmax(sum->most, needed);
}

static bool tell_sized(void *context, double share) {
    const sizing *at = context;
    if (at->progress.tell) at->progress.tell(at->progress.context, 0.4 + 0.3 * share);
    return true;
}

clg_window_sum clg_serve_windows(clg_arena *arena, const clg_serve_question *q,
                                 clg_serve_progress progress, double alone_answer_s,
                                 clg_serve_answer *a) {
    double window = window_of(q, alone_answer_s), span = q->demand->span_s;
    clg_window_sum sum = {0};
    sizing all = {q, a, progress, NULL};
    a->windows = (int64_t)fmax(1, ceil(span / window - 1e-6));
    clg_serve_window *list = clg_take(arena, (size_t)a->windows, clg_serve_window);
    a->window = all.window = list;
    for (int64_t i = 0; i < a->windows; i++) {
        double begin = (double)i * window;
        list[i] = (clg_serve_window){.begin_s = begin, .seconds = fmin(window, span - begin)};
    }
    clg_cores_each((clg_progress){tell_sized, &all, q->cores}, arena,
                   (int)fmin((double)a->windows, WINDOW_PIECES), size_some_windows, &all);
    for (int64_t i = 0; i < a->windows; i++) add_window(&list[i], &sum);
    a->windows_mean = sum.needed / span;
    a->windows_most = sum.most;
    return sum;
}

void clg_cap_windows(clg_serve_answer *a, double span_s, clg_window_sum *sum) {
    double most = (double)a->fleet.replicas;
    sum->needed = 0;
    for (int64_t i = 0; i < a->windows; i++)
        sum->needed += fmin(a->window[i].needed, most) * a->window[i].seconds;
    a->windows_mean = sum->needed / span_s;
    a->windows_most = fmin(a->windows_most, most);
}
