/* library.c -- the door as include/ceiling.h shows it: without arenas, for programs of others. */
#include "api/door.h"
#include "base/version.h"
#include "ceiling.h"
#include "dataset/kept.h"

#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

static bool never_stop(void *context, double share) {
    (void)context;
    (void)share;
    return true;
}

/* One request, for a call that may find memory at its end. */
typedef struct call {
    const char *request;
    size_t bytes;
    clg_door_host host;
    ceiling_session *session;
    ceiling_answer answer;
} call;

static void answer_call(void *context) {
    call *c = context;
    clg_arena arena = {.kept = c->session};
    clg_text out = {.arena = &arena};
    clg_status status = clg_door_call(&arena, c->request, c->bytes, c->host, &out);
    clg_arena *kept = clg_take(&arena, 1, clg_arena); /* the arena lives in itself */
    *kept = arena;
    c->answer = (ceiling_answer){out.data, out.size, status == CLG_OK, kept};
}

static void open_session(void *context) {
    ceiling_session **session = context;
    *session = clg_kept_open();
}

/* Numbers are read and written with a point, whatever locale the program of others has set. */
static bool answer_in_c_locale(call *c) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) return false;
    locale_t before = uselocale(plain); /* of this thread alone */
    bool answered = clg_arena_guarded(answer_call, c);
    uselocale(before);
    freelocale(plain);
    return answered;
}

ceiling_session *ceiling_open(void) {
    ceiling_session *session = NULL;
    return clg_arena_guarded(open_session, &session) ? session : NULL;
}

void ceiling_close(ceiling_session *session) { clg_kept_close(session); }

ceiling_answer ceiling_ask_in(ceiling_session *session, const char *request, size_t bytes,
                              ceiling_progress *tell, void *context) {
    static const char no_memory[] =
        "{\n  \"error\": {\n    \"status\": 1,\n    \"file\": \"\",\n    \"line\": 0,\n"
        "    \"column\": 0,\n    \"field\": \"\",\n    \"message\": \"memory is at its end\",\n"
        "    \"mend\": \"give more of it, or ask for less at a time\",\n"
        "    \"sentence\": \"memory is at its end\"\n  }\n}\n";
    call c = {.request = request,
              .bytes = bytes,
              .session = session,
              .host.progress = {tell ? tell : never_stop, context, NULL}};
    if (answer_in_c_locale(&c)) return c.answer;
    return (ceiling_answer){no_memory, sizeof no_memory - 1, false, NULL};
}

ceiling_answer ceiling_ask(const char *request, size_t bytes, ceiling_progress *tell,
                           void *context) {
    ceiling_session *session = ceiling_open();
    ceiling_answer answer = ceiling_ask_in(session, request, bytes, tell, context);
    ceiling_close(session);
    return answer;
}

void ceiling_release(ceiling_answer *answer) {
    if (answer->memory) {
        clg_arena arena = *(clg_arena *)answer->memory;
        clg_arena_clear(&arena);
    }
    *answer = (ceiling_answer){0};
}

const char *ceiling_version(void) { return CLG_VERSION; }
