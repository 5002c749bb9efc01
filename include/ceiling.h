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

/* Owns its text, until ceiling_release. Copies of one share it: release one of them only. */
typedef struct ceiling_answer {
    const char *text; /* JSON and a newline, NUL-terminated; {"error":{...}} when it went wrong */
    size_t bytes;     /* of the text, without the NUL */
    bool answered;    /* false: the text is an error */
    void *memory;     /* the library's own */
} ceiling_answer;

/* Told now and then, from the thread that asked and with what it gave as `context`, which share (0
 * to 1) of a search is done; returns false to stop it: the answer then says "complete":false. It
 * may not leave the call another way (longjmp, exceptions). The thread has the C locale then. */
typedef bool ceiling_progress(void *context, double share);

/* Answers `request`, `bytes` of UTF-8 that need no NUL and are not needed afterwards. `tell` may be
 * NULL. There is always an answer to release; what does not fit is one. Where it is not `answered`
 * the text is {"error":{...}} with "status" (the command line's exit status: 1 what was given is
 * wrong, or no memory; 2 no such command or flag), "file", "line", "column", "field" ("" and 0
 * where there is none), "message", "mend" and, of all these, a "sentence". */
CEILING_API ceiling_answer ceiling_ask(const char *request, size_t bytes, ceiling_progress *tell,
                                       void *context);

/* What several questions share: built-in data that was read once, at most 20 MB. It changes no
 * answer; a short one comes in about half the time. NULL: no memory. To be closed. */
typedef struct clg_kept ceiling_session;
CEILING_API ceiling_session *ceiling_open(void);

/* As ceiling_ask, in a session; NULL: in none. */
CEILING_API ceiling_answer ceiling_ask_in(ceiling_session *session, const char *request,
                                          size_t bytes, ceiling_progress *tell, void *context);

/* After the last of its questions was answered, in every thread; answers stay. NULL: nothing is
 * done. */
CEILING_API void ceiling_close(ceiling_session *session);

/* Gives the text back and empties the answer; one that is empty may be released again. */
CEILING_API void ceiling_release(ceiling_answer *answer);

/* "0.1.0": major.minor.patch; lives as long as the library. */
CEILING_API const char *ceiling_version(void);

#ifdef __cplusplus
}
#endif

#endif
