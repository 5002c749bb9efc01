/* trace_archive.h -- many recordings in one file: every member of a zip, and of a tar, which may be
 * compressed and whose members may be. */
#ifndef CLG_CLI_TRACE_ARCHIVE_H
#define CLG_CLI_TRACE_ARCHIVE_H

#include "cli/trace_files.h"

/* A member as it is read: its name is "archive:member". */
typedef struct clg_member_file {
    const char *name;
    clg_slice head;
    clg_trace_source source;
} clg_member_file;

typedef void clg_member_reader(void *context, const clg_member_file *member);

/* Hands a member to `read` as it is, or inflated where it is gzip. */
void clg_archive_hand_member(const char *name, clg_trace_source source, clg_member_reader *read,
                             void *context);

/* Whether a file begins like a tar. */
bool clg_archive_is_tar(clg_slice head);

/* Hands every file of a tar to `read`, one after the other. */
void clg_archive_read_tar(clg_arena *arena, const char *path, clg_trace_source source,
                          clg_member_reader *read, void *context);

/* Where the members of a zip lie, none where there are fewer than two or it is no zip. */
size_t clg_archive_zip_members(clg_arena *arena, const char *path, clg_zip_member **members);

#endif
