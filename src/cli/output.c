/* output.c -- whole files. */
#include "cli/output.h"

#include "base/arena.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The one unfinished file there is: what a signal handler can reach. */
static char unfinished[4096];
static volatile sig_atomic_t is_unfinished;

/* Takes away what is unfinished; safe in a signal handler. */
static void abandon(void) {
    if (is_unfinished) unlink(unfinished);
    is_unfinished = 0;
}

static clg_status refuse(clg_error *error, const char *path, const char *mend, int why) {
    clg_error_at(error, path, 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT, mend, "%s", strerror(why));
}

/* Where links lead, also to a file that is not there yet: one step at a time. */
static bool follow(const char *path, char *target, size_t size) {
    enum { MOST_LINKS = 40 };
    if (strlen(path) >= size) return false;
    strcpy(target, path);
    for (int i = 0; i < MOST_LINKS; i++) {
        char next[4096];
        ssize_t length = readlink(target, next, sizeof next - 1);
        if (length < 0) return true;
        next[length] = '\0';
        char *slash = strrchr(target, '/');
        size_t folder = next[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - target);
        if (folder + (size_t)length >= size) return false;
        memcpy(target + folder, next, (size_t)length + 1);
    }
    return false;
}

static clg_status open_beside(clg_output *o, bool there, mode_t mode, clg_error *error) {
    if (snprintf(o->beside, sizeof o->beside, "%s.part.%ld", o->target, (long)getpid()) >=
        (int)sizeof o->beside)
        return refuse(error, o->path, "shorten it", ENAMETOOLONG);
    strcpy(unfinished, o->beside);
    is_unfinished = 1;
    o->file = fopen(o->beside, "wb");
    int why = errno;
    if (o->file && there) fchmod(fileno(o->file), mode & 07777);
    if (o->file) return CLG_OK;
    is_unfinished = 0;
    return refuse(error, o->path, "check the directory", why);
}

clg_status clg_output_open(clg_output *o, const char *path, clg_error *error) {
    struct stat about;
    *o = (clg_output){.path = path};
    /* Answers go to the standard output already; a file named "-" is never what was meant. */
    if (strcmp(path, "-") == 0) return refuse(error, path, "give the file a name", EINVAL);
    bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) return refuse(error, path, "name a file in it", EISDIR);
    if (there && !S_ISREG(about.st_mode)) {
        o->file = fopen(path, "wb");
        return o->file ? CLG_OK : refuse(error, path, "check its permissions", errno);
    }
    if (!follow(path, o->target, sizeof o->target))
        return refuse(error, path, "name the file that the link leads to", ELOOP);
    return open_beside(o, there, about.st_mode, error);
}

clg_status clg_output_close(clg_output *o, bool whole, clg_error *error) {
    whole = fclose(o->file) == 0 && whole;
    if (whole && !o->target[0]) return CLG_OK;
    if (whole && rename(o->beside, o->target) == 0) {
        is_unfinished = 0;
        return CLG_OK;
    }
    int why = errno;
    abandon();
    return refuse(error, o->path, "make room, or check the disk", why ? why : EIO);
}

bool clg_output_same(const char *path, const char *other) {
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* ---- the end of the program ---- */

static void end(int number) {
    abandon();
    signal(number, SIG_DFL);
    raise(number);
}

static void memory_ended(void) {
    static const char words[] =
        "ceiling: memory is at its end; give more of it, or ask for less at a time\n";
    abandon();
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(1);
    _exit(1);
}

void clg_output_guard(void) {
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now;
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            signal(numbers[i], end);
    }
    clg_arena_on_end(memory_ended);
}
