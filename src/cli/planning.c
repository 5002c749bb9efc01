/* planning.c -- what planning commands share: reading the model and the files of a job, writing
 * those that start one. */
#include "cli/planning.h"

#include "api/jobs.h"
#include "base/letters.h"
#include "cli/job_files.h"
#include "cli/page.h"
#include "job/launch.h"
#include "model/preset.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "meta-llama/Meta-Llama-3-8B", an owner's model on Hugging Face, and no file with an ending. */
static bool is_of_hub(const char *word) {
    const char *slash = strchr(word, '/'), *dot = strrchr(word, '.');
    if (!slash || slash == word || strchr(slash + 1, '/') || word[0] == '.' || word[0] == '~')
        return false;
    return !dot || clg_is_digit(dot[1]);
}

/* A path that no file has: "meta-llama/Llama-3.1-70B" names a preset, "Qwen/Qwen-9B" none. */
static clg_status read_absent(clg_session *session, const char *word, clg_error *error) {
    clg_request *request = &session->request;
    bool hub = is_of_hub(word);
    const char *preset = clg_model_named(session->arena, word) ? word : NULL;
    const char *within = preset ? NULL : clg_job_preset_in(session->arena, word);
    if (!preset && hub) preset = within;
    if (!preset && !hub && within)
        snprintf(error->mend, sizeof error->mend, "check the path; or did you mean %.60s?", within);
    if (!preset && !hub) return CLG_BAD_INPUT;
    *error = (clg_error){0};
    request->model_file = (clg_attachment){0};
    request->model = preset;
    if (preset) return CLG_OK;
    clg_model none;
    return clg_model_find(session->arena, word, &none, error);
}

static clg_status read_model(clg_session *session, const char *word, clg_error *error) {
    clg_request *request = &session->request;
    const char *within = clg_arena_print(session->arena, "%s/config.json", word);
    bool folder = access(clg_arena_print(session->arena, "%s/.", word), F_OK) == 0;
    if (access(within, F_OK) == 0) word = within; /* a model's folder */
    request->model = word;
    bool named = !folder || clg_model_named(session->arena, word);
    if (strcmp(word, "-") != 0 && !clg_request_is_path(word) && named) return CLG_OK;
    if (clg_file_attach(session->arena, word, CLG_CONFIG_BYTES, &request->model_file, error) ==
        CLG_OK)
        return CLG_OK;
    return clg_file_absent(word) ? read_absent(session, word, error) : CLG_BAD_INPUT;
}

static clg_status read_job(clg_session *session, const char *const *paths, int count, bool layout,
                           clg_error *error) {
    clg_attachment *file = clg_take(session->arena, (size_t)count, clg_attachment);
    session->request.job_file = file;
    for (int i = 0; i < count; i++)
        if (clg_file_attach(session->arena, paths[i], CLG_JOB_BYTES, &file[i], error) != CLG_OK)
            return error->status;
    session->request.job_files = count;
    bool serving = clg_command_takes(session->command, CLG_PARAM_ENGINE);
    return clg_request_files(session->arena, &session->request, layout, serving, error);
}

static clg_status refuse_second(const clg_session *session, const char *word, clg_error *error) {
    bool serves = clg_command_takes(session->command, CLG_PARAM_TRACE);
    return clg_fail(error, CLG_BAD_USAGE,
                    serves
                        ? "requests are --trace FILE; several models 'ceiling fleet models.csv'; "
                          "--compare-gpus takes no value; a value of two words in quotes"
                        : "name one model and files of a job; a value of two words in quotes",
                    "'%.64s' is one argument too many", word);
}

clg_status clg_planning_request(clg_session *session, bool layout, clg_error *error) {
    const char *file[CLG_JOB_OPERANDS], *model = NULL;
    int files = 0;
    for (int i = 0; i < session->operands; i++) {
        const char *word = session->operand[i];
        if (clg_job_files_is(session, word) && files < CLG_JOB_OPERANDS)
            file[files++] = word;
        else if (model)
            return refuse_second(session, word, error);
        else
            model = word;
    }
    if (model && read_model(session, model, error) != CLG_OK) return error->status;
    return files > 0 ? read_job(session, file, files, layout, error) : CLG_OK;
}

/* Trainers or engines that --launch names for the command. */
static const clg_name *starters_of(const clg_session *session) {
    const clg_command *command = session->command;
    return command && command->starters ? command->starters : clg_trainer_names;
}

clg_status clg_planning_trainer(clg_session *session, int *trainer, clg_error *error) {
    const char *word = session->request.value[CLG_PARAM_LAUNCH];
    *trainer = -1;
    if (!word) return CLG_OK;
    return clg_name_value(starters_of(session), "trainer or engine", word, trainer, error);
}

static clg_status write_files(clg_session *session, const clg_launch *launch, clg_error *error) {
    const char *folder = session->request.value[CLG_PARAM_OUT];
    if (clg_folder_make(folder, error) != CLG_OK) return error->status;
    for (int i = 0; i < launch->files; i++) {
        const char *path = clg_arena_print(session->arena, "%s/%s", folder, launch->name[i]);
        if (clg_file_write(path, &launch->text[i], error) != CLG_OK) return error->status;
        if (clg_session_has(session, CLG_PARAM_JSON)) continue;
        clg_text_print(&session->out, "%s %s\n", i == 0 ? "\nwrote   " : "        ", path);
    }
    for (int i = 0; i < launch->saids && !clg_session_has(session, CLG_PARAM_JSON); i++)
        clg_text_print(&session->out, "note     %s\n", launch->said[i]);
    return CLG_OK;
}

clg_status clg_planning_launch(clg_session *session, int starter, const clg_launch *launch,
                               clg_error *error) {
    const clg_name *name = &starters_of(session)[starter];
    if (!session->request.value[CLG_PARAM_OUT] || clg_page_asked(session)) {
        if (!clg_session_has(session, CLG_PARAM_JSON))
            clg_launch_print(&session->out, name->help, launch);
        return CLG_OK;
    }
    if (!launch->refused) return write_files(session, launch, error);
    return clg_fail(error, CLG_BAD_INPUT, "choose another one, or a plan that it can run",
                    "%s is not written for this plan: %s", name->name, launch->refused);
}
