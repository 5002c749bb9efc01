/* odd_recipe.c -- recipes in Python: names of functions say the model, and some the machine. */
#include "base/letters.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "job/odd.h"

#include <stdlib.h>
#include <string.h>

static const char *where(clg_reading *r, const clg_json *call) {
    return clg_arena_print(r->arena, "%s:%d %s", clg_job_base_name(r->files[0].name), call->line,
                           call->key);
}

/* "..._32gpu_h100_bf16_...": the GPUs that a recipe is for. */
static void machine_of(clg_reading *r, const clg_json *call) {
    const char *mark = strstr(call->key, "gpu_"), *at = mark;
    while (at && at > call->key && clg_is_digit(at[-1])) at--;
    if (!mark || at == mark) return;
    clg_job_put(r, CLG_JOB_GPUS, atof(at), where(r, call), NULL);
    const char *gpu = clg_job_gpu_in(r->arena, mark + 4);
    if (gpu) clg_job_put_word(r, CLG_JOB_GPU, gpu, where(r, call), NULL);
}

/* What a recipe that comes with the trainer sets, where the job leaves it. */
static void take_recipe(clg_reading *r, const clg_json *recipe, const char *why) {
    for (const clg_json *one = recipe->first; one; one = one->next) {
        int field = clg_job_field_named(one->key);
        double number = one->kind == CLG_JSON_BOOL ? one->truth : one->number;
        if (field < 0 || r->job->field[field].from) continue;
        clg_job_forget(r, (clg_job_field)field);
        if (one->kind == CLG_JSON_STRING)
            clg_job_put_word(r, (clg_job_field)field, one->text, NULL, why);
        else
            clg_job_put(r, (clg_job_field)field, number, NULL, why);
    }
}

/* "llm.llama3_8b.pretrain_recipe", "llama3_8b_pretrain_config": by the end of its name. */
void clg_odd_known_recipe(clg_reading *r, const char *called) {
    const clg_file *file = clg_dataset_find("trainer/recipes.json");
    const clg_json *root;
    clg_error none = {0};
    if (!file ||
        clg_dataset_parse(r->arena, file->path, file->text, file->size, &root, &none) != CLG_OK)
        return;
    const clg_json *all = clg_json_member(root, "recipes");
    size_t size = strlen(called);
    for (const clg_json *one = all ? all->first : NULL; one; one = one->next) {
        size_t end = strlen(one->key);
        if (end > size || strcmp(called + size - end, one->key) != 0) continue;
        if (end < size && called[size - end - 1] != '.') continue;
        take_recipe(r, one, clg_arena_print(r->arena, "of the recipe %s", one->key));
        return;
    }
}

static bool is_recipe(const char *name) {
    return strstr(name, "recipe") || strstr(name, "config") || strstr(name, "Config") ||
           strstr(name, "Provider") || strstr(name, "model");
}

void clg_odd_recipe(clg_reading *r) {
    clg_odd_made_again(r);
    for (int i = 0; i < r->sources; i++) {
        const clg_json *calls = clg_tree_find(r->source[i].root, "calls");
        for (const clg_json *one = calls ? calls->first : NULL; one; one = one->next) {
            const char *preset = is_recipe(one->key) ? clg_job_preset_in(r->arena, one->key) : NULL;
            if (preset) clg_job_put_word(r, CLG_JOB_MODEL, one->key, where(r, one), NULL);
            if (preset && strstr(one->key, "peft") && !r->job->field[CLG_JOB_ADAPTER].from) {
                clg_job_forget(r, CLG_JOB_ADAPTER);
                clg_job_put_word(r, CLG_JOB_ADAPTER, "lora", where(r, one), NULL);
            }
            machine_of(r, one);
            clg_odd_known_recipe(r, one->key);
        }
    }
    clg_found_key named = clg_job_key(r, r->main, "recipe|model_recipe_name|recipe_name");
    if (named.node) clg_odd_known_recipe(r, clg_job_word(named.node));
    clg_found_key more = clg_job_key(r, r->main, "recipes_not_read");
    if (more.node)
        clg_job_note_down(r->arena, &r->job->doubts, "files", clg_job_from(r, &more),
                          "more recipes follow in the file: the first is read", -1);
    clg_odd_uneven_stages(r);
    double hidden = clg_job_get(r, CLG_JOB_HIDDEN);
    if (hidden > 0 && r->job->field[CLG_JOB_HIDDEN].from)
        clg_job_put(r, CLG_JOB_FFN, 4 * hidden, NULL, "4 x hidden, as the trainer has it");
}
