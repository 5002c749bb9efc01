/* collective_report.c -- a sweep of collectives as a table, CSV and JSON. */
#include "report_plan/collective_report.h"

#include "report/number_words.h"

static const char *buffer(clg_text *t, double bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; unit + 1 < sizeof units / sizeof units[0] && bytes >= 1024; unit++) bytes /= 1024;
    return clg_arena_print(t->arena, "%.4g %s", bytes, units[unit]);
}

static const char *method(clg_text *t, const clg_sweep_point *p) {
    return p->protocol ? clg_arena_print(t->arena, "%s, %s", p->algorithm->name, p->protocol)
                       : p->algorithm->name;
}

static void heading(clg_text *t, const clg_sweep *s) {
    const clg_machine *m = s->machine;
    clg_text_print(t, "machine  %s, %d per node\n", clg_words_gpu(t, &m->gpu), m->node.gpus);
    clg_text_print(t, "network  %s, %s per GPU reached (one direction)\n", m->fabric.title,
                   clg_words_quantity(t, s->network->slow.bytes_per_s, CLG_BYTES_PER_S));
    clg_text_print(t, "buffer   of one rank, as nccl-tests prints it under size\n");
}

static void line(clg_text *t, const clg_sweep_point *p) {
    clg_text_print(t, "%7d %6d %9s %9s %9s %9s %11s  %s\n", p->ranks, p->nodes, buffer(t, p->bytes),
                   clg_words_quantity(t, p->seconds, CLG_SECONDS),
                   clg_words_quantity(t, p->p10_s, CLG_SECONDS),
                   clg_words_quantity(t, p->p90_s, CLG_SECONDS),
                   clg_words_quantity(t, p->bus_bytes_per_s, CLG_BYTES_PER_S), method(t, p));
}

void clg_report_sweep(clg_text *t, const clg_sweep *s) {
    heading(t, s);
    for (int i = 0; i < s->count; i++) {
        const clg_sweep_point *p = &s->point[i];
        if (i == 0 || p->collective != p[-1].collective)
            clg_text_print(t,
                           "\n%s\n   GPUs  nodes    buffer      time       P10       P90"
                           "         bus  algorithm, protocol\n",
                           clg_name_of(clg_collective_names, (int)p->collective));
        line(t, p);
    }
    clg_text_print(t, "\nP10 to P90: how far clusters of this network differ when the job has it "
                      "to itself.\nTraffic of other jobs is not modelled: a busy cluster is "
                      "slower. Your own: ceiling fit LOG.\n");
}

void clg_report_sweep_rows(clg_text *t, const clg_sweep *s) {
    clg_text_print(t, "collective,gpus,nodes,bytes,seconds,p10_s,p90_s,bus_bytes_per_s,"
                      "algorithm,protocol\n");
    for (int i = 0; i < s->count; i++) {
        const clg_sweep_point *p = &s->point[i];
        clg_text_print(t, "%s,%d,%d,%.17g,%.9g,%.9g,%.9g,%.9g,%s,%s\n",
                       clg_name_of(clg_collective_names, (int)p->collective), p->ranks, p->nodes,
                       p->bytes, p->seconds, p->p10_s, p->p90_s, p->bus_bytes_per_s,
                       p->algorithm->name, p->protocol ? p->protocol : "");
    }
}

static void add_point(clg_json_writer *w, const clg_sweep_point *p) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "collective", clg_name_of(clg_collective_names, (int)p->collective));
    clg_json_add_integer(w, "gpus", p->ranks);
    clg_json_add_integer(w, "nodes", p->nodes);
    clg_json_add_number(w, "bytes", p->bytes);
    clg_json_add_number(w, "seconds", p->seconds);
    clg_json_add_number(w, "p10_s", p->p10_s);
    clg_json_add_number(w, "p90_s", p->p90_s);
    clg_json_add_number(w, "bus_bytes_per_s", p->bus_bytes_per_s);
    clg_json_add_string(w, "algorithm", p->algorithm->name);
    clg_json_add_string(w, "protocol", p->protocol);
    clg_json_add_string(w, "formula", p->algorithm->formula);
    clg_json_add_string(w, "source", p->algorithm->source);
    clg_json_close(w, '}');
}

void clg_json_sweep(clg_json_writer *w, const clg_sweep *s) {
    clg_json_open_answer(w, NULL, "collective");
    clg_json_add_string(w, "collective", s->collectives);
    clg_json_open(w, "machine", '{');
    clg_json_add_string(w, "gpu", s->machine->gpu.name);
    clg_json_add_integer(w, "gpus_per_node", s->machine->node.gpus);
    clg_json_add_string(w, "fabric", s->machine->fabric.name);
    clg_json_close(w, '}');
    clg_json_open(w, "points", '[');
    for (int i = 0; i < s->count; i++) add_point(w, &s->point[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
