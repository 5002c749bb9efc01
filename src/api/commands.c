/* commands.c -- the commands that the core answers, and what each takes. */
#include "api/command.h"

#include "model/preset.h"

#define ASKED(name) extern const clg_command clg_command_##name;
#define READ(name) ASKED(name)
#define LOCAL(name)
#include "api/commands.def"

#define ASKED(name) &clg_command_##name,
#define READ(name) ASKED(name)
#define LOCAL(name)
static const clg_command *const answered[] = {
#include "api/commands.def"
    NULL};

const clg_command *const *clg_commands_answered(void) { return answered; }

static const clg_view views[] = {
    {"timeline", "the step of one layout as a trace for ui.perfetto.dev", &clg_command_explain,
     CLG_FORM_TIMELINE},
    {"why", "what undoing each choice costs, what would move the step, the flags of trainers",
     &clg_command_explain, CLG_FORM_REASONS},
    {NULL, NULL, NULL, CLG_FORM_JSON}};

const clg_view *clg_views(void) { return views; }

clg_status clg_command_model(clg_arena *arena, const clg_model_files *files, const char *word,
                             clg_request *request, clg_error *error) {
    const char *preset = *word ? clg_request_preset(arena, word) : NULL;
    request->model_file = (clg_attachment){0};
    request->model = preset ? preset : *word ? word : NULL;
    if (preset || !files->read || !clg_request_is_path(word)) return CLG_OK;
    return files->read(files->context, word, &request->model_file, error);
}

bool clg_command_has_model(const clg_command *command) {
    return command->subject != CLG_SUBJECT_NONE && command->subject != CLG_SUBJECT_RECORDINGS &&
           command->subject != CLG_SUBJECT_FILES;
}

/* Text is what is written where no flag says otherwise, reasons only the page asks for. */
static const clg_param flag_of_form[CLG_FORMS] = {
    [CLG_FORM_TEXT] = CLG_PARAMS,
    [CLG_FORM_JSON] = CLG_PARAM_JSON,
    [CLG_FORM_CSV] = CLG_PARAM_CSV,
    [CLG_FORM_SVG] = CLG_PARAM_SVG,
    [CLG_FORM_TIMELINE] = CLG_PARAM_TIMELINE,
    [CLG_FORM_NUMBER] = CLG_PARAM_WHY,
    [CLG_FORM_METRICS] = CLG_PARAM_METRICS,
    [CLG_FORM_REASONS] = CLG_PARAMS,
};

clg_param clg_form_flag(clg_form form) { return flag_of_form[form]; }

static bool has(const clg_param *list, clg_param param) {
    for (; list && *list != CLG_PARAMS; list++)
        if (*list == param) return true;
    return false;
}

bool clg_command_asks(const clg_command *command, clg_param param) {
    return (command->groups & (1u << clg_param_row_of(param).group)) || has(command->knobs, param);
}

/* What is never text has one form, and no flags to choose one or to colour it. */
static bool is_shown_by(const clg_command *command, clg_param param) {
    if (!command->form[CLG_FORM_TEXT]) return false;
    for (int form = 0; form < CLG_FORMS; form++)
        if (command->form[form] && flag_of_form[form] == param) return true;
    return param == CLG_PARAM_COLOR ||
           (param == CLG_PARAM_LAUNCH && (command->chosen || command->started));
}

bool clg_command_takes(const clg_command *command, clg_param param) {
    return clg_command_asks(command, param) || has(command->local, param) ||
           is_shown_by(command, param);
}

clg_param_row clg_command_row(const clg_command *command, clg_param param) {
    clg_param_row row = clg_param_row_of(param);
    for (const clg_own_words *own = command->words; own && own->param != CLG_PARAMS; own++) {
        if (own->param != param) continue;
        if (own->argument) row.argument = own->argument;
        if (own->help) row.help = own->help;
        if (own->fallback) row.fallback = own->fallback, row.typed = false;
    }
    return row;
}

static bool takes_a_job(const clg_command *command) {
    return command->subject == CLG_SUBJECT_MODEL || command->subject == CLG_SUBJECT_JOB;
}

bool clg_command_has_files(const clg_command *command) {
    return takes_a_job(command) || command->subject == CLG_SUBJECT_FILES;
}

int clg_command_least(const clg_command *command) {
    return takes_a_job(command) ? 1 : command->least;
}

int clg_command_most(const clg_command *command) {
    return takes_a_job(command) ? CLG_JOB_OPERANDS : command->most;
}

bool clg_command_first_words(const clg_command *command, clg_text *text) {
    if (command->first_words) return command->first_words(text), true;
    if (!takes_a_job(command)) return false;
    int count;
    const char *const *names = clg_model_names(text->arena, &count);
    for (int i = 0; i < count; i++) clg_text_print(text, "%s ", names[i]);
    return true;
}
