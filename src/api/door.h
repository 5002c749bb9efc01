/* door.h -- JSON in, JSON out: the whole core behind one call, for hosts without a command line.
 *
 * {"command":"plan","model":"llama-3.1-405b","gpus":"512","tp":"4,8","fix":["pp=8"],...}
 *
 * Keys are the flags of params.def, values what one would write after the flag; a switch takes
 * true, a flag that names a file {"name","text"}. "config" carries the text of a config.json,
 * "model" then is only its name. "files" of read and of commands that plan are those of a job,
 * {"name","text"} each; "files" of trace names its recordings, "other_files" those of the run to
 * compare with; their (inflated) bytes are read from the host, in this order. "picture":true asks
 * what is drawn for {"kind":"picture","svg"}, what --svg writes, "timeline":true for what
 * --timeline writes, "text":true {"kind":"text","text"}, what is printed for people. The answer is
 * otherwise the text that `ceiling COMMAND --json` prints, with 0 seconds; timeline, why and params
 * have no
 * --json: what `explain --timeline` writes, what explain says in words, all knobs. */
#ifndef CLG_API_DOOR_H
#define CLG_API_DOOR_H

#include "api/request.h"
#include "base/text.h"
#include "search/search.h"

/* What the core asks of its host; all may be NULL. */
typedef struct clg_door_host {
    clg_progress progress;
    size_t (*read)(void *context, int file, char *to, size_t capacity); /* 0: at the end */
    void *context;                                                      /* of read */
} clg_door_host;

/* Appends the answer to `out`; what is wrong becomes {"error":{...,"sentence"}}, where sentence is
 * what the command line says. The status is that of the error. */
clg_status clg_door_call(clg_arena *arena, const char *text, size_t size, clg_door_host host,
                         clg_text *out);

#endif
