/* fleet_kinds.c -- see the header. */
#include "api/fleet_kinds.h"

#include "api/named_gpus.h"
#include "api/request_parts.h"
#include "base/word_list.h"

#include <string.h>

static bool is_named(const clg_placement *p, const char *name) {
    for (int k = 0; k < p->kinds; k++)
        if (strcmp(p->kind[k].name, name) == 0) return true;
    return false;
}

static clg_status read_kind(const clg_question *q, clg_named_gpu named, clg_place_kind *kind,
                            clg_error *error) {
    clg_request *one = clg_take(q->arena, 1, clg_request);
    clg_machine machine;
    double gpus = 0;
    *one = *q->request;
    one->value[CLG_PARAM_GPU] = named.name;
    if (clg_request_machine(q->arena, one, &machine, error) != CLG_OK) return error->status;
    if (named.count && clg_request_gpus(named.count, &gpus, error) != CLG_OK)
        return clg_request_at_flag(error->status, CLG_PARAM_GPU, error);
    *kind = (clg_place_kind){.name = machine.gpu.name,
                             .node_gpus = machine.node.gpus,
                             .limited = named.count != NULL,
                             .there_nodes = (int64_t)gpus / machine.node.gpus};
    return CLG_OK;
}

clg_status clg_fleet_kinds(const clg_question *q, clg_placement *p, clg_error *error) {
    const clg_request *r = q->request;
    const char *left = clg_named_gpus(r, ",:");
    if (!left) return CLG_OK;
    if (r->value[CLG_PARAM_NODE] || r->value[CLG_PARAM_GPUS])
        return clg_fail(error, CLG_BAD_USAGE, "say how many as --gpu NAME:N,NAME:N",
                        "kinds of GPU stand each in nodes of their own: no --node, no --gpus");
    for (const char *word; (word = clg_list_next(q->arena, &left, ',')) != NULL;) {
        clg_place_kind kind;
        if (p->kinds == CLG_PLACE_KINDS)
            return clg_fail(error, CLG_BAD_USAGE, "leave some out", "--gpu: more than %d kinds",
                            CLG_PLACE_KINDS);
        if (read_kind(q, clg_named_gpu_of(q->arena, word), &kind, error) != CLG_OK)
            return error->status;
        if (is_named(p, kind.name))
            return clg_fail(error, CLG_BAD_USAGE, "name it once", "--gpu: %s twice", kind.name);
        p->kind[p->kinds++] = kind;
    }
    return CLG_OK;
}

clg_status clg_fleet_priced(const clg_placement *p, clg_error *error) {
    for (int i = 0; i < p->models; i++)
        for (int k = 0; k < p->kinds; k++)
            if (p->option[i][k].alone.question && !(p->option[i][k].own_usd_per_s > 0))
                return clg_fail(error, CLG_BAD_INPUT, "leave it out, or give --price",
                                "no price is known of %s, and the cheapest kind is looked for",
                                p->kind[k].name);
    return CLG_OK;
}
