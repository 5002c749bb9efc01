/* trace_reading.c -- one file a thread at a time; the order of the answer is that of the files. */
#include "cli/trace_reading.h"

#include "api/answer_trace.h"
#include "cli/output.h"
#include "cli/read_ahead.h"
#include "cli/threads.h"
#include "cli/trace_archive.h"
#include "cli/trace_export.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

struct clg_trace_reading {
    clg_recording *recordings;
    int count;
    clg_trace_skips skips;
};

/* What was read of a file, as it travels. */
typedef struct packed {
    clg_arena arena;
    const char *bytes;
    size_t size;
} packed;

/* The files of one process. */
typedef struct portion {
    clg_csv table; /* communication kernels */
    clg_recording **recording;
    packed *packed; /* [count] kept instead of the recordings; NULL: those */
    bool shared;    /* with other processes: there are many files, and memory is short */
    int count, next, done, cores;
    int spare;            /* cores for each file, where there are more than files */
    clg_session *session; /* is told how far it is; NULL: nobody is */
    pthread_mutex_t lock;
} portion;

/* ---- reading ---- */

/* An archive while its members become one recording. */
typedef struct gathering {
    const portion *portion;
    clg_recording *into;
    int read;
} gathering;

/* What one member holds, after what those before it held. */
static void add_member(void *context, const clg_member_file *member) {
    gathering *g = context;
    clg_recording *all = g->into, one = {.arena = all->arena};
    clg_recording_read(member->name, member->head, member->source, &g->portion->table, &one);
    clg_recording_append(all, &one);
    g->read += one.status == CLG_OK;
    if (one.status != CLG_OK && all->error.status == CLG_OK) all->error = one.error;
}

static void finish_archive(gathering *g) {
    if (g->read == 0 && g->into->error.status == CLG_OK) {
        clg_error_at(&g->into->error, g->into->file, 0, 0, NULL);
        clg_fail(&g->into->error, CLG_BAD_INPUT, "give one with recordings",
                 "no recordings are in this archive");
    }
    if (g->read > 0) g->into->error = (clg_error){0};
    g->into->status = g->into->error.status;
}

/* Every member of a zip; false where it is none, or has one. */
static bool read_zip(const portion *r, clg_recording *into) {
    clg_arena scratch = {0};
    clg_zip_member *members;
    gathering g = {r, into, 0};
    bool regular = clg_trace_file_bytes(into->file) > 0; /* a pipe cannot be read twice */
    size_t count = regular ? clg_archive_zip_members(&into->arena, into->file, &members) : 0;
    for (size_t i = 0; i < count; i++) {
        clg_trace_file *file;
        clg_slice head;
        clg_error error = {0};
        clg_arena_mark mark = clg_arena_here(&scratch);
        if (clg_trace_open_member(&scratch, into->file, &members[i], &file, &head, &error) ==
            CLG_OK) {
            clg_trace_source source = clg_trace_file_source(file);
            clg_archive_hand_member(members[i].name, source, add_member, &g);
            clg_trace_close(file);
        }
        clg_arena_back_to(&scratch, mark);
    }
    clg_arena_clear(&scratch);
    if (count > 0) finish_archive(&g);
    return count > 0;
}

/* Those of a tar, or what was compressed twice. */
static void read_members(const portion *r, clg_recording *into, clg_trace_source source, bool tar) {
    gathering g = {r, into, 0};
    if (tar)
        clg_archive_read_tar(&into->arena, into->file, source, add_member, &g);
    else
        clg_archive_hand_member(into->file, source, add_member, &g);
    finish_archive(&g);
}

/* With cores to spare, one inflates while others parse. */
static void read_one(const portion *r, clg_recording *into) {
    clg_arena scratch = {0};
    clg_trace_file *file;
    clg_slice head = {"", 0};
    if (read_zip(r, into)) return;
    const char *exported = clg_trace_export(&scratch, into->file);
    const char *path = exported ? exported : into->file;
    into->status = clg_trace_open(&scratch, path, &file, &head, &into->error);
    bool tar = clg_archive_is_tar(head), twice = clg_slice_starts(head, "\x1f\x8b");
    if (into->status == CLG_OK && (tar || twice)) {
        read_members(r, into, clg_trace_file_source(file), tar);
        clg_trace_close(file);
    } else if (into->status == CLG_OK) {
        clg_trace_source source = clg_trace_file_source(file);
        bool spare = clg_trace_file_compressed(file) && r->cores > r->count;
        clg_read_ahead *ahead = spare ? clg_read_ahead_start(&scratch, source) : NULL;
        clg_crew *crew = clg_crew_of(&scratch, r->spare);
        clg_cores cores = clg_crew_cores(crew);
        into->cores = r->spare > 1 ? &cores : NULL;
        clg_recording_read(into->file, head, ahead ? clg_read_ahead_source(ahead) : source,
                           &r->table, into);
        into->cores = NULL;
        clg_crew_end(crew);
        if (ahead) clg_read_ahead_stop(ahead);
        clg_trace_close(file);
    }
    clg_trace_export_end(&scratch, exported);
    clg_arena_clear(&scratch);
}

/* Texts grow by doubling: what is kept is a copy without room to spare. */
static void pack(clg_recording *recording, packed *to) {
    clg_arena scratch = {0};
    clg_text text = {.arena = &scratch};
    clg_parcel p = clg_parcel_to(&text);
    clg_recording_walk(&p, recording);
    clg_recording_end(recording);
    to->bytes = clg_arena_copy(&to->arena, text.data, text.size);
    to->size = text.size;
    clg_arena_clear(&scratch);
}

/* Arrays grew by doubling too: what is read takes twice what is unpacked. */
static void tighten(clg_recording *recording) {
    packed tight = {0};
    const char *path = recording->file;
    pack(recording, &tight);
    *recording = (clg_recording){.file = path};
    clg_parcel p = clg_parcel_from(&recording->arena, tight.bytes, tight.size);
    clg_recording_walk(&p, recording);
    clg_arena_clear(&tight.arena);
}

/* The next file to read, or -1. */
static int take_next(portion *r, int finished, bool tells) {
    pthread_mutex_lock(&r->lock);
    r->done += finished;
    int at = r->next < r->count ? r->next++ : -1;
    double share = (double)r->done / r->count;
    pthread_mutex_unlock(&r->lock);
    if (tells && r->session) clg_progress_tell(r->session, "reading", share);
    return at;
}

static void read_files(portion *r, bool tells) {
    for (int at = take_next(r, 0, tells); at >= 0; at = take_next(r, 1, tells)) {
        read_one(r, r->recording[at]);
        if (r->packed)
            pack(r->recording[at], &r->packed[at]);
        else if (r->shared)
            tighten(r->recording[at]);
    }
}

static void *work(void *context) {
    read_files(context, false);
    return NULL;
}

static void read_portion(portion *r) {
    pthread_t helpers[MOST_THREADS];
    int most = r->cores < r->count ? r->cores : r->count, started = 0;
    r->spare = r->count > 0 ? r->cores / r->count : 0;
    pthread_mutex_init(&r->lock, NULL);
    while (started + 1 < most && started < MOST_THREADS &&
           pthread_create(&helpers[started], NULL, work, r) == 0)
        started++;
    if (r->count > 0) read_files(r, true);
    for (int i = 0; i < started; i++) pthread_join(helpers[i], NULL);
    pthread_mutex_destroy(&r->lock);
    if (r->session) clg_progress_end(r->session);
}

static int cores_of(const clg_share *share, int threads) {
    return clg_thread_count(sysconf(_SC_NPROCESSORS_ONLN), share->on_host, threads, MOST_THREADS);
}

/* ---- a part for each process ---- */

/* What the first process asks of another. */
typedef struct order {
    int64_t threads;
    const char **path;
    size_t count;
} order;

static void walk_order(clg_parcel *p, order *o) {
    o->threads = clg_parcel_integer(p, o->threads, 0, INT32_MAX);
    o->path = clg_parcel_array(p, o->path, &o->count, sizeof *o->path, 1);
    for (size_t i = 0; i < o->count; i++) o->path[i] = clg_parcel_text(p, o->path[i]);
}

/* What standard input holds only the first process can read. */
static int *split(clg_arena *arena, const clg_share *share, const clg_recording *recordings,
                  int count) {
    int *owner = clg_take(arena, (size_t)count, int);
    if (share->count < 2) return owner;
    int64_t *bytes = clg_take(arena, (size_t)count, int64_t);
    for (int i = 0; i < count; i++) bytes[i] = clg_trace_file_bytes(recordings[i].file);
    clg_share_split(bytes, count, share->count, owner);
    for (int i = 0; i < count; i++)
        if (strcmp(recordings[i].file, "-") == 0) owner[i] = 0;
    return owner;
}

static void send_order(const clg_trace_reading *r, const int *owner, int process, int threads) {
    clg_arena scratch = {0};
    clg_text text = {.arena = &scratch};
    clg_parcel p = clg_parcel_to(&text);
    order o = {threads, clg_take(&scratch, (size_t)r->count, const char *), 0};
    for (int i = 0; i < r->count; i++)
        if (owner[i] == process) o.path[o.count++] = r->recordings[i].file;
    walk_order(&p, &o);
    if (o.count > 0) clg_share_send(process, text.data, text.size);
    clg_arena_clear(&scratch);
}

static void read_own(clg_session *session, const clg_trace_reading *r, const int *owner,
                     int threads, const clg_csv *table) {
    portion own = {.table = *table, .session = session, .shared = session->share.count > 1};
    own.cores = cores_of(&session->share, threads);
    own.recording = clg_take(session->arena, (size_t)r->count, clg_recording *);
    for (int i = 0; i < r->count; i++)
        if (owner[i] == 0) own.recording[own.count++] = &r->recordings[i];
    read_portion(&own);
}

/* Takes all that comes, also after a fault, so that nobody waits to be heard. */
static clg_status receive_others(clg_session *session, const clg_trace_reading *r, const int *owner,
                                 clg_error *error) {
    for (int i = 0; i < r->count; i++) {
        if (owner[i] == 0) continue;
        clg_progress_tell(session, "gathering", (double)i / r->count);
        clg_arena scratch = {0};
        size_t size;
        clg_recording *into = &r->recordings[i];
        const char *bytes = clg_share_receive(&scratch, owner[i], &size);
        clg_parcel p = clg_parcel_from(&into->arena, bytes, size);
        clg_recording_walk(&p, into);
        if (!clg_parcel_ended(&p) && error->status == CLG_OK) {
            clg_error_at(error, into->file, 0, 0, NULL);
            clg_fail(error, CLG_BAD_INPUT, "install one build of ceiling on all machines",
                     "what process %d sent of it cannot be read: %s", owner[i],
                     p.broken ? p.broken : "more than there should be");
        }
        clg_arena_clear(&scratch);
    }
    clg_progress_end(session);
    return error->status;
}

clg_status clg_trace_reading_do(clg_session *session, const char *const *operands, int count,
                                int threads, clg_trace_reading **reading, clg_recorded_job *job,
                                clg_error *error) {
    clg_trace_reading *r = *reading = clg_take(session->arena, 1, clg_trace_reading);
    const char **paths;
    clg_csv table = clg_trace_kernels(session->arena);
    if (clg_trace_list(session->arena, operands, count, &paths, &r->count, error) != CLG_OK)
        return error->status;
    if (r->count == 0)
        return clg_fail(error, CLG_BAD_INPUT, "give a directory with recordings",
                        "no files are in %.200s", operands[0]);
    r->recordings = clg_take(session->arena, (size_t)r->count, clg_recording);
    for (int i = 0; i < r->count; i++) r->recordings[i].file = paths[i];
    int *owner = split(session->arena, &session->share, r->recordings, r->count);
    for (int i = 1; i < session->share.count; i++) send_order(r, owner, i, threads);
    read_own(session, r, owner, threads, &table);
    if (receive_others(session, r, owner, error) != CLG_OK) return error->status;
    return clg_recordings_join(session->arena, r->recordings, r->count, job, &r->skips, error);
}

const clg_trace_skipped *clg_trace_reading_skipped(const clg_trace_reading *r, int *count) {
    *count = r->skips.count;
    return r->skips.row;
}

bool clg_trace_reading_has(const clg_trace_reading *r, const char *path) {
    for (int i = 0; r && i < r->count; i++)
        if (clg_output_same(path, r->recordings[i].file)) return true;
    return false;
}

void clg_trace_reading_end(clg_trace_reading *r) {
    for (int i = 0; r && r->recordings && i < r->count; i++) clg_recording_end(&r->recordings[i]);
}

/* ---- the other processes ---- */

/* Reads what an order names and sends it. */
static void serve(const clg_share *share, clg_arena *arena, const order *o) {
    portion r = {.count = (int)o->count, .cores = cores_of(share, (int)o->threads)};
    r.table = clg_trace_kernels(arena);
    clg_recording *recordings = clg_take(arena, o->count, clg_recording);
    r.recording = clg_take(arena, o->count, clg_recording *);
    r.packed = clg_take(arena, o->count, packed);
    for (size_t i = 0; i < o->count; i++) {
        recordings[i].file = o->path[i];
        r.recording[i] = &recordings[i];
    }
    read_portion(&r);
    for (size_t i = 0; i < o->count; i++) {
        clg_share_send(0, r.packed[i].bytes, r.packed[i].size);
        clg_arena_clear(&r.packed[i].arena);
    }
}

void clg_trace_reading_serve(clg_session *session) {
    for (size_t size = 1; size > 0;) {
        clg_arena arena = {0};
        const char *bytes = clg_share_receive(&arena, 0, &size);
        clg_parcel p = clg_parcel_from(&arena, bytes, size);
        order o = {0};
        if (size > 0) {
            walk_order(&p, &o);
            serve(&session->share, &arena, &o);
        }
        clg_arena_clear(&arena);
    }
}
