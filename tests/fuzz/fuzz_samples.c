/* Samples, logs and tables, and overlays: any bytes are samples, values or a sentence; the first
 * byte picks the reader. What was read is fitted. */
#include "calibrate/overlay.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void fit(clg_arena *arena, const clg_machine *machine, const clg_kernels *kernels,
                clg_network *network, const char *text, size_t size) {
    clg_samples samples = {0};
    clg_samples_form form;
    clg_csv runs;
    clg_error error = {0};
    clg_calibration list[2 + CLG_PRECISIONS];
    clg_text out = {.arena = arena};
    int count = 0;
    if (clg_samples_read(arena, "fuzz", text, size, &samples, &form, &runs, &error) != CLG_OK)
        return;
    if (samples.count > 24) samples.count = 24;
    clg_calibrate_network(arena, machine, network, &samples, list, &count);
    clg_calibrate_gemm(arena, &machine->gpu, kernels, &samples, list, &count);
    clg_overlay_print(&out, list, count, "network", "fuzz");
    clg_overlay_print(&out, list, count, "kernels", "fuzz");
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_machine machine = {.gpus = 64};
    clg_kernels kernels;
    clg_network network;
    if (size < 1 || size > 4096) return 0;
    const char *text = clg_arena_copy(&arena, (const char *)data + 1, size - 1);
    clg_file file = {"fuzz", text, size - 1};
    if (clg_gpu_find(&arena, "h100-sxm", &machine.gpu, &error) == CLG_OK &&
        clg_node_default(&arena, &machine.gpu, &machine.node, &error) == CLG_OK &&
        clg_fabric_find(&arena, machine.node.fabric, &machine.fabric, &error) == CLG_OK &&
        clg_kernels_find(&arena, &machine.gpu, &kernels, &error) == CLG_OK &&
        clg_network_find(&arena, &machine, &network, &error) == CLG_OK) {
        if (data[0] % 3 == 0) clg_kernels_overlay(&arena, &file, NULL, &kernels, &error);
        if (data[0] % 3 == 1) clg_network_overlay(&arena, &file, &machine, &network, &error);
        if (data[0] % 3 == 2) fit(&arena, &machine, &kernels, &network, text, size - 1);
    }
    clg_arena_clear(&arena);
    return 0;
}
