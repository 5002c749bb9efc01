/* command_help.c -- help, version, man: what the program says about itself. */
#include "base/version.h"
#include "cli/inflate.h"
#include "cli/tool.h"
#include "dataset/dataset.h"

static clg_status run_help(clg_session *session, clg_error *error) {
    if (session->operands == 0) {
        clg_help_program(&session->out);
        return CLG_OK;
    }
    const clg_tool *tool = clg_tool_find(session->operand[0], error);
    if (!tool) return CLG_BAD_USAGE;
    clg_help_command(&session->out, tool->about);
    return CLG_OK;
}

static clg_status run_version(clg_session *session, clg_error *error) {
    (void)error;
    int files;
    clg_dataset_files(&files);
    const char *library = clg_share_library(session->arena);
    clg_text_print(&session->out, "ceiling %s\n%d data files built in\n", CLG_VERSION, files);
    clg_text_print(&session->out, "traces by several processes: %s\n",
                   library ? library : "no, built without MPI");
    clg_text_print(&session->out, "compressed traces: %s\n",
                   clg_inflation_fast() ? "ISA-L" : "zlib, built without ISA-L");
    return CLG_OK;
}

static clg_status run_man(clg_session *session, clg_error *error) {
    (void)error;
    clg_help_man(&session->out);
    return CLG_OK;
}

const clg_tool clg_tool_help = {
    .about = &(const clg_command){.name = "help",
                                  .operands = "[COMMAND]",
                                  .summary = "what the commands are and take",
                                  .most = 1},
    .run = run_help};
const clg_tool clg_tool_version = {.about =
                                       &(const clg_command){.name = "version",
                                                            .operands = "",
                                                            .summary = "version and built-in data"},
                                   .run = run_version};
const clg_tool clg_tool_man = {
    .about = &(const clg_command){.name = "man",
                                  .operands = "",
                                  .summary = "the manual page: ceiling man | man -l -"},
    .run = run_man};
