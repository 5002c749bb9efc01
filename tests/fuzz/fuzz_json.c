/* The JSON reader takes any bytes. */
#include "base/json.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_json *root;
    clg_json_parse(&arena, "fuzz", (const char *)data, size, &root, &error);
    clg_arena_clear(&arena);
    return 0;
}
