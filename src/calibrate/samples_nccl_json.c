/* samples_nccl_json.c -- what nccl-tests writes with -J: {"args", "config": {"devices"},
 * "results"}.
 *
 * Groups that NCCL_TESTS_SPLIT makes work side by side; the first is taken. A file without its end
 * is of a run that was cut off, and does not parse. Left out: times of single iterations. Format:
 * https://github.com/NVIDIA/nccl-tests, src/util.cu. */
#include "base/text.h"
#include "calibrate/samples.h"

#include <math.h>
#include <string.h>

enum { MOST_HOSTS = 8192 };

typedef struct devices {
    clg_text hosts; /* of all groups, with commas */
    int ranks, nodes;
    const char *gpu;
} devices;

static double number(const clg_json *object, const char *key) {
    const clg_json *member = clg_json_member(object, key);
    return member && member->kind == CLG_JSON_NUMBER ? member->number : (double)NAN;
}

/* Whether an earlier device, of the same group where `group` is a number, is on this host. */
static bool seen(const clg_json *first, const clg_json *device, double group) {
    const char *host = clg_json_text(device, "hostname", "");
    for (const clg_json *other = first; other != device; other = other->next)
        if (strcmp(clg_json_text(other, "hostname", ""), host) == 0 &&
            (isnan(group) || number(other, "group") == group))
            return true;
    return false;
}

/* Of the GPUs of a process only the first is named. */
static devices devices_of(clg_arena *arena, const clg_json *config) {
    const clg_json *list = clg_json_member(config, "devices");
    double each = number(config, "nthreads") * number(config, "ngpus");
    devices d = {.hosts = {.arena = arena}, .gpu = ""};
    const clg_json *first = list ? list->first : NULL;
    double group = number(first, "group");
    int looked_at = 0;
    for (const clg_json *device = first; device && looked_at < MOST_HOSTS;
         device = device->next, looked_at++) {
        bool mine = isnan(group) || number(device, "group") == group;
        const char *host = clg_json_text(device, "hostname", "");
        d.ranks += mine;
        if (!*d.gpu) d.gpu = clg_json_text(device, "device_info", "");
        if (!*host) continue;
        if (mine && !seen(first, device, group)) d.nodes++;
        if (!seen(first, device, (double)NAN))
            clg_text_print(&d.hosts, "%s%s", d.hosts.size > 0 ? "," : "", host);
    }
    if (each > 1 && each <= 1024) d.ranks *= (int)each;
    return d;
}

static void take(clg_arena *arena, const clg_json *result, clg_sample *sample,
                 clg_samples *samples) {
    const clg_json *body = clg_json_member(result, "out_of_place");
    if (!body || body->kind != CLG_JSON_OBJECT) body = clg_json_member(result, "in_place");
    if (number(body, "nwrong") > 0) {
        samples->wrong++;
        clg_samples_leave_out(samples, clg_samples_wrong);
        return;
    }
    sample->bytes = number(result, "size");
    sample->seconds = 1e-6 * number(body, "time");
    if (!(sample->bytes >= 1 && sample->bytes <= 1e15))
        clg_samples_leave_out(samples, "a collective without bytes and two ranks or more");
    else
        clg_samples_add(arena, samples, sample);
}

clg_status clg_samples_read_nccl_json(clg_arena *arena, const char *file, const clg_json *root,
                                      clg_samples *samples, clg_error *error) {
    const clg_json *args = clg_json_member(root, "args"), *program = args ? args->first : NULL;
    const clg_json *results = clg_json_member(root, "results");
    devices d = devices_of(arena, clg_json_member(root, "config"));
    int named =
        program && program->kind == CLG_JSON_STRING ? clg_samples_operation(program->text) : -1;
    if (named < 0) named = clg_samples_operation(file);
    clg_sample sample = {.kind = CLG_SAMPLE_COLLECTIVE,
                         .collective = named >= 0 ? (clg_collective)named : CLG_ALL_REDUCE,
                         .precision = CLG_BF16,
                         .ranks = d.ranks > 1 ? d.ranks : samples->ranks,
                         .nodes = d.ranks > 1 ? d.nodes : samples->nodes,
                         .gpu = d.gpu,
                         .hosts = d.hosts.size > 0 ? d.hosts.data : ""};
    clg_error_at(error, file, 0, 0, NULL);
    if (sample.ranks < 2 || !results)
        return clg_fail(error, CLG_BAD_INPUT, "give --ranks and --nodes",
                        "no results of two ranks or more in this nccl-tests file");
    *error = (clg_error){0};
    for (const clg_json *result = results->first; result; result = result->next)
        take(arena, result, &sample, samples);
    return CLG_OK;
}
