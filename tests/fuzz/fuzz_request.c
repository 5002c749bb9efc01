/* Flags: the input is lines "flag value"; whatever they say becomes a scenario or a sentence. */
#include "api/request.h"

#include <string.h>

/* Takes one line as a knob of the request. */
static void take(clg_arena *arena, clg_request *request, const char *line, size_t size) {
    const char *space = memchr(line, ' ', size);
    if (!space) return;
    char *flag = clg_arena_copy(arena, line, (size_t)(space - line));
    char *value = clg_arena_copy(arena, space + 1, size - (size_t)(space - line) - 1);
    int param = clg_param_find(flag);
    if (param == CLG_PARAM_FIX && request->fixes < CLG_REQUEST_LISTS)
        request->fix[request->fixes++] = value;
    else if (param == CLG_PARAM_NOT && request->forbids < CLG_REQUEST_LISTS)
        request->forbid[request->forbids++] = value;
    else if (param >= 0)
        request->value[param] = value;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_request request = {.model = "llama-2-7b"};
    clg_scenario scenario;
    clg_space space;
    const char *text = (const char *)data;
    while (size > 0) {
        const char *end = memchr(text, '\n', size);
        size_t line = end ? (size_t)(end - text) : size;
        take(&arena, &request, text, line);
        text += line + (end != NULL);
        size -= line + (end != NULL);
    }
    clg_request_read(&arena, &request, true, &scenario, &space, &error);
    clg_arena_clear(&arena);
    return 0;
}
