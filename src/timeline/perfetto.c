/* perfetto.c -- Chrome trace format (Google document "Trace Event Format", 2016). */
#include "timeline/perfetto.h"

#include <inttypes.h>

static void name_tracks(clg_json_writer *w, const clg_timeline *t, const char *process) {
    for (uint32_t i = 0; i < t->track_count; i++) {
        const char *kinds[] = {"process_name", "thread_name"};
        for (int kind = 0; kind < 2; kind++) {
            clg_json_open(w, NULL, '{');
            clg_json_add_string(w, "ph", "M");
            clg_json_add_integer(w, "pid", t->tracks[i].rank);
            clg_json_add_integer(w, "tid", i);
            clg_json_add_string(w, "name", kinds[kind]);
            clg_json_open(w, "args", '{');
            clg_json_add_string(w, "name",
                                kind == 0
                                    ? clg_arena_print(t->arena, "%s %d", process, t->tracks[i].rank)
                                    : t->tracks[i].name);
            clg_json_close(w, '}');
            clg_json_close(w, '}');
        }
    }
}

/* By clg_work, as PyTorch's profiler has them: what is drawn can be read again. */
static const char *const categories[] = {"kernel", "kernel", "gpu_memcpy", "gpu_user_annotation"};

/* Names of kernels hold quotes; viewers refuse the whole file for one control byte. */
static void add_name(clg_text *text, const char *name) {
    clg_text_add(text, "\"", 1);
    for (const char *p = name; *p; p++) {
        if (*p == '"' || *p == '\\') clg_text_add(text, "\\", 1);
        clg_text_add(text, (unsigned char)*p < ' ' ? " " : p, 1);
    }
    clg_text_add(text, "\"", 1);
}

void clg_timeline_perfetto(clg_text *text, const clg_timeline *t, const char *process) {
    clg_json_writer w = {.text = text};
    clg_json_open(&w, NULL, '{');
    clg_json_open(&w, "traceEvents", '[');
    name_tracks(&w, t, process);
    for (size_t i = 0; i < t->count; i++) {
        const clg_event *e = &t->events[i];
        clg_text_print(text,
                       ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRId64 ".%03" PRId64
                       ",\"dur\":%" PRId64 ".%03" PRId64 ",\"name\":",
                       t->tracks[e->track].rank, e->track, e->start_ns / 1000, e->start_ns % 1000,
                       e->duration_ns / 1000, e->duration_ns % 1000);
        add_name(text, t->names[e->name]);
        clg_text_print(text, ",\"cat\":\"%s\"", categories[e->work]);
        if (e->micro_batch >= 0)
            clg_text_print(text, ",\"args\":{\"micro-batch\":%d,\"chunk\":%d}", e->micro_batch,
                           e->detail);
        clg_text_print(text, "}");
    }
    clg_json_close(&w, ']');
    clg_json_add_string(&w, "displayTimeUnit", "ms");
    clg_json_close(&w, '}');
}
