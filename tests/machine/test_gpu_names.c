/* GPUs by the names that drivers, lists and people give them. */
#include "dataset/dataset.h"
#include "machine/machine.h"
#include "test.h"

#include <string.h>

static clg_arena arena;

static const char *found(const char *name) {
    clg_gpu gpu = {0};
    clg_error e = {0};
    return clg_gpu_find(&arena, name, &gpu, &e) == CLG_OK ? gpu.name : "none";
}

/* A file of data/gpu without the line of a member. */
static const char *without(const char *file, const char *member) {
    char *text = clg_arena_copy(&arena, clg_dataset_find(file)->text, clg_dataset_find(file)->size);
    char *line = strstr(text, member), *end = line ? strchr(line, '\n') : NULL;
    CHECK(line && end);
    if (line && end) memset(line, ' ', (size_t)(end - line));
    return text;
}

static void left_out(void) {
    clg_gpu gpu;
    clg_error e = {0};
    CASE("what no answer is made of may be left out of a GPU's file, a clock may not");
    const char *text = without("gpu/h100-sxm.json", "\"l2\":");
    CHECK(clg_gpu_read(&arena, "mine.json", text, strlen(text), &gpu, &e) == CLG_OK);
    text = without("gpu/h100-sxm.json", "\"clock\":");
    CHECK(clg_gpu_read(&arena, "mine.json", text, strlen(text), &gpu, &e) == CLG_BAD_INPUT);
    CHECK_TEXT(e.field, "clock");
}

static const char *rented(const char *name) {
    clg_node node;
    clg_error e = {0};
    return clg_node_find(&arena, name, &node, &e) == CLG_OK ? node.name : "none";
}

static void machines(void) {
    CASE("machines by the names that clouds rent them under; none is a GPU");
    CHECK_TEXT(rented("p5.48xlarge"), "aws-p5");
    CHECK_TEXT(rented("Standard_ND96isr_H100_v5"), "azure-nd-h100-v5");
    CHECK_TEXT(rented("a3-megagpu-8g"), "gcp-a3-mega");
    CHECK_TEXT(rented("BM.GPU.H100.8"), "oci-h100");
    CHECK_TEXT(rented("p9.48xlarge"), "none");
    clg_gpu gpu;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, "p5.48xlarge", &gpu, &e) == CLG_BAD_INPUT);
    CHECK(strstr(e.mend, "--node aws-p5") != NULL);
}

int main(void) {
    left_out();
    machines();
    CASE("as nvidia-smi reports them");
    CHECK_TEXT(found("NVIDIA H100 80GB HBM3"), "h100-sxm");
    CHECK_TEXT(found("NVIDIA H100 PCIe"), "h100-pcie");
    CHECK_TEXT(found("Tesla V100-SXM3-32GB"), "v100-sxm-32gb");
    CHECK_TEXT(found("NVIDIA B300 SXM6 AC"), "b300-sxm");
    CHECK_TEXT(found("AMD Instinct MI300X OAM"), "mi300x");
    CHECK_TEXT(clg_gpu_name(&arena, "NVIDIA GB200"), "gb200");
    CHECK_TEXT(clg_gpu_name(&arena, "A100-80GB (p4de.24xlarge)"), "a100-sxm-80gb");
    CHECK(clg_gpu_name(&arena, "") == NULL && clg_gpu_name(&arena, "Intel Xeon") == NULL);
    CHECK_TEXT(found("NVIDIA A100 80GB PCIe"), "a100-pcie-80gb");
    CHECK_TEXT(found("NVIDIA A100-SXM4-40GB"), "a100-sxm-40gb");
    CHECK_TEXT(found("Tesla V100-SXM2-32GB"), "v100-sxm-32gb");
    CHECK_TEXT(found("NVIDIA RTX 6000 Ada Generation"), "rtx-6000-ada");
    CHECK_TEXT(found("NVIDIA RTX PRO 6000 Blackwell Server Edition"), "rtx-pro-6000");
    CHECK_TEXT(found("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"), "none");

    CASE("words of several: the usual one of them, where one is usual");
    CHECK_TEXT(found("a100-sxm"), "a100-sxm-80gb");
    CHECK_TEXT(found("A100-80GB"), "a100-sxm-80gb");
    CHECK_TEXT(found("a100 40gb"), "a100-sxm-40gb");
    CHECK_TEXT(found("a100 pcie 48gb"), "none");

    CASE("a box around it, or what the driver says without its maker");
    CHECK_TEXT(found("DGX H100"), "h100-sxm");
    CHECK_TEXT(found("HGX B200"), "b200-sxm");
    CHECK_TEXT(found("H100 80GB HBM3"), "h100-sxm");
    CHECK_TEXT(found("GH200 Superchip"), "gh200-96gb");
    CHECK_TEXT(found("dgx"), "none");

    CASE("a number is the same or it is another GPU; a memory or a socket alone is none");
    CHECK_TEXT(found("a10 24GB"), "a10");
    CHECK_TEXT(found("a1000"), "none");
    CHECK_TEXT(found("80gb"), "none");
    CHECK_TEXT(found("sxm"), "none");

    clg_arena_clear(&arena);
    return DONE;
}
