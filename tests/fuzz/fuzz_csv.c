/* Tables of runs: any bytes are rows, reasons or a sentence. */
#include "validate/validate.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_csv table;
    clg_validation validation;
    if (size < 4096 &&
        clg_csv_parse(&arena, "fuzz", (const char *)data, size, &table, &error) == CLG_OK)
        clg_validate(&arena, &table, 1, (clg_progress){0}, &validation, &error);
    clg_arena_clear(&arena);
    return 0;
}
