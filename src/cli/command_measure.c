/* command_measure.c -- what to measure, and with -o the scripts that do it. */
#include "api/answer_measure.h"
#include "cli/asked.h"
#include "cli/planning.h"
#include "job/launch.h"

#include <string.h>

/* As one word of a shell. */
static const char *quoted(clg_arena *arena, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "./_-@%:,=+";
    if (word[strspn(word, plain)] == '\0') return word;
    clg_text text = {.arena = arena};
    clg_text_print(&text, "'");
    for (; *word; word++)
        if (*word == '\'')
            clg_text_print(&text, "'\\''");
        else
            clg_text_add(&text, word, 1);
    clg_text_print(&text, "'");
    return text.data;
}

/* The flags of the machine again, for fit. */
static const char *machine_flags(clg_session *session, const clg_scenario *scenario) {
    static const clg_param params[] = {CLG_PARAM_NODE,  CLG_PARAM_FABRIC,  CLG_PARAM_NICS,
                                       CLG_PARAM_STACK, CLG_PARAM_KERNELS, CLG_PARAM_NETWORK};
    const char *gpu = session->request.value[CLG_PARAM_GPU];
    const char *flags =
        clg_arena_print(session->arena, " --gpu %s",
                        quoted(session->arena, gpu ? gpu : scenario->machine.gpu.name));
    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++)
        if (session->request.value[params[i]])
            flags = clg_arena_print(session->arena, "%s --%s %s", flags,
                                    clg_param_row_of(params[i]).flag,
                                    quoted(session->arena, session->request.value[params[i]]));
    return flags;
}

static void wrote(clg_session *session, const char *path) {
    if (!clg_session_has(session, CLG_PARAM_JSON))
        clg_text_print(&session->out, "wrote    %s\n", path);
}

/* What starts one run of steps, by the trainer of --launch. */
static clg_status write_run(clg_session *session, const clg_measure_ask *ask,
                            const clg_measurement *m, const char *folder, clg_error *error) {
    int trainer;
    if (clg_planning_trainer(session, &trainer, error) != CLG_OK || trainer < 0)
        return error->status;
    clg_scenario *scenario = clg_take(session->arena, 1, clg_scenario);
    *scenario = *ask->scenario;
    scenario->machine.gpus = m->gpus;
    clg_launch launch = clg_launch_of(session->arena, trainer, scenario, &m->layout);
    if (launch.refused)
        return clg_fail(error, CLG_BAD_INPUT, "choose another trainer, or none",
                        "%s is not written for this plan: %s", clg_trainer_names[trainer].name,
                        launch.refused);
    folder =
        clg_arena_print(session->arena, "%s/%s", folder, clg_measure_folder(session->arena, m));
    if (clg_folder_make(folder, error) != CLG_OK) return error->status;
    for (int i = 0; i < launch.files; i++) {
        const char *path = clg_arena_print(session->arena, "%s/%s", folder, launch.name[i]);
        if (clg_file_write(path, &launch.text[i], error) != CLG_OK) return error->status;
        wrote(session, path);
    }
    return CLG_OK;
}

static clg_status write_files(clg_session *session, const clg_measure_ask *ask,
                              const clg_agenda *agenda, clg_error *error) {
    const char *folder = session->request.value[CLG_PARAM_OUT];
    clg_measure_files files =
        clg_measure_files_of(session->arena, ask, agenda, machine_flags(session, ask->scenario));
    if (clg_folder_make(folder, error) != CLG_OK) return error->status;
    for (int i = 0; i < files.count; i++) {
        const char *path = clg_arena_print(session->arena, "%s/%s", folder, files.name[i]);
        if (clg_file_write(path, &files.text[i], error) != CLG_OK) return error->status;
        wrote(session, path);
    }
    for (int i = 0; i < agenda->count; i++)
        if (agenda->chosen[i].kind == CLG_MEASURE_STEP &&
            write_run(session, ask, &agenda->chosen[i], folder, error) != CLG_OK)
            return error->status;
    if (!clg_session_has(session, CLG_PARAM_JSON))
        clg_text_print(&session->out, "then     cd %s && bash measure.sh && %s\n",
                       quoted(session->arena, folder), files.fit);
    return CLG_OK;
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_measure_answer *a = clg_take(session->arena, 1, clg_measure_answer);
    clg_question question = clg_asked_question(session);
    if (clg_planning_request(session, true, error) != CLG_OK ||
        session->command->answer(&question, a, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    clg_asked_print(session, a);
    if (!clg_session_has(session, CLG_PARAM_OUT) || a->agenda.count == 0) return CLG_OK;
    return write_files(session, &a->ask, &a->agenda, error);
}

extern const clg_command clg_command_measure;

const clg_tool clg_tool_measure = {.about = &clg_command_measure, .run = run};
