/* answer_mixed.c -- one job on two kinds of GPU. */
#include "api/command.h"
#include "api/named_gpus.h"
#include "api/request_parts.h"
#include "report_plan/mixed_report.h"
#include "report_plan/plan_text.h"
#include "report_plan/plans_picture.h"

#include <math.h>

typedef struct both {
    clg_scenario scenario[CLG_HALVES];
    clg_mixed mixed;
} both;

/* The request with "a100-sxm-80gb:64" in the machine's place: its own node, fabric and price. */
static clg_status read_other(clg_arena *arena, const clg_request *request, clg_request **other,
                             clg_error *error) {
    const char *word = request->value[CLG_PARAM_WITH];
    clg_named_gpu named = clg_named_gpu_of(arena, word ? word : "");
    if (!*named.name || !named.count || !*named.count)
        return clg_fail(error, CLG_BAD_USAGE, "say --with GPU:COUNT, as --with a100-sxm-80gb:64",
                        word ? "--with has no count" : "the other kind of GPU is missing");
    *other = clg_request_on_gpu(arena, request, named.name);
    (*other)->value[CLG_PARAM_GPUS] = named.count;
    return CLG_OK;
}

/* Between the halves: as said, or all ports of the one that has less. */
static clg_status read_link(const clg_request *request, const clg_mixed *m, clg_sites *link,
                            clg_error *error) {
    double bits, least = INFINITY;
    const clg_wanted_number rows[] = {{CLG_PARAM_EXCHANGE_BITS, &bits}};
    for (int i = 0; i < CLG_HALVES; i++)
        least = fmin(least, (double)m->half[i].space.gpus *
                                clg_machine_inter_bytes_per_s(&m->half[i].scenario->machine));
    if (CLG_REQUEST_NUMBERS(request, rows, error) != CLG_OK ||
        clg_request_number_or(request, CLG_PARAM_BETWEEN, least, &link->bytes_per_s, error) !=
            CLG_OK)
        return error->status;
    link->sites = CLG_HALVES;
    link->exchange_bytes = bits / 8;
    return CLG_OK;
}

static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    both *a = to;
    clg_request *other = NULL;
    *a = (both){0};
    if (read_other(q->arena, q->request, &other, error) != CLG_OK) return error->status;
    for (int i = 0; i < CLG_HALVES; i++) {
        a->mixed.half[i].scenario = &a->scenario[i];
        if (clg_request_read(q->arena, i == 0 ? q->request : other, true, &a->scenario[i],
                             &a->mixed.half[i].space, error) != CLG_OK)
            return i == 0 ? error->status
                          : clg_request_at_flag(error->status, CLG_PARAM_WITH, error);
    }
    if (read_link(q->request, &a->mixed, &a->mixed.link, error) != CLG_OK) return error->status;
    return clg_mixed_plan(q->arena, a->mixed.half[0].space.global_batch, &a->mixed, error);
}

static void write_text(clg_text *out, const void *from) {
    const both *a = from;
    clg_report_heading(out, &a->scenario[0], &a->mixed.half[0].space);
    clg_report_mixed(out, &a->mixed);
}

static void write_json(clg_json_writer *w, const void *from) {
    clg_json_mixed(w, &((const both *)from)->mixed);
}

static void write_csv(clg_text *out, const void *from) {
    clg_report_mixed_rows(out, &((const both *)from)->mixed);
}

static void write_svg(clg_text *out, const void *from) {
    const both *b = from;
    clg_drawn_plan rows[CLG_HALVES];
    for (int i = 0; i < CLG_HALVES; i++) {
        const clg_half *half = &b->mixed.half[i];
        rows[i] = (clg_drawn_plan){half->scenario->machine.gpu.title, &half->plan,
                                   b->mixed.step_s - half->plan.step_s};
    }
    clg_picture_plans(out,
                      clg_arena_print(out->arena,
                                      "%s on two kinds of GPU, a share of the batch each",
                                      b->scenario[0].model.title),
                      rows, b->mixed.runs ? CLG_HALVES : 0);
}

static const clg_param knobs[] = {CLG_PARAM_WITH, CLG_PARAM_BETWEEN, CLG_PARAM_EXCHANGE_BITS,
                                  CLG_PARAMS};

static const clg_own_words words[] = {
    {CLG_PARAM_BETWEEN, "RATE", "all ports of the smaller half",
     "link between the two kinds, one direction: 400Gbit/s"},
    {CLG_PARAM_EXCHANGE_BITS, "BITS", "=16", "of a gradient as it crosses that link"},
    {CLG_PARAMS, NULL, NULL, NULL}};

const clg_command clg_command_mixed = {
    .name = "mixed",
    .operands = "MODEL|FILE...",
    .summary = "one job on two kinds of GPU, its batch shared by speed",
    .details = "--gpu and --gpus name the first kind, --with the second, each in its own boxes. "
               "Both train copies of the model with the best layout for their share of the batch; "
               "gradients are exchanged between them every step. Beside it what each does alone.",
    .example = "ceiling mixed llama-3-8b --gpus 64 --with a100-sxm-80gb:64 --global-batch 4Mtok",
    .groups = CLG_TAKES_PLANNING,
    .knobs = knobs,
    .words = words,
    .subject = CLG_SUBJECT_MODEL,
    .busy = "sharing the batch",
    .bytes = sizeof(both),
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text, [CLG_FORM_CSV] = write_csv, [CLG_FORM_SVG] = write_svg}};
