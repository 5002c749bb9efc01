/* door.h -- JSON in, JSON out: the whole core behind one call, for hosts without a command line.
 *
 * {"command":"plan","model":"llama-3.1-405b","gpus":"512","tp":"4,8","fix":["pp=8"],...}
 *
 * Keys are the flags of params.def, values what one would write after the flag; a switch takes
 * true. "config" carries the text of a config.json, "model" then is only its name. The answer is
 * the text that `ceiling COMMAND --json` prints, with 0 seconds. */
#ifndef CLG_API_DOOR_H
#define CLG_API_DOOR_H

#include "base/text.h"
#include "search/search.h"

/* Appends the answer to `out`; what is wrong becomes {"error":{...,"sentence"}}, where sentence is
 * what the command line says. The status is that of the error. */
clg_status clg_door_call(clg_arena *arena, const char *text, size_t size, clg_progress progress,
                         clg_text *out);

#endif
