/* windows.h -- a fleet scaled up and down: what each window of the span needs by itself. */
#ifndef CLG_SERVE_WINDOWS_H
#define CLG_SERVE_WINDOWS_H

#include "serve/serve_answer.h"

/* Sums over windows, in replicas and replica-seconds. */
typedef struct clg_window_sum {
    double needed, whole, steady, most;
} clg_window_sum;

/* Sizes every window, with the cores the question lends, into the answer's list and means. The
 * replica is the slowed one that fleets are sized for; target_tokens_per_s and alone_share of the
 * answer are read, and how long an answer takes alone: windows that nobody gave are so
 * many times that as the habits say, at least. */
clg_window_sum clg_serve_windows(clg_arena *arena, const clg_serve_question *question,
                                 clg_serve_progress progress, double alone_answer_s,
                                 clg_serve_answer *answer);

/* A window is simulated with empty caches and has few requests to be late, the fleet is met over
 * all of them: no window needs more than it. */
void clg_cap_windows(clg_serve_answer *answer, double span_s, clg_window_sum *sum);

#endif
