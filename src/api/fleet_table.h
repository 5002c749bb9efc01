/* fleet_table.h -- a table of models, each row a question of `ceiling demand`. */
#ifndef CLG_API_FLEET_TABLE_H
#define CLG_API_FLEET_TABLE_H

#include "api/command.h"
#include "base/csv.h"

enum { CLG_FLEET_COLUMNS = 256 };

typedef struct clg_fleet_reader {
    clg_arena *arena;
    const clg_question *question;
    clg_csv csv;
    int column[CLG_FLEET_COLUMNS]; /* what each is: a flag of demand, or none */
    const char *ignored;           /* columns that are none; NULL: all are */
    int row;
    const char *gpu;    /* of several kinds; NULL: as asked */
    double from, share; /* of all the work: that of the row */
    clg_error *error;
} clg_fleet_reader;

/* The table of the question and what its columns are. */
clg_status clg_fleet_read_table(clg_fleet_reader *reader);

bool clg_fleet_row_is_blank(const clg_fleet_reader *reader);

/* The request with what the row says, and the model's name. */
clg_status clg_fleet_read_row(const clg_fleet_reader *reader, clg_request *own, const char **name);

/* A fault of a cell is one of its line; one of a flag that all have is not. */
clg_status clg_fleet_at_line(const clg_fleet_reader *reader, const clg_request *own);

/* Flags of `ceiling demand` that have no answer for several models. */
clg_status clg_fleet_check_flags(const clg_request *request, clg_error *error);

#endif
