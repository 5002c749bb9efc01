/* exports.c -- the core as a WebAssembly module: three exports, two imports.
 *
 *   clg_allocate(size)      a place to write a request, size bytes of UTF-8
 *   clg_call(text, size)    answers it: a NUL-terminated text (api/door.h)
 *   clg_free(pointer)       releases either
 *
 * The host provides core.progress(share), called now and then while a search runs; 0 stops it; and
 * core.read(file, to, capacity), the next bytes of the n-th file that a request names. */
#include "api/door.h"
#include "dataset/kept.h"

#include <stdlib.h>
#include <string.h>

__attribute__((import_module("core"), import_name("progress"))) int clg_host_progress(double share);
__attribute__((import_module("core"), import_name("read"))) size_t clg_host_read(int file, char *to,
                                                                                 size_t capacity);

__attribute__((export_name("clg_allocate"))) void *clg_allocate(size_t size);
__attribute__((export_name("clg_call"))) char *clg_call(const char *text, size_t size);
__attribute__((export_name("clg_free"))) void clg_free(void *pointer);

static bool tell(void *context, double share) {
    (void)context;
    return clg_host_progress(share) != 0;
}

static size_t read_file(void *context, int file, char *to, size_t capacity) {
    (void)context;
    return clg_host_read(file, to, capacity);
}

void *clg_allocate(size_t size) { return malloc(size ? size : 1); }

void clg_free(void *pointer) { free(pointer); }

/* Of this instance, between its calls. Where memory ends the host drops the instance, this too. */
static clg_kept *kept;

char *clg_call(const char *text, size_t size) {
    if (!kept) kept = clg_kept_open();
    clg_arena arena = {.kept = kept};
    clg_text out = {.arena = &arena};
    clg_door_call(&arena, text, size, (clg_door_host){{tell, NULL, NULL}, read_file, NULL}, &out);
    char *answer = malloc(out.size + 1);
    if (!answer) abort();
    memcpy(answer, out.data, out.size + 1); /* every answer has text, hence a NUL after it */
    clg_arena_clear(&arena);
    return answer;
}
