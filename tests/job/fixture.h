/* fixture.h -- files of a job made in a test. */
#ifndef CLG_TESTS_JOB_FIXTURE_H
#define CLG_TESTS_JOB_FIXTURE_H

#include "job/job.h"
#include "test.h"

#include <string.h>

typedef struct fixture {
    clg_arena arena;
    clg_error error;
    clg_job job;
} fixture;

/* Reads up to three files: name, text, name, text, ... NULL. */
static inline bool fixture_read(fixture *f, const char *const *file) {
    clg_job_file files[8];
    int count = 0;
    for (; file[2 * count] && count < 8; count++)
        files[count] =
            (clg_job_file){file[2 * count], file[2 * count + 1], strlen(file[2 * count + 1])};
    *f = (fixture){0};
    return clg_job_read(&f->arena, files, count, NULL, &f->job, &f->error) == CLG_OK;
}

static inline const char *fixture_word(const fixture *f, clg_job_field field) {
    return f->job.field[field].text ? f->job.field[field].text : "";
}

/* "tp=8 pp=2 zero=1": every field as expected; "x=" is not said. Says which is not. */
static inline bool fixture_is(const fixture *f, const char *expected) {
    bool all = true;
    for (const char *at = expected; *at;) {
        char name[48] = "", value[128] = "";
        int taken = 0;
        if (sscanf(at, " %47[^= ]=%n", name, &taken) != 1) break;
        at += taken;
        size_t size = strcspn(at, " ");
        snprintf(value, sizeof value, "%.*s", (int)size, at);
        at += size;
        const char *found = NULL;
        for (int i = 0; i < CLG_JOB_FIELDS; i++)
            if (strcmp(clg_job_row_of((clg_job_field)i).name, name) == 0)
                found = fixture_word(f, (clg_job_field)i);
        if (found && strcmp(found, value) == 0) continue;
        printf("%s is '%s', not '%s'\n", name, found ? found : "no field", value);
        all = false;
    }
    if (f->error.message[0]) printf("error: %s %s\n", f->error.file, f->error.message);
    return all;
}

/* Reads one job and compares. */
#define JOB(expected, ...)                                                                         \
    do {                                                                                           \
        fixture f_;                                                                                \
        const char *const files_[] = {__VA_ARGS__, NULL, NULL};                                    \
        CHECK(fixture_read(&f_, files_));                                                          \
        CHECK(fixture_is(&f_, expected));                                                          \
        clg_arena_clear(&f_.arena);                                                                \
    } while (0)

/* Reads one that is refused: the error has this part. */
#define REFUSED(part, ...)                                                                         \
    do {                                                                                           \
        fixture f_;                                                                                \
        char sentence_[2048];                                                                      \
        const char *const files_[] = {__VA_ARGS__, NULL, NULL};                                    \
        CHECK(!fixture_read(&f_, files_));                                                         \
        clg_error_sentence(&f_.error, sentence_, sizeof sentence_);                                \
        CHECK(strstr(sentence_, part) != NULL);                                                    \
        if (!strstr(sentence_, part)) printf("%s\n", sentence_);                                   \
        clg_arena_clear(&f_.arena);                                                                \
    } while (0)

#endif
