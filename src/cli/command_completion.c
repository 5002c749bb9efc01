/* command_completion.c -- what shells propose, from the descriptors and api/params.def. */
#include "api/knobs.h"
#include "cli/tool.h"

#include <string.h>

/* ---- bash ---- */

/* One branch of a shell's case: a word, and what may be typed then. */
static void bash_flag(clg_text *text, clg_param param) {
    int count;
    const clg_choice *choice = clg_knob_choices(text->arena, param, &count);
    if (count == 0) return;
    clg_text_print(text, "  --%s) words=\"", clg_param_row_of(param).flag);
    for (int i = 0; i < count; i++) clg_text_print(text, "%s ", choice[i].name);
    clg_text_print(text, "\" ;;\n");
}

static void bash_command(clg_text *text, const clg_command *command) {
    clg_text_print(text, "  %s) words=\"--help ", command->name);
    for (int p = 0; p < CLG_PARAMS; p++)
        if (clg_command_takes(command, (clg_param)p))
            clg_text_print(text, "--%s ", clg_param_row_of((clg_param)p).flag);
    clg_command_first_words(command, text);
    clg_text_print(text, "\" ;;\n");
}

/* What the word before asks for, else what the command takes; files where neither has it. */
static void complete_bash(clg_text *text) {
    clg_text_print(text,
                   "# bash completion of ceiling: source <(ceiling completion)\n_ceiling() {\n"
                   "  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
                   "  if [ \"$COMP_CWORD\" = 1 ]; then words=\"");
    for (const clg_tool *const *t = clg_tools(); *t; t++)
        clg_text_print(text, "%s ", (*t)->about->name);
    clg_text_print(text, "\"; fi\n  case ${COMP_WORDS[COMP_CWORD - 1]} in\n");
    for (int p = 0; p < CLG_PARAMS; p++) bash_flag(text, (clg_param)p);
    clg_text_print(text, "  esac\n  [ -n \"$words\" ] || case ${COMP_WORDS[1]} in\n");
    for (const clg_tool *const *t = clg_tools(); *t; t++) bash_command(text, (*t)->about);
    clg_text_print(text, "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                         "  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n"
                         "}\ncomplete -o filenames -F _ceiling ceiling\n");
}

/* ---- zsh ---- */

/* Between single quotes, with `guarded` behind a backslash, as names before a colon want it. */
static void quote(clg_text *text, const char *body, const char *guarded) {
    for (; *body; body++) {
        if (*body == '\'') {
            clg_text_print(text, "'\\''");
            continue;
        }
        if (strchr(guarded, *body)) clg_text_print(text, "\\");
        clg_text_add(text, body, 1);
    }
}

/* 'name:what it is' */
static void zsh_item(clg_text *text, const char *name, const char *title) {
    clg_text_print(text, " '");
    quote(text, name, ":\\");
    if (title) clg_text_print(text, ":");
    if (title) quote(text, title, "\\");
    clg_text_print(text, "'");
}

static void zsh_flag(clg_text *text, clg_param param) {
    int count;
    const clg_choice *choice = clg_knob_choices(text->arena, param, &count);
    if (count == 0) return;
    clg_text_print(text, "  --%s) all=(", clg_param_row_of(param).flag);
    for (int i = 0; i < count; i++) zsh_item(text, choice[i].name, choice[i].title);
    clg_text_print(text, ") ;;\n");
}

static void zsh_command(clg_text *text, const clg_command *command) {
    clg_text_print(text, "  %s) flags=(help", command->name);
    for (int p = 0; p < CLG_PARAMS; p++)
        if (clg_command_takes(command, (clg_param)p))
            clg_text_print(text, " %s", clg_param_row_of((clg_param)p).flag);
    clg_text_print(text, "); all=(");
    clg_command_first_words(command, text);
    clg_text_print(text, ") ;;\n");
}

/* Ends as files of $fpath do: called there, and made known where it is sourced. */
static void complete_zsh(clg_text *text) {
    clg_text_print(text,
                   "#compdef ceiling\n# zsh completion of ceiling: source <(ceiling completion "
                   "zsh)\n_ceiling() {\n  local -a all flags\n  local -A said\n  local flag\n"
                   "  if (( CURRENT == 2 )); then\n    all=(");
    for (const clg_tool *const *t = clg_tools(); *t; t++)
        zsh_item(text, (*t)->about->name, (*t)->about->summary);
    clg_text_print(text, ")\n    _describe command all\n    return\n  fi\n"
                         "  case ${words[CURRENT-1]} in\n");
    for (int p = 0; p < CLG_PARAMS; p++) zsh_flag(text, (clg_param)p);
    clg_text_print(text, "  esac\n  if (( $#all )); then\n    _describe value all || _files\n"
                         "    return\n  fi\n  case ${words[2]} in\n");
    for (const clg_tool *const *t = clg_tools(); *t; t++) zsh_command(text, (*t)->about);
    clg_text_print(text, "  esac\n  said=(help 'what it takes'");
    for (int p = 0; p < CLG_PARAMS; p++) {
        clg_text_print(text, "\n    %s '", clg_param_row_of((clg_param)p).flag);
        quote(text, clg_param_row_of((clg_param)p).help, "\\");
        clg_text_print(text, "'");
    }
    clg_text_print(
        text, ")\n  if [[ ${words[CURRENT]} == -* ]]; then\n    all=()\n"
              "    for flag in $flags; do all+=(\"--$flag:${said[$flag]}\"); done\n"
              "    _describe flag all\n    return\n  fi\n"
              "  (( $#all )) && _describe operand all\n  _files\n}\n"
              "if [[ $funcstack[1] == _ceiling ]]; then _ceiling \"$@\"; else compdef _ceiling "
              "ceiling; fi\n");
}

/* ---- fish ---- */

static void fish_quoted(clg_text *text, const char *body) {
    clg_text_print(text, "'");
    for (; *body; body++) {
        if (*body == '\'' || *body == '\\') clg_text_print(text, "\\");
        clg_text_add(text, body, 1);
    }
    clg_text_print(text, "'");
}

/* The commands that take it, and what it may be; files too where it may be anything. */
static void fish_flag(clg_text *text, clg_param param) {
    int count;
    clg_param_row row = clg_param_row_of(param);
    clg_text words = {.arena = text->arena};
    const clg_choice *choice = clg_knob_choices(text->arena, param, &count);
    clg_text_print(text, "complete -c ceiling -n '__ceiling_is");
    for (const clg_tool *const *t = clg_tools(); *t; t++)
        if (clg_command_takes((*t)->about, param)) clg_text_print(text, " %s", (*t)->about->name);
    clg_text_print(text, "' -l %s%s -d ", row.flag, row.kind == CLG_KIND_SWITCH ? "" : " -r");
    fish_quoted(text, row.help);
    for (int i = 0; i < count; i++) {
        clg_text_print(&words, "%s%s", i ? " " : "", choice[i].name);
        if (choice[i].title) clg_text_print(&words, "\\t");
        if (choice[i].title) fish_quoted(&words, choice[i].title);
    }
    if (count > 0) clg_text_print(text, " -a ");
    if (count > 0) fish_quoted(text, words.data);
    clg_text_print(text, "\n");
}

static void complete_fish(clg_text *text) {
    clg_text_print(text,
                   "# fish completion of ceiling: ceiling completion fish | source\n"
                   "function __ceiling_is\n  set -l said (commandline -opc)\n"
                   "  test (count $said) -ge 2; and contains -- $said[2] $argv\nend\n"
                   "function __ceiling_first\n  test (count (commandline -opc)) -eq 1\nend\n");
    for (const clg_tool *const *t = clg_tools(); *t; t++) {
        const clg_command *command = (*t)->about;
        clg_text_print(text, "complete -c ceiling -n __ceiling_first -f -a %s -d ", command->name);
        fish_quoted(text, command->summary);
        clg_text_print(text, "\n");
        clg_text words = {.arena = text->arena};
        if (!clg_command_first_words(command, &words)) continue;
        clg_text_print(text, "complete -c ceiling -n '__ceiling_is %s' -a '%s'\n", command->name,
                       words.data);
    }
    clg_text_print(text, "complete -c ceiling -l help -d 'what it takes'\n");
    for (int p = 0; p < CLG_PARAMS; p++) fish_flag(text, (clg_param)p);
}

static const struct {
    const char *name;
    void (*write)(clg_text *text);
} shells[] = {{"bash", complete_bash}, {"zsh", complete_zsh}, {"fish", complete_fish}};

static clg_status run(clg_session *session, clg_error *error) {
    const char *wanted = session->operands > 0 ? session->operand[0] : "bash";
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(shells[i].name, wanted) == 0) {
            shells[i].write(&session->out);
            return CLG_OK;
        }
    return clg_fail(error, CLG_BAD_USAGE, "bash, zsh and fish are",
                    "'%.32s' is no shell known here", wanted);
}

static void names(clg_text *text) {
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        clg_text_print(text, "%s ", shells[i].name);
}

const clg_tool clg_tool_completion = {
    .about = &(const clg_command){.name = "completion",
                                  .operands = "[SHELL]",
                                  .summary = "for bash, zsh or fish: source <(ceiling completion)",
                                  .details = "bash: source <(ceiling completion); zsh: source "
                                             "<(ceiling completion zsh) after compinit; fish: "
                                             "ceiling completion fish | source.",
                                  .most = 1,
                                  .first_words = names},
    .run = run};
