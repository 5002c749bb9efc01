/* shell_words.c -- what a command does to reading: it sets, it runs another script, it is kept. */
#include "base/letters.h"
#include "job/reading.h"
#include "job/shell_runner.h"

#include <string.h>

enum { DEEPEST = 24 };

bool clg_shell_is_name(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (!clg_in_name(text[i])) return false;
    return size > 0 && !clg_is_digit(text[0]);
}

/* Length of NAME of NAME=..., NAME+=...; 0: none. */
size_t clg_shell_assigned(const char *text, size_t size, bool *more) {
    const char *equal = memchr(text, '=', size);
    if (!equal) return 0;
    size_t name = (size_t)(equal - text);
    *more = name > 1 && equal[-1] == '+';
    if (*more) name--;
    return clg_shell_is_name(text, name) ? name : 0;
}

/* "?.sh", where what is not known stands for "?": begins and ends as the name does. */
static bool may_be(const char *pattern, const char *name) {
    char open[3] = {CLG_TREE_UNKNOWN, CLG_TREE_UNSET, '\0'};
    size_t before = strcspn(pattern, open), size = strlen(name);
    const char *after = pattern + strlen(pattern);
    while (after > pattern + before && !strchr(open, after[-1])) after--;
    return strlen(after) > 1 && size > before + strlen(after) &&
           strncmp(pattern, name, before) == 0 && clg_ends(name, after);
}

/* Parts that two paths end with alike: 2 of "a/model/x.sh" and "b/model/x.sh". */
static int parts_alike(const char *a, const char *b) {
    size_t i = strlen(a), k = strlen(b);
    int parts = 0;
    while (i > 0 && k > 0 && a[i - 1] == b[k - 1]) {
        i--, k--;
        parts += a[i] == '/';
    }
    bool whole = (i == 0 || a[i - 1] == '/') && (k == 0 || b[k - 1] == '/');
    return parts + (whole && a[i] != '/');
}

/* Of files so called the one whose path is most alike, one that has not run before others; -1:
 * none. */
static int file_called(const clg_shell *s, const char *path) {
    const char *base = clg_job_base_name(path);
    int found = -1, most = -1;
    for (int i = 0; i < s->file_count; i++) {
        const char *name = s->files[i].name;
        if (!*path || strcmp(clg_job_base_name(name), base) != 0) continue;
        int alike = 2 * parts_alike(name, path) + (i >= 64 || !s->read[i]);
        if (alike > most) most = alike, found = i;
    }
    return found;
}

/* The job's file so called, or the one that may be; -1: none. */
static int file_named(const clg_shell *s, const char *path, bool sourced) {
    const char *base = clg_job_base_name(path);
    int found = file_called(s, path);
    if (found >= 0) return found;
    if (!sourced || !clg_tree_unknown_text(base)) return -1;
    for (int i = 0; i < s->file_count && i < 64; i++) {
        if (s->read[i] || !may_be(base, clg_job_base_name(s->files[i].name))) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

static void run_script(clg_shell *s, const clg_shell_script *script, int from) {
    if (s->depth >= DEEPEST) return;
    s->depth++;
    clg_shell_runner inner = {.s = s, .script = script, .at = from, .live = true};
    static const char *const body_end[] = {"}", ")", NULL};
    if (from > 0) {
        inner.at++;
        clg_runner_list(&inner, body_end);
    } else
        clg_runner_list(&inner, NULL);
    s->depth--;
}

static void run_with(clg_shell *s, const clg_shell_script *script, int from, clg_rich *word,
                     int words) {
    clg_rich *held = s->positional;
    int count = s->positionals;
    s->positional = word, s->positionals = words;
    run_script(s, script, from);
    s->positional = held, s->positionals = count;
}

static void run_other(clg_shell *s, int which, clg_rich *word, int words) {
    clg_shell_script *script = clg_take(s->arena, 1, clg_shell_script);
    if (s->depth >= 8) return;
    *script = clg_shell_tokens(s->arena, s->files[which].text, s->files[which].size, which, 1);
    if (which < 64) s->read[which] = true;
    if (script->open_line > 0 && s->open_line == 0)
        s->open_file = which, s->open_line = script->open_line;
    if (words > 0)
        run_with(s, script, 0, word, words);
    else
        run_script(s, script, 0);
}

void clg_shell_run_text(clg_shell *s, const char *text, size_t size, int32_t place) {
    clg_shell_script *script = clg_take(s->arena, 1, clg_shell_script);
    if (s->depth >= DEEPEST) return;
    *script = clg_shell_tokens(s->arena, clg_arena_copy(s->arena, text, size), size,
                               place / CLG_SHELL_LINES, place % CLG_SHELL_LINES);
    run_script(s, script, 0);
}

clg_rich clg_shell_said(clg_shell *s, const char *text, size_t size, int32_t place) {
    clg_rich said = {0}, *held = s->printed;
    s->printed = &said;
    clg_shell_run_text(s, text, size, place);
    s->printed = held;
    clg_rich_text(s, &said);
    return said;
}

/* One command inside $(...). */
static void say(clg_shell *s, clg_rich_list *w) {
    static const char *const options[] = {"-n", "-e", "-ne", NULL};
    int from = w->count > 1 && clg_is_one_of(clg_rich_text(s, &w->word[1]), options) ? 2 : 1;
    bool echo = strcmp(clg_rich_text(s, &w->word[0]), "echo") == 0;
    if (!echo) clg_rich_add(s, s->printed, &(char){CLG_TREE_UNKNOWN}, 1, 0);
    for (int i = from; echo && i < w->count; i++) {
        if (i > from) clg_rich_add(s, s->printed, " ", 1, 0);
        clg_rich_join(s, s->printed, &w->word[i]);
    }
}

static void record(clg_shell *s, clg_rich_list *words) {
    if (s->commands == (int)(sizeof s->command / sizeof s->command[0])) return;
    s->command[s->commands++] = (clg_shell_command){words->word, words->count};
}

/* A whole command as one word. */
static bool is_command(const char *text) {
    static const char *const first[] = {"python", "torchrun", "accelerate ", "deepspeed ", "bash ",
                                        "srun ",  "export ",  "cd ",         "composer "};
    while (*text == ' ' || *text == '\n') text++;
    for (size_t i = 0; strchr(text, ' ') && i < sizeof first / sizeof first[0]; i++)
        if (strncmp(text, first[i], strlen(first[i])) == 0) return true;
    return false;
}

/* "bcprun -c 'python train.py ...'", "sbatch --wrap '...'": what other launchers are to run. */
static bool run_handed(clg_shell *s, clg_rich_list *w) {
    static const char *const flags[] = {"-c", "--wrap", "--command", "--cmd", NULL};
    for (int i = 1; i + 1 < w->count; i++) {
        clg_rich *text = &w->word[i + 1];
        if (!clg_is_one_of(clg_rich_text(s, &w->word[i]), flags) ||
            strncmp(clg_job_base_name(clg_rich_text(s, &w->word[i - 1])), "python", 6) == 0 ||
            !is_command(clg_rich_text(s, text)))
            continue;
        clg_shell_run_text(s, clg_rich_text(s, text), text->size, text->size ? text->place[0] : 0);
        return true;
    }
    return false;
}

/* "bash -c TEXT" anywhere in it: that text is run as well. */
static bool run_quoted(clg_shell *s, clg_rich_list *w) {
    bool ran = false;
    for (int i = 0; i + 2 < w->count; i++) {
        const char *shell = clg_job_base_name(clg_rich_text(s, &w->word[i]));
        if (strcmp(shell, "bash") != 0 && strcmp(shell, "sh") != 0) continue;
        int k = i + 1; /* "-x -c", "-lc" */
        for (const char *flag; k + 1 < w->count; k++) {
            flag = clg_rich_text(s, &w->word[k]);
            if (flag[0] != '-' || flag[1] == '-')
                k = w->count;
            else if (strchr(flag, 'c'))
                break;
        }
        if (k + 1 >= w->count) continue;
        clg_rich *text = &w->word[k + 1];
        clg_shell_run_text(s, clg_rich_text(s, text), text->size, text->size ? text->place[0] : 0);
        ran = true;
    }
    return ran;
}

/* A script that this one has written before. */
static bool run_written(clg_shell *s, const char *path) {
    for (const clg_json *file = s->written->first; file; file = file->next) {
        if (strcmp(clg_job_base_name(file->key), clg_job_base_name(path)) != 0) continue;
        int32_t place = (file->column - 1) * CLG_SHELL_LINES + file->line;
        clg_shell_run_text(s, file->text, file->text_size, place);
        return true;
    }
    return false;
}

/* "bash other.sh a b", "srun other.sh": where that is one of the files. */
static bool run_named(clg_shell *s, clg_rich_list *w, int first) {
    for (int i = first; i < w->count; i++) {
        const char *word = clg_rich_text(s, &w->word[i]);
        if (!clg_ends(word, ".sh") && !clg_ends(word, ".sbatch") && !clg_ends(word, ".slurm"))
            continue;
        int which = file_named(s, word, false);
        if (which < 0) return run_written(s, word);
        run_other(s, which, w->word + i + 1, w->count - i - 1);
        return true;
    }
    return false;
}

static void declare(clg_shell_runner *r, clg_rich_list *w) {
    for (int i = 1; i < w->count; i++) {
        const char *word = clg_rich_text(r->s, &w->word[i]);
        bool more;
        size_t name = clg_shell_assigned(word, w->word[i].size, &more);
        if (name == 0) continue;
        clg_rich value = {0};
        for (size_t k = name + 1; k < w->word[i].size; k++)
            clg_rich_add(r->s, &value, word + k, 1, w->word[i].place[k]);
        clg_rich_text(r->s, &value);
        clg_shell_set(r->s, word, name, &value, 1, false);
    }
}

static void join_and_run(clg_shell *s, clg_rich_list *w) {
    clg_rich all = {0};
    for (int i = 1; i < w->count; i++) {
        clg_rich_join(s, &all, &w->word[i]);
        clg_rich_add(s, &all, " ", 1, 0);
    }
    clg_shell_run_text(s, clg_rich_text(s, &all), all.size, all.size ? all.place[0] : 0);
}

static void shift(clg_shell *s) {
    if (s->positionals > 0) s->positional++, s->positionals--;
}

/* "sbatch --nodes=4": the script finds so many, whatever its header says. */
static void allot(clg_shell *s, clg_rich_list *w) {
    static const char *const names[] = {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"};
    for (int i = 1; i < w->count; i++) {
        const char *word = clg_rich_text(s, &w->word[i]);
        bool glued = strncmp(word, "--nodes=", 8) == 0;
        if (!glued && strcmp(word, "--nodes") != 0 && strcmp(word, "-N") != 0) continue;
        if (!glued && i + 1 == w->count) return;
        clg_rich *from = &w->word[glued ? i : i + 1], value = {0};
        for (size_t k = glued ? 8 : 0; k < from->size; k++)
            clg_rich_add(s, &value, from->text + k, 1, from->place[k]);
        clg_rich_text(s, &value);
        if (!value.size || clg_tree_unknown_text(value.text)) return;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            clg_shell_set(s, names[k], strlen(names[k]), &value, 1, false);
        return;
    }
}

clg_shell_outcome clg_runner_words(clg_shell_runner *r, clg_rich_list *w) {
    static const char *const declaring[] = {"export",  "declare", "local", "readonly",
                                            "typeset", "env",     NULL};
    static const char *const shells[] = {"bash",      "sh",     "srun", "sbatch",   "mpirun",
                                         "mpiexec",   "nohup",  "exec", "torchrun", "singularity",
                                         "apptainer", "docker", "pdsh", "zsh",      NULL};
    clg_shell *s = r->s;
    const char *name = clg_rich_text(s, &w->word[0]);
    if (strcmp(name, "shift") == 0) shift(s);
    if (clg_is_one_of(name, declaring)) declare(r, w);
    if (strcmp(name, "true") == 0 || strcmp(name, ":") == 0) return CLG_SHELL_YES;
    if (strcmp(name, "false") == 0) return CLG_SHELL_NO;
    if (s->printed) {
        say(s, w);
        return CLG_SHELL_RAN;
    }
    if (strcmp(name, "eval") == 0) join_and_run(s, w);
    if ((strcmp(name, "source") == 0 || strcmp(name, ".") == 0) && w->count > 1) {
        int which = file_named(s, clg_rich_text(s, &w->word[1]), true);
        if (which >= 0) run_other(s, which, w->word + 2, w->count - 2);
        return CLG_SHELL_RAN;
    }
    for (int i = s->functions; i-- > 0;)
        if (strcmp(s->function[i].name, name) == 0) {
            run_with(s, s->function[i].script, s->function[i].from, w->word + 1, w->count - 1);
            return CLG_SHELL_RAN;
        }
    if (run_quoted(s, w) || run_handed(s, w)) {
        record(s, w); /* the launcher around it has flags of its own */
        return CLG_SHELL_RAN;
    }
    if (strcmp(name, "sbatch") == 0) allot(s, w);
    if (clg_is_one_of(clg_job_base_name(name), shells) && run_named(s, w, 1)) {
        record(s, w);
        return CLG_SHELL_RAN;
    }
    if (run_named(s, w, 0)) return CLG_SHELL_RAN;
    record(s, w);
    return CLG_SHELL_RAN;
}
clg_status clg_shell_run_file(clg_shell *s, int which) {
    run_other(s, which, NULL, 0);
    return s->stopped ? CLG_BAD_INPUT : CLG_OK;
}
