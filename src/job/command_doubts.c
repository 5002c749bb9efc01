/* command_doubts.c -- what to look at in the command that a script was read to run. */
#include "job/reading.h"
#include "job/shell.h"

#include <string.h>

static const char *at_place(clg_reading *r, int32_t place) {
    int file = place / CLG_SHELL_LINES;
    const char *name = file >= 0 && file < r->file_count ? r->files[file].name : "script";
    return clg_arena_print(r->arena, "%s:%d", clg_job_base_name(name),
                           (int)(place % CLG_SHELL_LINES));
}

/* Commands that start one program with different arguments. */
void clg_command_says_others(clg_reading *r, const char *program, int others, int line, int file) {
    if (others == 0) return;
    clg_job_note_down(r->arena, &r->job->doubts, "command",
                      at_place(r, (int32_t)((file - 1) * CLG_SHELL_LINES + line)),
                      clg_arena_print(r->arena,
                                      "%d more command%s start%s %s otherwise: only the one here "
                                      "is read; give the others as files of their own",
                                      others, others > 1 ? "s" : "", others > 1 ? "" : "s",
                                      program),
                      -1);
}

/* "--data-path": what an array behind it holds are no flags. */
static bool is_data(const clg_rich *word) {
    return word->size > 6 && memcmp(word->text, "--data", 6) == 0;
}

/* Whether the command has a word that is this unset array and nothing else. */
static bool stands_in(const clg_shell_command *command, const clg_shell_unset *unset) {
    for (int i = 0; i < command->words; i++) {
        const clg_rich *word = &command->word[i];
        if (i > 0 && is_data(word - 1)) continue;
        if (word->size == 1 && word->text[0] == CLG_TREE_UNSET && word->place[0] == unset->place)
            return true;
    }
    return false;
}

/* "${MODEL_ARGS[@]}" that a file sets which is not here: its flags are not known, and defaults
 * stand in. */
void clg_command_lacks(clg_reading *r, const clg_shell *s, const clg_shell_command *command) {
    for (int i = 0; i < s->unsets; i++)
        if (stands_in(command, &s->unset[i]))
            clg_job_note_down(r->arena, &r->job->doubts, s->unset[i].name,
                              at_place(r, s->unset[i].place),
                              "none of these files sets this array: defaults stand for the flags "
                              "in it; give the file that sets it",
                              -1);
}

void clg_command_decided(clg_reading *r, const clg_shell *s) {
    if (!s->decided_by) return;
    clg_job_note_down(r->arena, &r->job->doubts, "argument", at_place(r, s->decided_at),
                      clg_arena_print(r->arena,
                                      "a condition asks for $%d of the script, which nobody gives: "
                                      "taken as empty; set it above for another branch",
                                      s->decided_by),
                      -1);
}
