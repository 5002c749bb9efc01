/* planning.c -- what plan and explain share: reading the request, searching with progress. */
#include "cli/planning.h"

#include "report/launch.h"

#include <string.h>

enum { CONFIG_BYTES = 16 << 20 };

/* A path has a slash or ends in .json; anything else is a preset. */
static bool is_path(const char *word) {
    size_t size = strlen(word);
    return strchr(word, '/') || strcmp(word, "-") == 0 ||
           (size > 5 && strcmp(word + size - 5, ".json") == 0);
}

clg_status clg_planning_read(clg_session *session, clg_scenario *scenario, clg_space *space,
                             clg_error *error) {
    clg_request *request = &session->request;
    request->model = session->operand[0];
    if (is_path(request->model)) {
        clg_attachment *file = &request->model_file;
        file->name = request->model;
        if (clg_file_read(session->arena, file->name, CONFIG_BYTES, &file->text, &file->size,
                          error) != CLG_OK)
            return CLG_BAD_INPUT;
    }
    return clg_request_read(session->arena, request, true, scenario, space, error);
}

static bool tell(void *context, double share) {
    clg_progress_tell(context, "searching", share);
    return true;
}

clg_status clg_planning_search(clg_session *session, const clg_scenario *scenario,
                               const clg_space *space, clg_found *found, double *seconds,
                               clg_error *error) {
    double start = clg_clock_s();
    clg_status status =
        clg_search(session->arena, scenario, space, (clg_progress){tell, session}, found, error);
    clg_progress_end(session);
    *seconds = clg_clock_s() - start;
    return status;
}

clg_status clg_planning_tokens(clg_session *session, double *tokens, clg_error *error) {
    return clg_request_number(&session->request, CLG_PARAM_TOKENS, 0, tokens, error);
}

clg_status clg_planning_trainer(clg_session *session, int *trainer, clg_error *error) {
    const char *word = session->request.value[CLG_PARAM_LAUNCH];
    *trainer = -1;
    return word ? clg_name_value(clg_trainer_names, "trainer", word, trainer, error) : CLG_OK;
}
