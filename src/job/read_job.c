/* read_job.c -- the files of a job into its fields: which trainer, what its keys say, what follows.
 */
#include "base/letters.h"
#include "dataset/dataset.h"
#include "job/reading.h"
#include "record/train_log.h"

#include <string.h>

enum { MOST_FORMATS = 64, MOST_FILES = 32, MOST_HELD = 48, FILE_BYTES = 1 << 20 };
enum { MARK = 6, PROGRAM = 30 }; /* points of a key of its own, of its program */

typedef struct formats {
    const clg_json *format[MOST_FORMATS];
    int count;
} formats;

static const clg_json *format_named(const formats *all, const char *name) {
    for (int i = 0; i < all->count; i++)
        if (strcmp(clg_json_text(all->format[i], "name", ""), name) == 0) return all->format[i];
    return NULL;
}

/* Fields that a format does not state are those of its base. */
static void inherit(clg_arena *arena, const formats *all, const clg_json *format) {
    const clg_json *base = format_named(all, clg_json_text(format, "base", ""));
    clg_json *fields = (clg_json *)(uintptr_t)clg_json_member(format, "fields");
    const clg_json *others = clg_json_member(base, "fields");
    for (const clg_json *one = others ? others->first : NULL; one; one = one->next) {
        if (clg_json_member(fields, one->key)) continue;
        clg_json *copy = clg_take(arena, 1, clg_json);
        *copy = *one;
        copy->next = NULL;
        clg_tree_append(fields, copy);
    }
}

static bool is_companion(const clg_json *format) { return clg_json_member(format, "companion"); }

static clg_status load(clg_arena *arena, formats *all, clg_error *error) {
    int count;
    const clg_file *files = clg_dataset_folder("trainer/", &count);
    for (int i = 0; i < count && all->count < MOST_FORMATS; i++) {
        clg_json *root;
        if (clg_json_parse(arena, files[i].path, files[i].text, files[i].size, &root, error) !=
            CLG_OK)
            return CLG_BAD_INPUT;
        if (!clg_json_member(root, "fields")) continue;
        if (clg_job_check_rules(root, files[i].path, error) != CLG_OK) return error->status;
        all->format[all->count++] = root;
    }
    for (int i = 0; i < all->count; i++) inherit(arena, all, all->format[i]);
    return CLG_OK;
}

/* ---- which trainer ---- */

/* Keys of a "|" list that the tree has. */
static int keys_met(clg_reading *r, const clg_json *format, const clg_json *root,
                    const char *keys) {
    int met = 0;
    while (*keys) {
        size_t size = strcspn(keys, "|");
        const char *key = clg_arena_copy(r->arena, keys, size);
        met += clg_job_find_within(r, format, root, key) != NULL;
        keys += size + (keys[size] == '|');
    }
    return met;
}

/* A key that marks the format; "key=value": only with that value ("value" may be a part). */
static bool marks(clg_reading *r, const clg_json *format, const clg_json *root, const char *mark) {
    const char *equal = strchr(mark, '=');
    const char *key = equal ? clg_arena_copy(r->arena, mark, (size_t)(equal - mark)) : mark;
    const clg_json *node = clg_job_find_within(r, format, root, key);
    return node && (!equal || clg_job_has(clg_job_word(node), equal + 1));
}

/* A key of the rule is there, with the word that the rule looks for: any file has an output_dir. */
static bool speaks(clg_reading *r, const clg_json *format, const clg_json *root,
                   const clg_json *rule) {
    const char *keys = clg_json_text(rule, "key", ""), *part = clg_json_text(rule, "has", NULL);
    if (!part) return keys_met(r, format, root, keys) > 0;
    for (size_t size; *keys; keys += size + (keys[size] == '|')) {
        size = strcspn(keys, "|");
        if (marks(r, format, root, clg_arena_print(r->arena, "%.*s=%s", (int)size, keys, part)))
            return true;
    }
    return false;
}

/* The trainer has what starts programs of its own, and it starts this one. */
static bool is_started_by(const clg_reading *r, const clg_json *format) {
    const char *own = clg_json_text(format, "starter", NULL);
    const clg_json *starter = own && r->scripts ? clg_tree_find(r->scripts, "starter") : NULL;
    return starter && strcmp(starter->text, own) == 0;
}

/* How surely a tree is of a format: what marks it, its program, and keys it knows. */
static int score(clg_reading *r, const clg_job_source *source, const clg_json *format) {
    int points = 0;
    const clg_json *known = clg_json_member(format, "known_by");
    const clg_json *programs = clg_json_member(format, "programs");
    const clg_json *fields = clg_json_member(format, "fields");
    const clg_json *commands = clg_json_member(format, "no_python");
    if (source->launcher && !is_companion(format)) return 0;
    if (commands && source->name && clg_job_has(source->name, ".py")) return 0;
    for (const clg_json *one = known ? known->first : NULL; one; one = one->next)
        points += MARK * marks(r, format, source->root, one->text);
    for (const clg_json *one = programs ? programs->first : NULL; one && source->command;
         one = one->next)
        if (r->program && clg_job_has(r->program, one->text)) {
            points += PROGRAM;
            break;
        }
    points += source->command && is_started_by(r, format) ? PROGRAM : 0;
    for (const clg_json *field = fields ? fields->first : NULL; field; field = field->next) {
        bool met = false;
        for (const clg_json *rule = field->first; rule && !met; rule = rule->next)
            met = speaks(r, format, source->root, rule);
        points += met;
    }
    return points;
}

/* The format with most points; of equals the one that the other is based on, else the first. */
static void assign(clg_reading *r, const formats *all) {
    for (int i = 0; i < r->sources; i++)
        for (int k = 0; k < all->count; k++) {
            int points = score(r, &r->source[i], all->format[k]);
            const clg_json *held = r->source[i].format;
            bool base = held && points == r->source[i].score &&
                        strcmp(clg_json_text(held, "base", ""),
                               clg_json_text(all->format[k], "name", "")) == 0;
            if (points <= r->source[i].score && !base) continue;
            r->source[i].score = points, r->source[i].format = all->format[k];
        }
}

/* Before all else a trainer that something marks; then what a launcher or an optimizer library has;
 * then a trainer some of whose keys are met, which many others have too. */
static int rank_of(const clg_job_source *source) {
    return is_companion(source->format) ? 1 : source->score >= MARK ? 2 : 0;
}

/* The trainer with the most points. Trees of no or few points go with it. */
static void choose(clg_reading *r) {
    int best = -1;
    for (int i = 0; i < r->sources; i++) {
        if (!r->source[i].format) continue;
        int rank = rank_of(&r->source[i]), before = best < 0 ? -1 : rank_of(&r->source[best]);
        bool better =
            rank > before || (rank == before && r->source[best].score < r->source[i].score);
        if (better) best = i;
    }
    if (best < 0 || r->source[best].score < 3) return;
    r->main = r->source[best].format;
    for (int i = 0; i < r->sources; i++)
        if (!r->source[i].format || !is_companion(r->source[i].format))
            r->source[i].format = r->main;
}

static int best_score(const clg_reading *r) {
    int best = 0;
    for (int i = 0; i < r->sources; i++)
        if (r->source[i].format == r->main && r->source[i].score > best) best = r->source[i].score;
    return best;
}

/* Neither a key of its own nor its program is met: keys that others have too. */
static void doubt_trainer(clg_reading *r) {
    if (best_score(r) >= MARK || is_companion(r->main)) return;
    clg_job_note_down(r->arena, &r->job->doubts, "trainer", clg_job_base_name(r->files[0].name),
                      clg_arena_print(r->arena,
                                      "no key tells which: taken for %s by names that others have "
                                      "too; if it is not, its defaults are wrong as well",
                                      clg_json_text(r->main, "title", "")),
                      -1);
}

/* ---- reading ---- */

static clg_status refused(clg_reading *r) {
    const clg_json *all = clg_json_member(r->main, "refuses");
    for (const clg_json *one = all ? all->first : NULL; one; one = one->next) {
        const char *mark = clg_json_text(one, "key", ""), *why = clg_json_text(one, "why", "");
        for (int i = 0; i < r->sources; i++) {
            bool program = strncmp(mark, "program=", 8) == 0;
            if (program
                    ? !(r->program && clg_job_has(r->program, mark + 8))
                    : r->source[i].format != r->main || !marks(r, r->main, r->source[i].root, mark))
                continue;
            clg_error_at(r->error, r->source[i].name ? r->source[i].name : r->files[0].name, 0, 0,
                         NULL);
            return clg_fail(r->error, CLG_BAD_INPUT,
                            clg_json_text(one, "mend", "plan its parts as jobs of their own"), "%s",
                            why);
        }
    }
    return CLG_OK;
}

/* A log or a table that the readers of logs have not taken. */
static bool is_log(const char *name) {
    return clg_ends(name, ".csv") || clg_ends(name, ".tsv") || clg_ends(name, ".log") ||
           clg_ends(name, ".out");
}

static clg_status no_trainer(clg_reading *r) {
    const clg_json *node = NULL;
    const char *name = clg_job_named_and_missing(r, &node);
    if (r->open_line > 0) {
        clg_error_at(r->error, r->files[r->open_file].name, r->open_line, 0, NULL);
        return clg_fail(r->error, CLG_BAD_INPUT, "close it", "a quote is opened and never closed");
    }
    if (is_log(r->files[0].name)) {
        clg_slice text = {r->files[0].text, r->files[0].size};
        const char *end = clg_train_log_end(text);
        clg_error_at(r->error, r->files[0].name, 0, 0, NULL);
        return clg_fail(r->error, CLG_BAD_INPUT,
                        "give the lines of a trainer that report steps, or a table with columns "
                        "of the step and of its time or rate, named as W&B exports them "
                        "('_step', 'iteration-time')",
                        "nothing in it tells how long a step took%s%s", end ? "; " : "",
                        end ? end : "");
    }
    clg_error_at(r->error, r->files[0].name, name ? node->line : 0, 0, NULL);
    if (name)
        return clg_fail(r->error, CLG_BAD_INPUT,
                        clg_arena_print(r->arena, "give %s together with it", name),
                        "what is trained stands in %s, which is not here", name);
    return clg_fail(r->error, CLG_BAD_INPUT,
                    "'ceiling show trainers' lists those that are read; give the script together "
                    "with the files it names",
                    "no trainer's keys are in it, nor is it a model's config.json");
}

/* A trainer that is known by a key or two, and has not most of the keys that matter here, or by one
 * alone, without the model: another one, whose defaults nobody knows. */
static bool is_stranger(clg_reading *r) {
    clg_job_weight keys = clg_job_weigh(r);
    bool modelled = clg_job_has_field(r, CLG_JOB_MODEL) || clg_job_has_field(r, CLG_JOB_HIDDEN);
    bool barely = !modelled && best_score(r) < 2 * MARK && keys.left > 0;
    if (best_score(r) >= PROGRAM || is_companion(r->main)) return false;
    if (keys.left <= keys.read && !barely) return false;
    clg_job_note_down(
        r->arena, &r->job->doubts, "trainer", clg_job_base_name(r->files[0].name),
        clg_arena_print(r->arena,
                        "%s has not most of these keys (%s): perhaps it is another trainer, so its "
                        "defaults are left out",
                        clg_json_text(r->main, "title", ""), keys.first),
        -1);
    return true;
}

/* Not one of its keys says anything, nor is its program started: some other file. Or the program
 * is, and all that it does stands in a file that is not here. */
static bool says_nothing(clg_reading *r) {
    const clg_json *node;
    bool started = best_score(r) >= PROGRAM && !clg_job_named_and_missing(r, &node);
    if (started || is_companion(r->main)) return false;
    for (int i = 0; i < CLG_JOB_FIELDS; i++) {
        const char *from = r->job->field[i].from;
        if (from && strncmp(from, "--", 2) != 0) return false;
    }
    return true;
}

/* Files say before defaults do; a trainer before what runs inside it. */
static clg_status fields(clg_reading *r, const formats *all) {
    for (clg_job_pass pass = CLG_JOB_SAID; pass < CLG_JOB_PASSES; pass++) {
        bool own = pass != CLG_JOB_BY_DEFAULT || !is_stranger(r);
        if (own && clg_job_rules(r, r->main, pass) != CLG_OK) return CLG_BAD_INPUT;
        for (int i = 0; i < all->count; i++) {
            bool there = false;
            for (int k = 0; k < r->sources; k++)
                there = there || r->source[k].format == all->format[i];
            if (all->format[i] == r->main || !there || !is_companion(all->format[i])) continue;
            if (clg_job_rules(r, all->format[i], pass) != CLG_OK) return CLG_BAD_INPUT;
        }
        if (pass == CLG_JOB_SAID && says_nothing(r)) return no_trainer(r);
    }
    return CLG_OK;
}

/* What flags state; a quantity that is no plain number ("4Mtok", "8..64") only keeps the files from
 * saying it. */
static void take_given(clg_reading *r) {
    for (int i = 0; r->given && i < CLG_JOB_FIELDS; i++) {
        const char *text = r->given[i];
        if (!text) continue;
        clg_job_row row = clg_job_row_of((clg_job_field)i);
        const char *from = clg_arena_print(r->arena, "--%s", row.name);
        const clg_json *node = clg_tree_scalar(r->arena, text, strlen(text), 1, 1);
        double number = 0;
        if (row.kind != CLG_JOB_WORD && clg_job_number(node, &number))
            clg_job_put(r, (clg_job_field)i, number, from, NULL);
        else
            clg_job_put_word(r, (clg_job_field)i, text, from, NULL);
    }
}

/* Two bytes before every text that Windows calls Unicode. */
static bool is_wide(const clg_job_file *file) {
    return file->size > 1 &&
           (memcmp(file->text, "\xff\xfe", 2) == 0 || memcmp(file->text, "\xfe\xff", 2) == 0);
}

static clg_status check_files(const clg_reading *r) {
    if (r->file_count > MOST_FILES)
        return clg_fail(r->error, CLG_BAD_USAGE, "name those of one job", "more than 32 files");
    for (int i = 0; i < r->file_count; i++) {
        const clg_job_file *file = &r->files[i];
        const char *fault = file->size > FILE_BYTES ? "a configuration of more than 1 MiB"
                            : file->size == 0       ? "it is empty"
                            : is_wide(file)         ? "it is UTF-16"
                            : memchr(file->text, '\0', file->size) ? "it is no text"
                                                                   : NULL;
        if (!fault) continue;
        clg_error_at(r->error, file->name, 0, 0, NULL);
        return clg_fail(r->error, CLG_BAD_INPUT,
                        is_wide(file) ? "save it as UTF-8" : "name the job's own file", "%s",
                        fault);
    }
    return CLG_OK;
}

clg_status clg_job_read(clg_arena *arena, const clg_job_file *files, int count,
                        const char *const given[CLG_JOB_FIELDS], clg_job *job, clg_error *error) {
    clg_reading *r = clg_take(arena, 1, clg_reading);
    formats *all = clg_take(arena, 1, formats);
    *r = (clg_reading){.arena = arena,
                       .error = error,
                       .files = files,
                       .file_count = count,
                       .given = given,
                       .job = job};
    *job = (clg_job){0};
    if (check_files(r) != CLG_OK || load(arena, all, error) != CLG_OK) return error->status;
    clg_job_file *plain = clg_take(arena, (size_t)count + MOST_HELD, clg_job_file);
    for (int i = 0; i < count; i++)
        plain[i] = clg_is_markdown(files[i].name)   ? clg_markdown_script(arena, &files[i])
                   : clg_is_makefile(files[i].name) ? clg_makefile_script(arena, &files[i])
                   : clg_is_notebook(files[i].name) ? clg_notebook_code(arena, &files[i])
                   : clg_is_task(&files[i])         ? clg_task_script(arena, &files[i])
                                                    : files[i];
    r->files = plain;
    if (clg_job_manifests(r, count + MOST_HELD) != CLG_OK || clg_job_sources(r) != CLG_OK)
        return error->status;
    assign(r, all);
    choose(r);
    if (!r->main) return no_trainer(r);
    if (refused(r) != CLG_OK) return CLG_BAD_INPUT;
    doubt_trainer(r);
    const char *of = clg_json_text(r->main, "format", ""), *odd = clg_json_text(r->main, "odd", "");
    job->format = *of ? of : clg_json_text(r->main, "name", "");
    if (!*odd) odd = job->format;
    job->title = clg_json_text(r->main, "title", "");
    const char **names = clg_take(arena, (size_t)count, const char *);
    for (int i = 0; i < count; i++) names[i] = files[i].name;
    job->files = names, job->file_count = count;
    take_given(r);
    if (fields(r, all) != CLG_OK) return CLG_BAD_INPUT;
    clg_job_named_elsewhere(r);
    clg_job_odd(r, odd);
    clg_job_finish(r);
    clg_job_model(r);
    clg_job_odd(r, odd); /* what needs the model's sizes */
    clg_job_finish(r);
    clg_job_contradictions(r);
    clg_job_leftovers(r);
    return CLG_OK;
}

bool clg_job_is_file(const char *name, const char *text, size_t size) {
    static const char *const endings[] = {".yaml",  ".yml",  ".toml",   ".sh",  ".py",
                                          ".slurm", ".bash", ".sbatch", ".job", ".sub",
                                          ".txt",   ".md",   ".ipynb"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t end = strlen(endings[i]);
        if (length > end && strcmp(name + length - end, endings[i]) == 0) return true;
    }
    return clg_is_makefile(name) || (size > 2 && memcmp(text, "#!", 2) == 0);
}
