/* Data files of every kind: the first byte picks the reader. */
#include "machine/machine.h"
#include "stack/stack.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (size < 1) return 0;
    const char *text = (const char *)data + 1;
    clg_arena arena = {0};
    clg_error error = {0};
    union {
        clg_gpu gpu;
        clg_node node;
        clg_fabric fabric;
        clg_price price;
        clg_stack stack;
    } into;
    switch (data[0] % 5) {
    case 0:
        clg_gpu_read(&arena, "fuzz", text, size - 1, &into.gpu, &error);
        break;
    case 1:
        clg_node_read(&arena, "fuzz", text, size - 1, &into.node, &error);
        break;
    case 2:
        clg_fabric_read(&arena, "fuzz", text, size - 1, &into.fabric, &error);
        break;
    case 3:
        clg_price_read(&arena, "fuzz", text, size - 1, &into.price, &error);
        break;
    default:
        clg_stack_read(&arena, "fuzz", text, size - 1, &into.stack, &error);
        break;
    }
    clg_arena_clear(&arena);
    return 0;
}
