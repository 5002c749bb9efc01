/* command_expect.c -- what a cluster should show, and whether it does. */
#include "cli/readings.h"

#include "report_recorded/expect_report.h"

#include <string.h>

enum { FILES = 256, MOST_BYTES = 64 << 20, MOST_READINGS = 20000, SIZES = 64 };

/* Those that name another GPU say nothing of this one. */
static void keep_own(clg_samples *samples, const clg_gpu *gpu) {
    int kept = 0;
    for (int i = 0; i < samples->count; i++) {
        const clg_sample *sample = &samples->sample[i];
        if (sample->known_gpu && strcmp(sample->gpu, gpu->name) != 0)
            clg_samples_leave_out(samples, "of another GPU: give --gpu");
        else
            samples->sample[kept++] = samples->sample[i];
    }
    samples->count = kept;
}

static clg_status read_files(clg_session *session, clg_samples *samples, clg_error *error) {
    for (int i = 0; i < session->operands; i++) {
        const char *text;
        size_t size;
        clg_samples_form form;
        clg_csv runs;
        if (clg_file_read(session->arena, session->operand[i], MOST_BYTES, &text, &size, error) !=
                CLG_OK ||
            clg_samples_read(session->arena, session->operand[i], text, size, samples, &form, &runs,
                             error) != CLG_OK)
            return error->status;
        clg_error_at(error, session->operand[i], 0, 0, NULL);
        if (form == CLG_FORM_RUNS)
            return clg_fail(error, CLG_BAD_INPUT, "hold them against ceiling validate",
                            "a table of training runs");
        if (samples->count > MOST_READINGS)
            return clg_fail(error, CLG_BAD_INPUT, "give fewer files", "more than %d readings",
                            MOST_READINGS);
    }
    *error = (clg_error){0};
    return CLG_OK;
}

static void print(clg_session *session, const clg_acceptance *a) {
    clg_json_writer writer = {.text = &session->out, .pretty = true};
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_acceptance(&writer, a);
        clg_text_print(&session->out, "\n");
    } else if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_acceptance_rows(&session->out, a);
    else
        clg_report_acceptance(&session->out, a);
}

static clg_status without_readings(const clg_session *session, const clg_samples *samples,
                                   clg_error *error) {
    int others = session->operands - 1;
    const char *why = samples->reasons > 0 ? samples->left_out[0].why
                                           : "give logs of nccl-tests, samples or tables of them";
    clg_error_at(error, session->operand[0], 0, 0, NULL);
    if (others == 0) return clg_fail(error, CLG_BAD_INPUT, why, "no readings in it");
    return clg_fail(error, CLG_BAD_INPUT, why, "no readings in it and %d more", others);
}

/* The sheet, or the readings where there are some. */
static clg_status answer(clg_session *session, const clg_scenario *s, clg_acceptance *a,
                         clg_error *error) {
    clg_expecting with = {&s->machine, &s->network, &s->kernels};
    clg_samples *samples = clg_take(session->arena, 1, clg_samples);
    samples->replays = true;
    if (clg_readings_asked(session, samples, error) != CLG_OK ||
        read_files(session, samples, error) != CLG_OK)
        return error->status;
    if (session->operands == 0) {
        a->row = clg_expect_sheet(session->arena, &with, a->gpus, &a->count);
        return CLG_OK;
    }
    keep_own(samples, &s->machine.gpu);
    a->wrong = samples->wrong;
    a->row = clg_expect_samples(session->arena, &with, samples);
    a->count = samples->count;
    a->left_out = samples->left_out;
    a->reasons = samples->reasons;
    for (int i = 0; i < a->count; i++) a->rejected += a->row[i].rejected;
    a->suspects = clg_expect_suspects(session->arena, a->row, a->count);
    if (a->count + a->wrong > 0) return CLG_OK;
    return without_readings(session, samples, error);
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_scenario *s = clg_take(session->arena, 1, clg_scenario);
    if (clg_request_machine(session->arena, &session->request, &s->machine, error) != CLG_OK ||
        clg_request_curves(&session->request, s, error) != CLG_OK ||
        clg_scenario_prepare(session->arena, s, error) != CLG_OK)
        return error->status;
    int64_t gpus[SIZES] = {s->machine.node.gpus};
    int sizes = 1;
    if (session->request.value[CLG_PARAM_GPUS] &&
        clg_request_sizes(session->arena, &session->request, gpus, SIZES, &sizes, error) != CLG_OK)
        return error->status;
    clg_acceptance a = {.machine = &s->machine, .gpus = (int)gpus[sizes - 1]};
    if (answer(session, s, &a, error) != CLG_OK) return error->status;
    print(session, &a);
    session->failed = a.rejected > 0 || a.wrong > 0;
    return CLG_OK;
}

static const clg_param knobs[] = {
    CLG_PARAM_GPU,     CLG_PARAM_GPUS,    CLG_PARAM_NODE,  CLG_PARAM_FABRIC, CLG_PARAM_NICS,
    CLG_PARAM_KERNELS, CLG_PARAM_NETWORK, CLG_PARAM_RANKS, CLG_PARAM_NODES,  CLG_PARAM_JSON,
    CLG_PARAM_CSV,     CLG_PARAM_COLOR,   CLG_PARAMS};

const clg_tool clg_tool_expect = {
    .about =
        &(const clg_command){
            .name = "expect",
            .operands = "[FILE...]",
            .summary = "an acceptance sheet: rates a cluster should show, and what to reject",
            .details =
                "Without files: bus bandwidth by size and nodes, product rates and power, each "
                "with the line below which to reject it (P10). With logs of nccl-tests, samples "
                "or tables (as ceiling fit reads): holds every reading against its line, names "
                "nodes that no good reading clears, and ends with status 3 where one is rejected.",
            .example = "ceiling expect --gpu h100-sxm --gpus 64 all_reduce.log",
            .knobs = knobs,
            .least = 0,
            .most = FILES},
    .run = run};
