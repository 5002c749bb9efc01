/* GPUs by the names that drivers, lists and people give them. */
#include "machine/machine.h"
#include "test.h"

static clg_arena arena;

static const char *found(const char *name) {
    clg_gpu gpu = {0};
    clg_error e = {0};
    return clg_gpu_find(&arena, name, &gpu, &e) == CLG_OK ? gpu.name : "none";
}

int main(void) {
    CASE("as nvidia-smi reports them");
    CHECK_TEXT(found("NVIDIA H100 80GB HBM3"), "h100-sxm");
    CHECK_TEXT(found("NVIDIA H100 PCIe"), "h100-pcie");
    CHECK_TEXT(found("NVIDIA A100 80GB PCIe"), "a100-pcie-80gb");
    CHECK_TEXT(found("NVIDIA A100-SXM4-40GB"), "a100-sxm-40gb");
    CHECK_TEXT(found("Tesla V100-SXM2-32GB"), "v100-sxm-32gb");

    CASE("words of several: the usual one of them, where one is usual");
    CHECK_TEXT(found("a100-sxm"), "a100-sxm-80gb");
    CHECK_TEXT(found("A100-80GB"), "a100-sxm-80gb");
    CHECK_TEXT(found("a100 40gb"), "none");

    CASE("a number is the same or it is another GPU; a memory or a socket alone is none");
    CHECK_TEXT(found("a10 24GB"), "a10");
    CHECK_TEXT(found("a1000"), "none");
    CHECK_TEXT(found("80gb"), "none");
    CHECK_TEXT(found("sxm"), "none");

    clg_arena_clear(&arena);
    return DONE;
}
