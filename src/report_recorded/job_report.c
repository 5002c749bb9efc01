/* job_report.c -- a job that was read: its fields with where each is from, what was assumed, what
 * was left aside, what a plan still needs. */
#include "report_recorded/job_report.h"

#include "report_recorded/read_log.h"

#include <string.h>

/* ---- JSON ---- */

/* "kv-heads" -> "kv_heads" */
static const char *json_key(clg_text *text, const char *name) {
    char *key = clg_arena_copy(text->arena, name, strlen(name));
    for (char *c = key; *c; c++)
        if (*c == '-') *c = '_';
    return key;
}

static void add_value(clg_json_writer *w, const char *key, clg_job_kind kind,
                      const clg_job_value *value) {
    if (!value->text)
        clg_json_add_null(w, key);
    else if (kind == CLG_JOB_SWITCH)
        clg_json_add_bool(w, key, value->number != 0);
    else if (kind == CLG_JOB_WHOLE)
        clg_json_add_integer(w, key, (int64_t)value->number);
    else if (kind == CLG_JOB_NUMBER)
        clg_json_add_number(w, key, value->number);
    else
        clg_json_add_string(w, key, value->text);
}

static void add_part(clg_json_writer *w, const clg_job *job, clg_job_part part) {
    for (int i = 0; i < CLG_JOB_FIELDS; i++) {
        clg_job_row row = clg_job_row_of((clg_job_field)i);
        if (row.part == part) add_value(w, json_key(w->text, row.name), row.kind, &job->field[i]);
    }
}

static void add_model(clg_json_writer *w, const clg_job *job) {
    const char *written = job->field[CLG_JOB_MODEL].text;
    clg_json_open(w, "model", '{');
    clg_json_add_string(w, "name", job->preset ? job->preset : written);
    clg_json_add_string(w, "written", written);
    add_part(w, job, CLG_JOB_PART_MODEL);
    clg_json_close(w, '}');
}

static void add_object(clg_json_writer *w, const clg_job *job, const char *key, clg_job_part part) {
    clg_json_open(w, key, '{');
    add_part(w, job, part);
    clg_json_close(w, '}');
}

/* LoRA or not: its own names in the answer. */
static void add_adapter(clg_json_writer *w, const clg_job *job) {
    clg_json_open(w, "adapter", '{');
    add_value(w, "kind", CLG_JOB_WORD, &job->field[CLG_JOB_ADAPTER]);
    add_value(w, "rank", CLG_JOB_WHOLE, &job->field[CLG_JOB_ADAPTER_RANK]);
    add_value(w, "targets", CLG_JOB_WORD, &job->field[CLG_JOB_ADAPTER_TARGETS]);
    add_value(w, "base_precision", CLG_JOB_WORD, &job->field[CLG_JOB_BASE_PRECISION]);
    clg_json_close(w, '}');
}

static void add_fields(clg_json_writer *w, const clg_job *job, bool read) {
    clg_json_open(w, read ? "fields" : "assumed", '[');
    for (int i = 0; i < CLG_JOB_FIELDS; i++) {
        clg_job_row row = clg_job_row_of((clg_job_field)i);
        const clg_job_value *value = &job->field[i];
        if (!value->text || (value->from != NULL) != read || row.part == CLG_JOB_PART_WORKING)
            continue;
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "name", row.name);
        add_value(w, "value", row.kind, value);
        clg_json_add_string(w, read ? "from" : "why", read ? value->from : value->why);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_notes(clg_json_writer *w, const char *name, const clg_job_notes *notes) {
    clg_json_open(w, name, '[');
    for (int i = 0; i < notes->count; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "key", notes->note[i].key);
        clg_json_add_string(w, "from", notes->note[i].from);
        clg_json_add_string(w, "why", notes->note[i].why);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

void clg_json_job(clg_json_writer *w, const clg_job *job, const clg_train_logs *logs) {
    clg_json_add_string(w, "kind", "read");
    clg_json_add_string(w, "format", job->format);
    clg_json_open(w, "files", '[');
    for (int i = 0; i < job->file_count; i++) clg_json_add_string(w, NULL, job->files[i]);
    clg_json_close(w, ']');
    add_model(w, job);
    add_object(w, job, "machine", CLG_JOB_PART_MACHINE);
    add_object(w, job, "layout", CLG_JOB_PART_LAYOUT);
    add_adapter(w, job);
    add_fields(w, job, true);
    add_fields(w, job, false);
    add_notes(w, "not_known", &job->open);
    add_notes(w, "doubts", &job->doubts);
    add_notes(w, "ignored", &job->ignored);
    clg_json_add_logs(w, logs);
}

/* ---- for people ---- */

static void line(clg_text *text, const char *name, const char *value, const char *rest) {
    size_t from = text->size;
    clg_text_print(text, "  ");
    clg_text_pad(text, name, 18, false);
    clg_text_print(text, " ");
    clg_text_pad(text, value, 16, false);
    clg_text_print(text, " %s\n", rest ? rest : "");
    clg_text_fold(text, from, 38);
}

static void table(clg_text *text, const clg_job *job, bool read, const char *heading) {
    bool begun = false;
    for (int i = 0; i < CLG_JOB_FIELDS; i++) {
        clg_job_row row = clg_job_row_of((clg_job_field)i);
        const clg_job_value *value = &job->field[i];
        if (!value->text || (value->from != NULL) != read || row.part == CLG_JOB_PART_WORKING)
            continue;
        if (!begun) clg_text_print(text, "\n%s\n", heading);
        begun = true;
        line(text, row.name, value->text, read ? value->from : value->why);
    }
}

static void notes(clg_text *text, const clg_job_notes *all, const char *heading) {
    if (all->count > 0) clg_text_print(text, "\n%s\n", heading);
    for (int i = 0; i < all->count; i++) {
        const clg_job_note *note = &all->note[i];
        size_t from = text->size;
        clg_text_print(text, "  %s: %s%s%s\n", note->key, note->why, note->from ? " · " : "",
                       note->from ? note->from : "");
        clg_text_fold(text, from, 4);
    }
}

/* Keys by the reason they were left aside. */
static void aside(clg_text *text, const clg_job_notes *all) {
    if (all->count > 0) clg_text_print(text, "\nLeft aside\n");
    for (int i = 0; i < all->count; i++) {
        bool said = false;
        for (int k = 0; k < i; k++) said = said || strcmp(all->note[k].why, all->note[i].why) == 0;
        if (said) continue;
        size_t from = text->size;
        clg_text_print(text, "  %s: %s", all->note[i].why, all->note[i].key);
        for (int k = i + 1; k < all->count; k++)
            if (strcmp(all->note[k].why, all->note[i].why) == 0)
                clg_text_print(text, ", %s", all->note[k].key);
        clg_text_print(text, "\n");
        clg_text_fold(text, from, 4);
    }
}

/* What a plan cannot do without, and which flag gives it. */
static void missing(clg_text *text, const clg_job *job) {
    static const struct {
        clg_job_field field;
        const char *flag;
    } needed[] = {{CLG_JOB_GPU, "--gpu (a default where left out)"},
                  {CLG_JOB_GPUS, "--gpus"},
                  {CLG_JOB_SEQ, "--seq"},
                  {CLG_JOB_GLOBAL_BATCH, "--global-batch"}};
    size_t before = text->size;
    if (job->field[CLG_JOB_ENGINE].text) {
        clg_text_print(text, "\nWhat it serves a demand: ceiling demand FILES --rate 5req/s\n");
        return;
    }
    if (!job->preset && !job->config)
        clg_text_print(text, "  model: a preset or its config.json beside these files\n");
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!job->field[needed[i].field].text)
            clg_text_print(text, "  %s: %s\n", clg_job_row_of(needed[i].field).name,
                           needed[i].flag);
    if (text->size == before)
        clg_text_print(text, "\nNothing is missing to plan it.\n");
    else {
        const char *lines = clg_arena_copy(text->arena, text->data + before, text->size - before);
        text->size = before;
        clg_text_print(text, "\nNot in the files; to plan, give\n%s", lines);
    }
}

void clg_report_job(clg_text *text, const clg_job *job) {
    clg_text_print(text, "A job of %s (%s)", job->title, job->format);
    if (job->preset) clg_text_print(text, ", %s", job->preset);
    clg_text_print(text, "\n");
    table(text, job, true, "Read");
    table(text, job, false, "Assumed");
    notes(text, &job->doubts, "Look at");
    notes(text, &job->open, "Known only when it runs");
    aside(text, &job->ignored);
    missing(text, job);
}
