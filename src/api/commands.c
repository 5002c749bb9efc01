/* commands.c -- the commands that the core answers, and what each takes. */
#include "api/command.h"

#include "base/letters.h"
#include "dataset/kept.h"
#include "model/preset.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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
    const char *preset = *word ? clg_model_named(arena, word) : NULL;
    request->model_file = (clg_attachment){0};
    request->model = *word ? word : NULL; /* it may say the format of weights */
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

static clg_json_writes *json_of(const clg_command *command, clg_form form) {
    return form == CLG_FORM_JSON      ? command->json
           : form == CLG_FORM_REASONS ? command->reasons
                                      : NULL;
}

bool clg_command_writes(const clg_command *command, clg_form form) {
    return command->form[form] || json_of(command, form);
}

void clg_command_write(const clg_command *command, clg_form form, const void *answer,
                       clg_text *out) {
    clg_json_writes *json = json_of(command, form);
    if (!json) {
        command->form[form](out, answer);
        return;
    }
    json(&(clg_json_writer){.text = out, .pretty = true}, answer);
    clg_text_print(out, "\n");
}

static bool has(const clg_param *list, clg_param param) {
    for (; list && *list != CLG_PARAMS; list++)
        if (*list == param) return true;
    return false;
}

bool clg_command_asks(const clg_command *command, clg_param param) {
    return (command->groups & (1u << clg_param_row_of(param).group)) || has(command->knobs, param);
}

clg_status clg_command_lone(const clg_command *command, const clg_request *request,
                            clg_error *error) {
    return command->by_row ? CLG_OK : clg_request_lone(request, error);
}

/* What is never text has one form, and no flags to choose one or to colour it. */
static bool is_shown_by(const clg_command *command, clg_param param) {
    if (!command->form[CLG_FORM_TEXT]) return false;
    for (int form = 0; form < CLG_FORMS; form++)
        if (flag_of_form[form] == param && clg_command_writes(command, (clg_form)form)) return true;
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

enum { FLAGS_NEAR = 3, SHORTEST_WORD = 3 };

static bool begins_with(const char *text, const char *word, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (tolower((unsigned char)text[i]) != tolower((unsigned char)word[i])) return false;
    return true;
}

/* Whether `help` has `word` as a whole one, with or without an s at its end. */
static bool speaks_of(const char *help, const char *word) {
    size_t size = strlen(word);
    if (word[size - 1] == 's') size--;
    for (const char *at = help; *at; at += strcspn(at, " "), at += strspn(at, " (")) {
        if (!begins_with(at, word, size)) continue;
        const char *end = at + size;
        if (!clg_is_letter(end[*end == 's'])) return true;
    }
    return false;
}

/* Those near a flag that is none of the `count` names of `params`: "pipeline-model-parallel-size"
 * is --pp, whose help begins so; "users" is --clients, whose help speaks of them. */
static int flags_near(const clg_command *command, const clg_param *params, const char *const *names,
                      int count, const char *flag, const char **near) {
    int found = 0;
    size_t size = strcspn(flag, "-_");
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : 0), flag);
    size = strlen(word);
    for (int begins = 1; begins >= 0 && found == 0 && size >= SHORTEST_WORD; begins--)
        for (int i = 0; i < count && found < FLAGS_NEAR; i++) {
            const char *help = clg_command_row(command, params[i]).help;
            if (begins ? begins_with(help, word, size) : speaks_of(help, word))
                near[found++] = names[i];
        }
    return found > 0 ? found : clg_name_near(names, count, flag, near, FLAGS_NEAR);
}

const char *clg_command_word(clg_arena *arena, const char *const *names, int count,
                             const char *flag) {
    clg_csv csv = clg_dataset_csv(arena, "flag-words.csv");
    for (int i = 0; i < csv.rows; i++) {
        const char *word = clg_csv_field(&csv, i, "word"), *is = clg_csv_field(&csv, i, "flag");
        if (clg_name_same(&word, 1, flag) && clg_name_same(names, count, is))
            return clg_csv_field(&csv, i, "mend");
    }
    return NULL;
}

const char *clg_command_instead(clg_arena *arena, const char *name) {
    clg_csv csv = clg_dataset_csv(arena, "command-words.csv");
    for (int i = 0; i < csv.rows; i++)
        if (clg_name_same(&csv.row[i].field[0], 1, name)) return csv.row[i].field[1];
    return NULL;
}

/* Who takes a flag that `command` does not: "'ceiling plan' and 'ceiling explain' do". */
static void others_taking(const clg_command *command, const char *flag, char *out, size_t size) {
    int param = clg_param_find(flag), found = 0;
    size_t used = (size_t)snprintf(out, size, "see 'ceiling %s --help'", command->name);
    for (const clg_command *const *c = clg_commands_answered(); *c && param >= 0; c++)
        if (clg_command_asks(*c, (clg_param)param) && found < FLAGS_NEAR && used < size) {
            if (found == 0) used = 0;
            used += (size_t)snprintf(out + used, size - used, "%s'ceiling %s'", found++ ? ", " : "",
                                     (*c)->name);
        }
    if (found > 0 && used < size)
        snprintf(out + used, size - used, found > 1 ? " take it" : " takes it");
}

int clg_command_param(const clg_command *command, const char *flag, bool shown, clg_error *error) {
    clg_param params[CLG_PARAMS];
    const char *names[CLG_PARAMS], *near[FLAGS_NEAR];
    int count = 0;
    for (int p = 0; p < CLG_PARAMS; p++) {
        clg_param param = (clg_param)p;
        if (!(shown ? clg_command_takes(command, param) : clg_command_asks(command, param)))
            continue;
        names[count] = clg_param_row_of(param).flag;
        if (strcmp(names[count], flag) == 0) return p;
        params[count++] = param;
    }
    char mend[160], help[160];
    clg_name_ask(near, flags_near(command, params, names, count, flag, near), "--", mend,
                 sizeof mend);
    others_taking(command, flag, help, sizeof help);
    clg_arena arena = {0};
    const char *word = clg_command_word(&arena, names, count, flag);
    clg_fail(error, CLG_BAD_USAGE,
             word    ? word
             : *mend ? mend
                     : help,
             "'%s' takes no --%.64s", command->name, flag);
    clg_arena_clear(&arena);
    return -1;
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
