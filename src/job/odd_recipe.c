/* odd_recipe.c -- recipes in Python: names of functions say the model, and some the machine. */
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
    while (at && at > call->key && at[-1] >= '0' && at[-1] <= '9') at--;
    if (!mark || at == mark) return;
    clg_job_put(r, CLG_JOB_GPUS, atof(at), where(r, call), NULL);
    const char *gpu = clg_job_gpu_in(r->arena, mark + 4);
    if (gpu) clg_job_put_word(r, CLG_JOB_GPU, gpu, where(r, call), NULL);
}

static bool is_recipe(const char *name) {
    return strstr(name, "recipe") || strstr(name, "config") || strstr(name, "Config") ||
           strstr(name, "Provider") || strstr(name, "model");
}

void clg_odd_recipe(clg_reading *r) {
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
        }
    }
    clg_found_key more = clg_job_key(r, r->main, "recipes_not_read");
    if (more.node)
        clg_job_note_down(r->arena, &r->job->doubts, "files", clg_job_from(r, &more),
                          "more recipes follow in the file: the first is read", -1);
    double hidden = clg_job_value_or(r, CLG_JOB_HIDDEN, 0);
    if (hidden > 0 && r->job->field[CLG_JOB_HIDDEN].from)
        clg_job_put(r, CLG_JOB_FFN, 4 * hidden, NULL, "4 x hidden, as the trainer has it");
}
