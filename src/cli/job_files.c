/* job_files.c -- the files of a job, from the disk. */
#include "cli/job_files.h"

#include "api/jobs.h"
#include "base/letters.h"

#include <string.h>

/* A JSON file is a model's unless it lacks what every config.json has. */
static bool is_config(const char *text, size_t size) {
    clg_arena arena = {0};
    clg_json *root;
    clg_error none = {0};
    bool config = true;
    if (clg_json_parse(&arena, "", text, size, &root, &none) == CLG_OK)
        config = clg_json_member(root, "model_type") || clg_json_member(root, "architectures") ||
                 clg_json_member(root, "hidden_size") || clg_json_member(root, "text_config") ||
                 !root->first;
    clg_arena_clear(&arena);
    return config;
}

bool clg_job_files_log(clg_session *session, const char *path, clg_train_logs *logs) {
    const char *text;
    size_t size;
    clg_error none = {0};
    if (strcmp(path, "-") != 0 && clg_file_absent(path)) return false;
    if (clg_file_read(session->arena, path, CLG_LOG_BYTES, &text, &size, &none) != CLG_OK)
        return false;
    return !clg_job_is_no_log(path, text, size) &&
           clg_train_log_read(logs, path, (clg_slice){text, size});
}

bool clg_job_files_is(clg_session *session, const char *path) {
    const char *text;
    size_t size;
    clg_error none = {0};
    if (clg_file_absent(path) || strcmp(path, "-") == 0) return false;
    if (clg_file_read(session->arena, path, CLG_JOB_BYTES, &text, &size, &none) != CLG_OK)
        return false;
    if (clg_ends(path, ".json")) return !is_config(text, size);
    return clg_job_is_file(path, text, size);
}
