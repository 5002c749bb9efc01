/* help.c -- help and man page, from the descriptors and api/params.def. */
#include "base/version.h"
#include "cli/tool.h"

void clg_help_program(clg_text *text) {
    clg_text_print(text,
                   "ceiling %s -- how far adding GPUs gets you\n\nusage: ceiling COMMAND "
                   "[OPERAND...] [--FLAG VALUE...]\n\n",
                   CLG_VERSION);
    for (const clg_tool *const *t = clg_tools(); *t; t++) {
        size_t from = text->size;
        clg_text_print(text, "  %-10s %-17s %s\n", (*t)->about->name, (*t)->about->operands,
                       (*t)->about->summary);
        clg_text_fold(text, from, 31);
    }
    clg_text_print(text, "\n'ceiling COMMAND --help' says more. Quantities carry units: 400Gbit/s, "
                         "2.5USD/h, 4Mtok, 30d.\n");
}

static void print_knob(clg_text *text, clg_param_row row) {
    enum { BODY = 30 };
    size_t from = text->size;
    clg_text_print(text, "  --%s%s%s", row.flag, row.argument[0] ? " " : "", row.argument);
    int column = (int)(text->size - from);
    if (column >= BODY) {
        clg_text_print(text, "\n");
        from = text->size;
        column = 0;
    }
    clg_text_print(text, "%*s%s%s%s%s\n", BODY - column, "", row.help, row.fallback[0] ? " [" : "",
                   row.fallback, row.fallback[0] ? "]" : "");
    clg_text_fold(text, from, BODY);
}

static void print_knobs(clg_text *text, const clg_command *command) {
    int group = -1;
    for (int p = 0; p < CLG_PARAMS; p++) {
        if (!clg_command_takes(command, (clg_param)p)) continue;
        clg_param_row row = clg_command_row(command, (clg_param)p);
        if ((int)row.group != group)
            clg_text_print(text, "\n%s\n", clg_param_group_title(row.group));
        group = (int)row.group;
        print_knob(text, row);
    }
}

void clg_help_command(clg_text *text, const clg_command *command) {
    bool flags = false;
    for (int p = 0; p < CLG_PARAMS; p++) flags = flags || clg_command_takes(command, (clg_param)p);
    clg_text_print(text, "usage: ceiling %s%s%s%s\n\n", command->name,
                   command->operands[0] ? " " : "", command->operands,
                   flags ? " [--FLAG VALUE...]" : "");
    size_t from = text->size;
    clg_text_print(text, "%s\n", command->summary);
    if (command->details) clg_text_print(text, "\n%s\n", command->details);
    clg_text_fold(text, from, 0);
    print_knobs(text, command);
    if (command->example) clg_text_print(text, "\nexample\n  %s\n", command->example);
}

/* roff wants its dots and hyphens guarded. */
static void roff(clg_text *text, const char *body) {
    for (; *body; body++) {
        if (*body == '-' || *body == '\\') clg_text_print(text, "\\");
        if (*body == '\'') {
            clg_text_print(text, "\\(aq");
            continue;
        }
        clg_text_add(text, body, 1);
    }
}

static void man_knob(clg_text *text, clg_param_row row) {
    clg_text_print(text, ".TP\n.BI \\-\\-");
    roff(text, row.flag);
    clg_text_print(text, " \" %s\"\n", row.argument);
    roff(text, row.help);
    if (row.fallback[0]) {
        clg_text_print(text, " [");
        roff(text, row.fallback);
        clg_text_print(text, "]");
    }
    clg_text_print(text, "\n");
}

static void man_command(clg_text *text, const clg_command *command) {
    clg_text_print(text, ".SS \"%s %s\"\n", command->name, command->operands);
    roff(text, command->summary);
    clg_text_print(text, "\n");
    if (command->details) {
        clg_text_print(text, ".PP\n");
        roff(text, command->details);
        clg_text_print(text, "\n");
    }
    for (const clg_own_words *own = command->words; own && own->param != CLG_PARAMS; own++)
        man_knob(text, clg_command_row(command, own->param));
    if (!command->example) return;
    clg_text_print(text, ".PP\n.B ");
    roff(text, command->example);
    clg_text_print(text, "\n");
}

void clg_help_man(clg_text *text) {
    clg_text_print(text,
                   ".TH CEILING 1 \"\" \"ceiling %s\"\n.SH NAME\nceiling \\- how far adding GPUs "
                   "gets you\n.SH SYNOPSIS\n.B ceiling\n.I COMMAND\n[OPERAND...] [\\-\\-FLAG "
                   "VALUE...]\n.SH COMMANDS\n",
                   CLG_VERSION);
    for (const clg_tool *const *t = clg_tools(); *t; t++) man_command(text, (*t)->about);
    clg_text_print(text, ".SH FLAGS\n");
    for (int p = 0; p < CLG_PARAMS; p++) man_knob(text, clg_param_row_of((clg_param)p));
    clg_text_print(text, ".SH EXIT STATUS\n0 an answer was given, 1 the input was bad, 2 the usage "
                         "was bad, 3 a check failed\n");
}
