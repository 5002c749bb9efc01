/* A file of a job in any language it may be written in: fields or a sentence, in bounded time. The
 * first byte says which. */
#include "job/job.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static const char *const names[] = {"a.sh", "a.yaml",   "a.toml",  "a.json",
                                        "a.py", "Makefile", "a.ipynb", "a.md"};
    if (size < 1) return 0;
    clg_arena arena = {0};
    clg_error error = {0};
    clg_job *job = clg_take(&arena, 1, clg_job);
    const char *text = clg_arena_copy(&arena, (const char *)data + 1, size - 1);
    clg_job_file file = {names[data[0] % 8], text, size - 1};
    if (clg_job_read(&arena, &file, 1, NULL, job, &error) == CLG_OK)
        assert(job->format && job->format[0]);
    else
        assert(error.message[0]);
    clg_arena_clear(&arena);
    return 0;
}
