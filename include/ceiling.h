/* ceiling.h -- the library: a request in, an answer out. Link with -lceiling.
 *
 *     ceiling_answer answer = ceiling_ask(request, strlen(request), NULL, NULL);
 *     puts(answer.text);
 *     ceiling_release(&answer);
 *
 * A request is JSON: {"command":"plan","model":"llama-3.1-70b","gpus":"512","fix":["tp=8"]}. Keys
 * are the flags of the command line without their dashes, values what one would write after them,
 * a switch takes true; "config" may carry the text of a config.json. The answer is what
 * `ceiling COMMAND --json` prints, with 0 for the seconds of the search: the same request gives
 * the same bytes on every machine. docs/formats.md has the members of both.
 *
 * No call prints, reads a file, a clock or the environment, or keeps state beside a session:
 * threads may ask at the same time, in one session too. Where memory ends, the answer is an error.
 */
#ifndef CEILING_H
#define CEILING_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__) && !defined(__wasm__)
#define CEILING_API __attribute__((visibility("default")))
#else
#define CEILING_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Owns its text, until ceiling_release. */
typedef struct ceiling_answer {
    const char *text; /* JSON and a newline, NUL-terminated; {"error":{...}} when it went wrong */
    size_t bytes;     /* of the text, without the NUL */
    bool answered;    /* false: the text is an error */
    void *memory;
} ceiling_answer;

/* Told now and then, from the calling thread, which share (0 to 1) of a search is done; returns
 * false to stop it: the answer then says "complete":false. */
typedef bool ceiling_progress(void *context, double share);

/* Answers `request`, `bytes` of UTF-8. `tell` may be NULL. */
CEILING_API ceiling_answer ceiling_ask(const char *request, size_t bytes, ceiling_progress *tell,
                                       void *context);

/* What several questions share: built-in data that was read once, at most 20 MB. It changes no
 * answer; a short one comes in about half the time. NULL: no memory. */
typedef struct clg_kept ceiling_session;
CEILING_API ceiling_session *ceiling_open(void);
CEILING_API ceiling_answer ceiling_ask_in(ceiling_session *session, const char *request,
                                          size_t bytes, ceiling_progress *tell, void *context);

/* After the last of its questions was answered; answers stay. NULL: nothing is done. */
CEILING_API void ceiling_close(ceiling_session *session);

CEILING_API void ceiling_release(ceiling_answer *answer);

/* "0.1.0": major.minor.patch. */
CEILING_API const char *ceiling_version(void);

#ifdef __cplusplus
}
#endif

#endif
