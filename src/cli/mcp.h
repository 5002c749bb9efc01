/* mcp.h -- one message of the Model Context Protocol answered (modelcontextprotocol.io, revision
 * 2025-06-18; JSON-RPC 2.0). Tools only: no resources, prompts, sampling, progress or cancelling.
 */
#ifndef CLG_CLI_MCP_H
#define CLG_CLI_MCP_H

#include "base/text.h"
#include "ceiling.h"

/* Appends the reply and a newline; nothing where none is due. `tell` may be NULL. */
void clg_mcp_answer(clg_arena *arena, const char *message, size_t size, ceiling_progress *tell,
                    clg_text *out);

/* The reply to a line that is too long to be read. */
void clg_mcp_refuse_length(clg_text *out);

#endif
