/* rocprof_csv.c -- *_kernel_trace.csv of rocprofv3: kernels alone. Its agents are numbered with the
 * CPUs, so that the place among those with work stands for the GPU. */
#include "record/recording.h"
#include "record/rocprof.h"

#include <string.h>

static clg_slice first_line(clg_slice head) {
    size_t size = 0;
    while (size < head.size && head.text[size] != '\n') size++;
    return (clg_slice){head.text, size};
}

static bool probe(clg_slice head) {
    clg_slice line = first_line(head);
    return clg_slice_has(line, "Agent_Id") && clg_slice_has(line, "Kernel_Name") &&
           clg_slice_has(line, "Start_Timestamp") && clg_slice_has(line, "End_Timestamp");
}

/* "Agent 4", "4"; -1: neither. */
static int64_t number(const char *field) {
    int64_t value = -1;
    if (!field) return -1;
    if (strncmp(field, "Agent ", 6) == 0) field += 6;
    return clg_scan_decimal((clg_slice){field, strlen(field)}, 0, &value) ? value : -1;
}

static void take_row(clg_rocprof *r, const clg_csv *csv, int row) {
    const char *name = clg_csv_field(csv, row, "Kernel_Name");
    if (!name) name = "?"; /* the column is called only nearly so */
    int64_t agent = number(clg_csv_field(csv, row, "Agent_Id"));
    int64_t stream = number(clg_csv_field(csv, row, "Stream_Id"));
    uint32_t text = clg_intern_add(&r->texts, (clg_slice){name, strlen(name)});
    clg_device_work work = {.device = agent,
                            .stream =
                                stream >= 0 ? stream : number(clg_csv_field(csv, row, "Queue_Id")),
                            .start_ns = number(clg_csv_field(csv, row, "Start_Timestamp")),
                            .end_ns = number(clg_csv_field(csv, row, "End_Timestamp")),
                            .correlation = -1,
                            .key = (uint64_t)text + 1,
                            .name = r->texts.texts[text]};
    clg_devices_add(&r->devices, &work);
}

/* A last line that was cut is left out. */
static clg_slice whole_lines(clg_slice data, bool *cut) {
    size_t size = data.size;
    while (size > 0 && data.text[size - 1] != '\n') size--;
    *cut = size < data.size;
    return (clg_slice){data.text, size};
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    clg_arena scratch = {0};
    bool cut, found = false;
    clg_slice data = whole_lines(clg_source_whole(&scratch, source), &cut);
    clg_rocprof *r = clg_take(&scratch, 1, clg_rocprof);
    clg_rocprof_begin(r, &into->arena, into->file, kernels);
    r->devices.by_place = true;
    if (cut) r->devices.damage = "the text ends in a line";
    clg_csv csv;
    clg_status status =
        clg_csv_parse(&scratch, into->file, data.text, data.size, &csv, &into->error);
    for (int i = 0; status == CLG_OK && i < csv.rows; i++) take_row(r, &csv, i);
    if (status == CLG_OK)
        found = clg_rocprof_end(r, &into->traces, &into->count);
    else
        clg_arena_clear(&r->scratch);
    clg_arena_clear(&scratch);
    if (status != CLG_OK || found) return status;
    return clg_recording_refuse(into, "record with --kernel-trace", "no kernels are in it");
}

const clg_reader clg_reader_rocprof_csv = {"rocprof table", probe, read};
