/* command.c -- the command that a script runs: its launcher, its program, its arguments. */
#include "job/reading.h"
#include "job/shell_runner.h"

#include "base/letters.h"
#include "base/text.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"

#include <string.h>

static bool is_config(const char *word) {
    return clg_ends(word, ".yaml") || clg_ends(word, ".yml") || clg_ends(word, ".toml") ||
           clg_ends(word, ".json");
}

/* The member of a list of data/trainer/launchers.json that is the word, or with which it begins;
 * NULL: none. */
static const char *listed(const clg_reading *r, const char *list, const char *word, bool begins) {
    const clg_json *all = clg_json_member(r->launchers, list);
    for (const clg_json *one = all ? all->first : NULL; one; one = one->next)
        if (begins ? strncmp(word, one->text, one->text_size) == 0 : strcmp(word, one->text) == 0)
            return one->text;
    return NULL;
}

/* Programs that are no file.py: the command lines of trainers, where programs lie. */
static bool is_cli(const clg_reading *r, const char *word) {
    const char *name = clg_job_base_name(word);
    bool beside = name == word || (name - word >= 4 && strncmp(name - 4, "bin/", 4) == 0);
    return beside && listed(r, "programs", name, false);
}

/* "vllm/vllm-openai:latest": what it is handed are the arguments of its program. */
const char *clg_job_image_program(const clg_reading *r, const char *image) {
    const clg_json *all = clg_json_member(r->launchers, "images");
    const char *name = clg_job_base_name(image);
    for (const clg_json *one = all ? all->first : NULL; one; one = one->next)
        if (strncmp(name, one->key, strlen(one->key)) == 0) return one->text;
    return NULL;
}

/* "-m torch.distributed.run" is a launcher, "-m my.train" a program. */
static bool is_launcher_module(const clg_reading *r, const char *word) {
    return listed(r, "starter_modules", word, true);
}

clg_status clg_job_launchers(clg_reading *r) {
    if (r->launchers) return CLG_OK;
    const clg_file *file = clg_dataset_find("trainer/launchers.json");
    const clg_json *root;
    if (!file)
        return clg_fail(r->error, CLG_BAD_INPUT, "build it in", "no data/trainer/launchers.json");
    if (clg_dataset_parse(r->arena, file->path, file->text, file->size, &root, r->error) != CLG_OK)
        return CLG_BAD_INPUT;
    r->launchers = root;
    return CLG_OK;
}

/* "training.seq_len=4096", "+trainer.x=1", "~a". */
static bool is_override(const char *word) {
    const char *at = word;
    while (*at == '+' || *at == '~') at++;
    if (!clg_in_name(*at) || clg_is_digit(*at)) return false;
    while (clg_in_name(*at) || (*at && strchr(".-/", *at))) at++;
    return *at == '=';
}

static bool is_flag(const char *word) {
    return word[0] == '-' && word[1] && !clg_is_digit(word[1]) && word[1] != '.' && word[1] != ' ';
}

/* "activation-checkpoint:full": a choice of a part, as tyro's parsers have it. */
static bool is_choice(const char *text) {
    const char *colon = strchr(text, ':');
    if (!colon || colon == text || colon - text > 60 || strchr(colon, '/')) return false;
    for (const char *at = text; at < colon; at++)
        if (!((*at >= 'a' && *at <= 'z') || strchr("_.-", *at))) return false;
    return colon[1] >= 'a' && colon[1] <= 'z';
}

typedef struct splitter {
    clg_reading *r;
    clg_shell *s;
    const clg_shell_command *c;
    int at;
    clg_json *launch, *arguments;
    const char *program, *starter;
    int flags;
} splitter;

static const char *word(splitter *p, int i) { return clg_rich_text(p->s, &p->c->word[i]); }

static void place(const clg_rich *rich, int *line, int *file) {
    int32_t at = rich->size > 0 ? rich->place[0] : 0;
    *line = at % CLG_SHELL_LINES, *file = at / CLG_SHELL_LINES + 1;
}

static clg_json *value_of(splitter *p, const char *text, int from) {
    int line, file;
    place(&p->c->word[from], &line, &file);
    return clg_tree_scalar(p->r->arena, text, strlen(text), line, file);
}

/* "--verbose train.py x.yaml": a program behind a switch, or behind all values of a flag. */
static bool is_started(splitter *p, int taken) {
    bool handed = p->at + 1 < p->c->words && is_config(word(p, p->at + 1));
    return clg_ends(word(p, p->at), ".py") && (taken > 0 || handed);
}

/* Takes "--key value...", "--key=value", "--switch". A launcher's flag takes one value at most. */
static void take_flag(splitter *p, clg_json *into, bool launcher) {
    clg_arena *arena = p->r->arena;
    int from = p->at;
    const char *flag = word(p, p->at++);
    while (*flag == '-') flag++;
    const char *equal = strchr(flag, '=');
    p->flags++;
    if (equal) {
        const char *key = clg_arena_copy(arena, flag, (size_t)(equal - flag));
        clg_tree_set(arena, into, key, value_of(p, equal + 1, from));
        return;
    }
    clg_text all = {.arena = arena};
    int taken = 0;
    while (p->at < p->c->words && (!launcher || taken == 0)) {
        const char *next = word(p, p->at);
        if (is_flag(next) || ((is_override(next) || is_choice(next)) && !launcher) ||
            strcmp(next, "--") == 0 || is_started(p, taken))
            break;
        const char *base = clg_job_base_name(next);
        if (launcher && (clg_ends(next, ".py") || clg_ends(next, ".sh") || is_cli(p->r, next) ||
                         clg_job_image_program(p->r, next) || strncmp(base, "python", 6) == 0 ||
                         strcmp(base, "torchrun") == 0 || strcmp(base, "bash") == 0))
            break;
        if (taken > 0 && next[0] == CLG_TREE_UNSET && !next[1]) { /* "--size 8 $MORE" */
            p->at++;
            continue;
        }
        clg_text_print(&all, "%s%s", taken ? " " : "", next);
        taken++, p->at++;
    }
    clg_json *value = value_of(p, taken ? (all.data ? all.data : "") : "true", from);
    clg_tree_set(arena, into, flag, value);
}

static void take_override(splitter *p) {
    const char *text = word(p, p->at);
    while (*text == '+' || *text == '~') text++;
    const char *equal = strchr(text, '=');
    char *key = clg_arena_copy(p->r->arena, text, (size_t)(equal - text));
    for (char *c = key; *c; c++)
        if (*c == '/') *c = '.';
    clg_tree_set(p->r->arena, p->arguments, key, value_of(p, equal + 1, p->at++));
    p->flags++;
}

static void name_program(splitter *p, const char *name) {
    if (p->program) return;
    p->program = name;
}

/* "accelerate.commands.launch", "torch.distributed.run" behind -m. */
static void name_starter(splitter *p, const char *module) {
    const char *first = clg_arena_copy(p->r->arena, module, strcspn(module, "."));
    const char *starter = listed(p->r, "starters", first, false);
    if (starter) p->starter = starter;
}

/* "python submit.py --cluster c -- accelerate launch train.py": what stood before only submits. */
static void take_launcher(splitter *p, const char *name) {
    const char *starter = listed(p->r, "starters", clg_job_base_name(name), false);
    if (!starter) return;
    p->starter = starter;
    if (!p->program) return;
    p->program = NULL;
    p->launch = p->arguments;
    p->arguments = clg_tree_make(p->r->arena, CLG_JSON_OBJECT, 1, 1);
}

/* Programs that take a model as their word: "trtllm-serve MODEL". */
static bool serves(const clg_reading *r, const char *program) {
    return listed(r, "servers", clg_job_base_name(program), false);
}

static bool take_choice(splitter *p) {
    const char *text = word(p, p->at), *colon = strchr(text, ':');
    if (!p->program || !is_choice(text)) return false;
    char *key = clg_arena_copy(p->r->arena, text, (size_t)(colon - text));
    clg_tree_set(p->r->arena, p->arguments, key, value_of(p, colon + 1, p->at++));
    return true;
}

/* Words of a trainer's own: "llamafactory-cli train x.yaml". */
static void take_plain(splitter *p) {
    const char *text = word(p, p->at);
    if (take_choice(p)) return;
    take_launcher(p, text);
    if (p->program && is_config(text))
        clg_tree_set(p->r->arena, p->arguments, "config-file-given", value_of(p, text, p->at));
    const char *own = clg_job_image_program(p->r, text);
    if (own)
        name_program(p, own);
    else if (clg_ends(text, ".py") || clg_ends(text, ".sh") || is_cli(p->r, text))
        name_program(p, text);
    else if (p->program && serves(p->r, p->program) && strcmp(text, "serve") != 0)
        clg_tree_set(p->r->arena, p->arguments, "model-given", value_of(p, text, p->at));
    else if (p->program && is_cli(p->r, p->program) && strlen(p->program) + strlen(text) < 200 &&
             !strchr(p->program, ' ') && !is_config(text))
        p->program = clg_arena_print(p->r->arena, "%s %s", p->program, text);
    p->at++;
}

static void split(splitter *p) {
    while (p->at < p->c->words) {
        const char *text = word(p, p->at);
        bool module = strcmp(text, "-m") == 0 || strcmp(text, "--module") == 0;
        if (module && !p->program && p->at + 1 < p->c->words) {
            const char *name = word(p, p->at + 1);
            if (!is_launcher_module(p->r, name))
                name_program(p, name);
            else
                name_starter(p, name);
            p->at += 2;
        } else if (strcmp(text, "--") == 0)
            p->at++;
        else if (is_flag(text))
            take_flag(p, p->program ? p->arguments : p->launch, !p->program);
        else if (p->program && is_override(text))
            take_override(p);
        else
            take_plain(p);
    }
}

/* ---- the script ---- */

static clg_json *variables(clg_reading *r, clg_shell *s) {
    clg_json *all = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
    for (int i = 0; i < s->variables; i++) {
        clg_shell_variable *v = &s->variable[i];
        if (v->words == 0 || v->array || v->word[0].size > 4096) continue;
        int line, file;
        place(&v->word[0], &line, &file);
        const char *text = clg_rich_text(s, &v->word[0]);
        clg_tree_set(r->arena, all, v->name,
                     clg_tree_scalar(r->arena, text, strlen(text), line, file));
    }
    return all;
}

/* A program that asks a server, or makes an image: no job. */
static bool is_client(splitter *p) {
    clg_text words = {.arena = p->r->arena};
    for (int i = 0; i < 2 && i < p->c->words; i++)
        clg_text_print(&words, "%s%s", i ? " " : "",
                       i ? word(p, i) : clg_job_base_name(word(p, i)));
    const clg_json *all = clg_json_member(p->r->launchers, "clients");
    for (const clg_json *one = all ? all->first : NULL; one && words.data; one = one->next)
        if (strncmp(words.data, one->text, one->text_size) == 0 ||
            (p->program && strcmp(p->program, one->text) == 0)) /* "python -m pip" */
            return true;
    return false;
}

static bool says_where(const char *key) {
    static const char *const parts[] = {"rank", "addr", "port", "host", "name", "dir", "log"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (clg_job_has(key, parts[i])) return true;
    return false;
}

/* What a command asks of its program, but for where it runs and what it is called. */
static const char *asked_of(splitter *p) {
    clg_text all = {.arena = p->r->arena};
    for (const clg_json *one = p->arguments->first; one; one = one->next)
        if (!says_where(one->key)) clg_text_print(&all, " %s=%s", one->key, clg_job_word(one));
    return all.data ? all.data : "";
}

/* Commands that start one program with different arguments: one of them is read. */
typedef struct starts {
    const char *program, *asked; /* of the one that is read */
    int others;                  /* of other arguments */
} starts;

static bool is_other(const starts *known, splitter *p) {
    return known->program && p->program && strcmp(known->program, p->program) == 0 &&
           strcmp(known->asked, asked_of(p)) != 0;
}

/* The command that trains: a program with most flags. Launchers of other launchers (srun around
 * torchrun) add what they say. */
static clg_json *command_tree(clg_reading *r, clg_shell *s) {
    static const char *const around[] = {"srun",     "mpirun",     "sbatch", "deepspeed",
                                         "torchrun", "accelerate", NULL};
    clg_json *best = NULL;
    clg_json *launch = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
    const clg_shell_command *chosen = NULL;
    int most = 0, line = 0, file = 1;
    starts known = {0};
    for (int i = 0; i < s->commands; i++) {
        splitter p = {.r = r, .s = s, .c = &s->command[i]};
        p.launch = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
        p.arguments = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
        split(&p);
        int score = p.flags + (p.program ? 20 : 0);
        const char *first = clg_job_base_name(word(&p, 0));
        if (clg_is_one_of(first, around) && (!p.program || strcmp(first, "sbatch") == 0))
            for (const clg_json *child = p.launch->first; child; child = child->next)
                clg_job_set_once(r, launch, child->key, child);
        if ((!p.program && p.flags < 4) || is_client(&p)) continue;
        bool other = is_other(&known, &p);
        known.others += other;
        if (score <= most) continue;
        most = score, chosen = p.c;
        if (!other) known.others = 0;
        known.program = p.program, known.asked = asked_of(&p);
        place(&p.c->word[0], &line, &file);
        best = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
        if (p.program)
            clg_tree_set(r->arena, best, "program",
                         clg_tree_string(r->arena, p.program, strlen(p.program), 1, 1));
        const char *starter = p.starter ? p.starter : first;
        clg_tree_set(r->arena, best, "starter",
                     clg_tree_string(r->arena, starter, strlen(starter), 1, 1));
        clg_tree_set(r->arena, best, "launch", p.launch);
        bool own = p.program || p.arguments->first; /* else flags of an unknown program */
        clg_job_set_once(r, best, "arguments", own ? p.arguments : p.launch);
    }
    if (best) {
        clg_command_says_others(r, known.program, known.others, line, file);
        clg_command_lacks(r, s, chosen);
    }
    if (!best) best = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
    clg_tree_set(r->arena, best, "around", launch);
    return best;
}

static bool is_script(const clg_job_file *file) {
    static const char *const endings[] = {".sh",  ".bash", ".slurm", ".sbatch", ".job",
                                          ".sub", ".txt",  ".qsub",  ".zsh",    ".env"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (clg_ends(file->name, endings[i])) return true;
    if (clg_is_markdown(file->name) || clg_is_makefile(file->name)) return true;
    return file->size > 2 && memcmp(file->text, "#!", 2) == 0 && !clg_ends(file->name, ".py");
}

clg_status clg_script_tree(clg_reading *r, clg_json **root) {
    clg_shell *s = clg_take(r->arena, 1, clg_shell);
    *s = (clg_shell){
        .arena = r->arena, .error = r->error, .files = r->files, .file_count = r->file_count};
    s->written = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
    clg_json *header = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
    bool any = false;
    for (int i = 0; i < r->file_count; i++)
        if (is_script(&r->files[i])) {
            clg_slurm_header(r, header, r->files[i].text, r->files[i].size, i, 1);
            any = true;
        }
    *root = NULL;
    if (!any) return CLG_OK;
    if (clg_job_launchers(r) != CLG_OK) return CLG_BAD_INPUT;
    clg_slurm_environment(r, s, header);
    for (int i = 0; i < r->file_count; i++) {
        if (!is_script(&r->files[i]) || (i < 64 && s->read[i])) continue;
        if (clg_shell_run_file(s, i) != CLG_OK) {
            clg_error_at(r->error, r->files[i].name, 0, 0, NULL);
            return CLG_BAD_INPUT;
        }
    }
    r->open_file = s->open_file, r->open_line = s->open_line;
    for (const clg_json *file = s->written->first; file; file = file->next)
        clg_slurm_header(r, header, file->text, file->text_size, file->column - 1, file->line);
    clg_command_decided(r, s);
    *root = command_tree(r, s);
    clg_tree_set(r->arena, *root, "slurm", header);
    clg_tree_set(r->arena, *root, "variables", variables(r, s));
    clg_tree_set(r->arena, *root, "written", s->written);
    return CLG_OK;
}
