/* rocprof.c -- rocprofv3 (ROCprofiler-SDK): agents, symbols, dispatches and copies as work of GPUs,
 * whatever file they came from. */
#include "record/rocprof.h"

void clg_rocprof_begin(clg_rocprof *r, clg_arena *arena, const char *path, const clg_csv *table) {
    clg_devices_begin(&r->devices, arena, &r->scratch, path, table);
    r->texts.arena = arena;
    r->kernels.arena = r->gpus.arena = r->named.arena = &r->scratch;
}

/* Keys of maps are not 0. */
static uint64_t key_of(int64_t id) { return (uint64_t)id == UINT64_MAX ? 1 : (uint64_t)id + 1; }

void clg_rocprof_agent(clg_rocprof *r, int64_t agent, int64_t device, clg_slice name) {
    if (device < 0 || device >= INT32_MAX) return;
    clg_map_put(&r->gpus, key_of(agent), (uint32_t)device);
    if (name.size) clg_map_put(&r->named, key_of(device), clg_intern_add(&r->texts, name));
}

void clg_rocprof_symbol(clg_rocprof *r, int64_t id, clg_slice name) {
    if (name.size) clg_map_put(&r->kernels, key_of(id), clg_intern_add(&r->texts, name));
}

static void add(clg_rocprof *r, int64_t agent, uint32_t name, clg_device_work *work) {
    uint32_t device = clg_map_get(&r->gpus, key_of(agent), UINT32_MAX);
    work->device = device == UINT32_MAX ? agent : (int64_t)device;
    work->key = (uint64_t)name + 1;
    work->name = r->texts.texts[name];
    clg_devices_add(&r->devices, work);
}

void clg_rocprof_kernel(clg_rocprof *r, int64_t agent, int64_t id, clg_device_work work) {
    uint32_t name = clg_map_get(&r->kernels, key_of(id), UINT32_MAX);
    if (name == UINT32_MAX) name = clg_intern_add(&r->texts, (clg_slice){"?", 1});
    add(r, agent, name, &work);
}

void clg_rocprof_copy(clg_rocprof *r, int64_t source, int64_t target, clg_device_work work) {
    bool to_gpu = clg_map_get(&r->gpus, key_of(target), UINT32_MAX) != UINT32_MAX;
    bool from_gpu = clg_map_get(&r->gpus, key_of(source), UINT32_MAX) != UINT32_MAX;
    if (!to_gpu && !from_gpu) return;
    work.copy = true;
    add(r, to_gpu ? target : source, clg_intern_add(&r->texts, (clg_slice){"Memcpy", 6}), &work);
}

bool clg_rocprof_end(clg_rocprof *r, clg_trace **traces, int *count) {
    bool found = r->devices.count > 0;
    if (found) clg_devices_end(&r->devices, traces, count);
    for (int i = 0; found && i < *count; i++) {
        clg_trace *t = &(*traces)[i];
        uint32_t name = clg_map_get(&r->named, key_of(t->device), UINT32_MAX);
        if (name != UINT32_MAX) t->gpu = r->texts.texts[name];
        t->host = r->host;
    }
    clg_arena_clear(&r->scratch);
    return found;
}
