/* progress.c -- how far the work is, on standard error, once it takes more than a second. */
#include "cli/threads.h"
#include "cli/tool.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double clg_clock_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void clg_progress_tell(clg_session *session, const char *what, double share) {
    double now = clg_clock_s();
    bool terminal = isatty(STDERR_FILENO) == 1;
    if (now - session->started_s < 1) return;
    if (now - session->last_told_s < (terminal ? 0.1 : 5)) return;
    session->last_told_s = now;
    session->progress_shown = terminal;
    fprintf(stderr, terminal ? "\r%s: %3.0f %%, %.0f s " : "%s: %3.0f %%, %.0f s\n", what,
            100 * share, now - session->started_s);
    fflush(stderr);
}

void clg_progress_end(clg_session *session) {
    if (session->progress_shown) fprintf(stderr, "\r%60s\r", "");
    session->progress_shown = false;
}

static bool tell(void *context, double share) {
    clg_session *session = context;
    clg_progress_tell(session, session->doing, share);
    return true;
}

clg_progress clg_progress_of(clg_session *session, const char *what) {
    session->doing = what;
    return (clg_progress){tell, session, clg_threads()};
}
