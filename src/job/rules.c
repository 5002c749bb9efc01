/* rules.c -- a trainer's data file: which keys are which field, and what its defaults are.
 *
 * data/trainer/NAME.json has for each field a list of rules, tried in order until one holds:
 *   {"key": "a|b.c"}                     the value of the first of these keys
 *   {"key": k, "is": v, "to": w}         where it is v (any of a list), the field is w
 *   {"key": k, "has": "part", "to": w}   where its text has this part
 *   {"key": k, "to": w}                  where it is on
 *   {"key": k, "words": {"a": "b"}}      put in other words; a word not there is not understood
 *   "with": {key: v}                     only where another key is v as well (true: on, false: off)
 *   "times": n                           a number so many times larger
 *   "guess": true                        from a name: after all that files say themselves
 *   {"default": w, "why": source}        where no file says
 * "auto", -1 and null say nothing. */
#include "job/reading.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const clg_job_row rows[] = {
#define JOB_FIELD(id, name, kind, part) {name, CLG_JOB_##kind, CLG_JOB_PART_##part},
#include "job/fields.def"
};

clg_job_row clg_job_row_of(clg_job_field field) { return rows[field]; }

void clg_job_note_down(clg_arena *arena, clg_job_notes *notes, const char *key, const char *from,
                       const char *why, int field) {
    for (int i = 0; i < notes->count; i++)
        if (strcmp(notes->note[i].key, key) == 0 && strcmp(notes->note[i].why, why) == 0 &&
            notes->note[i].field == field)
            return;
    clg_job_note note = {key, from, why, field};
    CLG_APPEND(arena, notes->note, notes->count, notes->capacity, note);
}

bool clg_job_has_field(const clg_reading *r, clg_job_field field) {
    return r->job->field[field].text != NULL;
}

double clg_job_value_or(const clg_reading *r, clg_job_field field, double otherwise) {
    return clg_job_has_field(r, field) ? r->job->field[field].number : otherwise;
}

double clg_job_get(const clg_reading *r, clg_job_field field) {
    return clg_job_value_or(r, field, 0);
}

void clg_job_forget(clg_reading *r, clg_job_field field) {
    r->job->field[field] = (clg_job_value){0};
}

void clg_job_put_word(clg_reading *r, clg_job_field field, const char *word, const char *from,
                      const char *why) {
    clg_job_value *value = &r->job->field[field];
    if (value->text) return;
    *value = (clg_job_value){.text = word, .from = from, .why = why};
    if (rows[field].kind == CLG_JOB_SWITCH) value->number = clg_job_is(word, "true");
}

void clg_job_put(clg_reading *r, clg_job_field field, double number, const char *from,
                 const char *why) {
    clg_job_value *value = &r->job->field[field];
    if (value->text) return;
    const char *text = rows[field].kind == CLG_JOB_SWITCH
                           ? (number != 0 ? "true" : "false")
                           : clg_arena_print(r->arena, "%.15g", number);
    *value = (clg_job_value){.text = text, .number = number, .from = from, .why = why};
}

/* ---- one rule ---- */

static bool same(const clg_json *a, const clg_json *b) {
    double x, y;
    if (b->kind == CLG_JSON_BOOL)
        return !clg_job_is(clg_job_word(a), "auto") && clg_job_truth(a) == b->truth;
    if (b->kind == CLG_JSON_NUMBER) return clg_job_number(a, &x) && x == b->number;
    if (clg_job_number(a, &x) && clg_job_number(b, &y)) return x == y;
    return clg_job_is(clg_job_word(a), clg_job_word(b));
}

static bool is_wanted(const clg_json *node, const clg_json *wanted) {
    if (wanted->kind != CLG_JSON_ARRAY) return same(node, wanted);
    for (const clg_json *one = wanted->first; one; one = one->next)
        if (same(node, one)) return true;
    return false;
}

/* Other keys that a rule asks for: false is also met by a key that no file has. */
static bool with(clg_reading *r, const clg_json *format, const clg_json *rule) {
    const clg_json *all = clg_json_member(rule, "with");
    for (const clg_json *one = all ? all->first : NULL; one; one = one->next) {
        clg_found_key key = clg_job_key(r, format, one->key);
        bool absent = !key.node || clg_tree_unknown(key.node);
        if (absent ? !(one->kind == CLG_JSON_BOOL && !one->truth) : !is_wanted(key.node, one))
            return false;
    }
    return true;
}

static bool says_nothing(const clg_json *node, clg_job_field field) {
    double number;
    if (node->kind == CLG_JSON_NULL) return true;
    if (field == CLG_JOB_MODEL && clg_job_is(clg_job_word(node), "true"))
        return true; /* --model $X */
    if (node->kind == CLG_JSON_STRING &&
        (!*node->text || clg_job_is(node->text, "auto") || clg_job_is(node->text, "none") ||
         clg_job_is(node->text, "null") || clg_job_is(node->text, "default")))
        return true;
    return rows[field].kind != CLG_JOB_WORD && clg_job_number(node, &number) && number < 0;
}

/* "none" is a word of some keys: it is an answer there. */
static bool names_word(const clg_json *rule, const clg_json *node) {
    const clg_json *words = clg_json_member(rule, "words");
    for (const clg_json *one = words ? words->first : NULL; one; one = one->next)
        if (node->kind == CLG_JSON_STRING && clg_job_is(one->key, node->text)) return true;
    return false;
}

static clg_status not_understood(clg_reading *r, const clg_found_key *key, clg_job_field field,
                                 const char *what) {
    char mend[160];
    clg_error_at(r->error, clg_job_from(r, key), 0, 0, NULL);
    snprintf(mend, sizeof mend, "write %s there, or give --%s", what, rows[field].name);
    return clg_fail(r->error, CLG_BAD_INPUT, mend, "'%.80s' is not understood",
                    clg_job_word(key->node));
}

/* "8k", "4M" of some trainers. */
static bool whole_of(const clg_json *node, double *number) {
    if (clg_job_number(node, number)) return true;
    size_t size = node->kind == CLG_JSON_STRING ? node->text_size : 0;
    if (size < 2 || size > 20) return false;
    char last = node->text[size - 1];
    double unit = last == 'k' || last == 'K' ? 1024 : 0;
    if (unit == 0) return false;
    clg_json digits = *node;
    char text[24];
    memcpy(text, node->text, size - 1);
    text[size - 1] = '\0';
    digits.text = text, digits.text_size = size - 1;
    if (!clg_job_number(&digits, number)) return false;
    *number *= unit;
    return true;
}

/* Says so itself, but only running it would tell the value. */
static void leave_open(clg_reading *r, clg_job_field field, const clg_found_key *key) {
    clg_job_note_down(r->arena, &r->job->open, rows[field].name, clg_job_from(r, key),
                      "its value is known only when it runs", (int)field);
}

static double times(const clg_json *rule) {
    const clg_json *by = clg_json_member(rule, "times");
    return by ? by->number : 1;
}

/* "config.block_size" in code: what a flag or a key of that name says. */
static bool attribute(clg_reading *r, const clg_found_key *key, double *number) {
    const char *text = clg_job_word(key->node), *dot = strrchr(text, '.');
    if (!dot || !dot[1] || strpbrk(text, "()[]{}*/+- '\"")) return false;
    clg_found_key named = clg_job_key(r, key->source->format, dot + 1);
    return named.node && named.node != key->node && whole_of(named.node, number);
}

static clg_status put_number(clg_reading *r, clg_job_field field, const clg_json *rule,
                             const clg_found_key *key) {
    double number;
    const char *file = key->source->name;
    if (!whole_of(key->node, &number)) {
        if (!file || !clg_job_has(file, ".py")) return not_understood(r, key, field, "a number");
        if (!attribute(r, key, &number)) {
            leave_open(r, field, key); /* a name that code gives its value */
            return CLG_OK;
        }
    }
    number *= times(rule);
    if (rows[field].kind == CLG_JOB_WHOLE && number != floor(number))
        return not_understood(r, key, field, "a whole number");
    if (number > 1e15) return not_understood(r, key, field, "less");
    clg_job_put(r, field, number, clg_job_from(r, key), NULL);
    return CLG_OK;
}

/* "torch.bfloat16", "float32": number types as a table of words has them. */
static const char *plain_type(const char *word) {
    static const char *const names[][2] = {
        {"float32", "fp32"}, {"bfloat16", "bf16"}, {"float16", "fp16"}, {"half", "fp16"}};
    const char *dot = strrchr(word, '.'), *last = dot ? dot + 1 : word;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (clg_job_is(last, names[i][0])) return names[i][1];
    return last;
}

static clg_status put_other_word(clg_reading *r, clg_job_field field, const clg_json *words,
                                 const clg_found_key *key) {
    const char *word = clg_job_word(key->node), *type = plain_type(word);
    for (const clg_json *one = words->first; one; one = one->next) {
        if (!clg_job_is(one->key, word) && !clg_job_is(one->key, type)) continue;
        if (one->kind == CLG_JSON_NUMBER)
            clg_job_put(r, field, one->number, clg_job_from(r, key), NULL);
        else if (one->kind != CLG_JSON_NULL)
            clg_job_put_word(r, field, clg_job_word(one), clg_job_from(r, key), NULL);
        return CLG_OK;
    }
    return not_understood(r, key, field, "a known word");
}

static void put_constant(clg_reading *r, clg_job_field field, const clg_json *to, const char *from,
                         const char *why) {
    if (to->kind == CLG_JSON_NUMBER)
        clg_job_put(r, field, to->number, from, why);
    else if (to->kind != CLG_JSON_NULL)
        clg_job_put_word(r, field, clg_job_word(to), from, why);
}

/* "a,b,c" of a list of words. */
static const char *listed(clg_reading *r, const clg_json *array) {
    clg_text text = {.arena = r->arena};
    for (const clg_json *one = array->first; one && text.size < 400; one = one->next)
        clg_text_print(&text, "%s%s", text.size ? "," : "", clg_job_word(one));
    return text.data ? text.data : "";
}

static clg_status put_own(clg_reading *r, clg_job_field field, const clg_json *rule,
                          const clg_found_key *key) {
    const clg_json *words = clg_json_member(rule, "words");
    if (words) return put_other_word(r, field, words, key);
    if (rows[field].kind == CLG_JOB_SWITCH)
        clg_job_put(r, field, clg_job_truth(key->node), clg_job_from(r, key), NULL);
    else if (rows[field].kind != CLG_JOB_WORD)
        return put_number(r, field, rule, key);
    else if (key->node->kind == CLG_JSON_ARRAY)
        clg_job_put_word(r, field, listed(r, key->node), clg_job_from(r, key), NULL);
    else if (*clg_job_word(key->node))
        clg_job_put_word(r, field, clg_job_word(key->node), clg_job_from(r, key), NULL);
    return CLG_OK;
}

/* Of a path that begins with what is not known, the last part, which names the model. */
static const clg_json *last_part(clg_reading *r, const clg_json *node) {
    if (node->kind != CLG_JSON_STRING || !clg_tree_unknown(node)) return node;
    const char *name = clg_job_base_name(node->text);
    if (!*name || clg_tree_unknown_text(name)) return node;
    return clg_tree_string(r->arena, name, strlen(name), node->line, node->column);
}

/* A rule that holds where a key is off, and the key is there with a value that nobody knows. */
static bool hangs_on_unknown(clg_reading *r, const clg_json *format, clg_job_field field,
                             const clg_json *rule) {
    const clg_json *all = clg_json_member(rule, "with");
    for (const clg_json *one = all ? all->first : NULL; one; one = one->next) {
        clg_found_key key = clg_job_key(r, format, one->key);
        if (one->kind != CLG_JSON_BOOL || one->truth || !key.node || !clg_tree_unknown(key.node))
            continue;
        leave_open(r, field, &key);
        return true;
    }
    return false;
}

static clg_status try_rule(clg_reading *r, const clg_json *format, clg_job_field field,
                           const clg_json *rule) {
    const char *keys = clg_json_text(rule, "key", NULL), *part = clg_json_text(rule, "has", NULL);
    const clg_json *is = clg_json_member(rule, "is"), *to = clg_json_member(rule, "to");
    if (!keys) return CLG_OK;
    clg_found_key key = clg_job_key(r, format, keys);
    if (!key.node || !with(r, format, rule)) return CLG_OK;
    if (hangs_on_unknown(r, format, field, rule)) return CLG_OK;
    if (field == CLG_JOB_MODEL) key.node = last_part(r, key.node);
    bool on = to && !is && !part; /* a switch with a value is on, whatever the value */
    if (clg_tree_unknown(key.node) && !on && !(part && clg_job_has(clg_job_word(key.node), part))) {
        if (!is && !part) leave_open(r, field, &key);
        return CLG_OK;
    }
    if (is && !is_wanted(key.node, is)) return CLG_OK;
    const char *text =
        key.node->kind == CLG_JSON_ARRAY ? listed(r, key.node) : clg_job_word(key.node);
    if (part && !clg_job_has(text, part)) return CLG_OK;
    if (to) {
        if (is || part || clg_job_truth(key.node))
            put_constant(r, field, to, clg_job_from(r, &key), NULL);
        return CLG_OK;
    }
    bool silent = key.node->kind == CLG_JSON_OBJECT || /* a section of that name */
                  (says_nothing(key.node, field) && !names_word(rule, key.node));
    double below;
    if (silent && clg_job_number(key.node, &below) && below < -1) /* -1 leaves it to the trainer */
        clg_job_note_down(r->arena, &r->job->doubts, rows[field].name, clg_job_from(r, &key),
                          "less than none: left out", -1);
    return silent ? CLG_OK : put_own(r, field, rule, &key);
}

/* ---- all of a file ---- */

int clg_job_field_named(const char *name) {
    for (int i = 0; i < CLG_JOB_FIELDS; i++)
        if (strcmp(rows[i].name, name) == 0) return i;
    return -1;
}

/* A file that is here says itself what its name lets guess. */
static bool names_given_file(clg_reading *r, const clg_json *format, const clg_json *rule) {
    clg_found_key key = clg_job_key(r, format, clg_json_text(rule, "key", ""));
    const char *name = key.node ? clg_job_base_name(clg_job_word(key.node)) : "";
    for (int i = 0; i < r->file_count && *name; i++)
        if (strcmp(clg_job_base_name(r->files[i].name), name) == 0) return true;
    return false;
}

static clg_status by_files(clg_reading *r, const clg_json *format, clg_job_field field,
                           const clg_json *rules, bool guesses) {
    for (const clg_json *rule = rules->first; rule && !clg_job_has_field(r, field);
         rule = rule->next)
        if ((clg_json_member(rule, "guess") != NULL) == guesses &&
            !(guesses && names_given_file(r, format, rule)) &&
            try_rule(r, format, field, rule) != CLG_OK)
            return CLG_BAD_INPUT;
    return CLG_OK;
}

static bool is_open(const clg_reading *r, clg_job_field field) {
    for (int i = 0; i < r->job->open.count; i++)
        if (r->job->open.note[i].field == (int)field) return true;
    return false;
}

static void by_default(clg_reading *r, const clg_json *format, clg_job_field field,
                       const clg_json *rules) {
    const char *title = clg_json_text(format, "title", NULL);
    if (is_open(r, field)) return;
    for (const clg_json *rule = rules->first; rule; rule = rule->next) {
        const clg_json *value = clg_json_member(rule, "default");
        const char *why = clg_json_text(rule, "why", NULL);
        if (!value || clg_job_has_field(r, field) || !with(r, format, rule)) continue;
        if (hangs_on_unknown(r, format, field, rule)) return;
        put_constant(r, field, value, NULL,
                     clg_arena_print(r->arena, "default of %s%s%s", title ? title : "the trainer",
                                     why ? ": " : "", why ? why : ""));
    }
}

clg_status clg_job_rules(clg_reading *r, const clg_json *format, clg_job_pass pass) {
    const clg_json *fields = clg_json_member(format, "fields");
    for (const clg_json *one = fields ? fields->first : NULL; one; one = one->next) {
        int field = clg_job_field_named(one->key);
        if (field < 0 || clg_job_has_field(r, (clg_job_field)field)) continue;
        if (pass == CLG_JOB_BY_DEFAULT)
            by_default(r, format, (clg_job_field)field, one);
        else if (by_files(r, format, (clg_job_field)field, one, pass == CLG_JOB_GUESSED) != CLG_OK)
            return CLG_BAD_INPUT;
    }
    return CLG_OK;
}
