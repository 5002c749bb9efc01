/* schema.h -- what the door takes, as JSON Schema: for assistants, editors and forms of others. */
#ifndef CLG_CLI_SCHEMA_H
#define CLG_CLI_SCHEMA_H

#include "base/text.h"

#include <stdbool.h>

/* [{"name","description","inputSchema"}...], made from the descriptors of the commands that the
 * door answers and of their knobs. */
void clg_schema_tools(clg_json_writer *writer);

/* Whether there is such a tool. */
bool clg_schema_has(const char *name);

#endif
