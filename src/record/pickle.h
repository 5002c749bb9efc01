/* pickle.h -- plain data of Python's pickle (protocols 2 to 5): numbers, texts, lists,
 * dictionaries.
 *
 * A pickle is a program for a small machine, and some of its instructions call Python. None of
 * those is known here: a pickle that names a class or calls anything is refused where it does.
 * Values may hold each other, also in circles: whoever walks them must bound how far. */
#ifndef CLG_RECORD_PICKLE_H
#define CLG_RECORD_PICKLE_H

#include "base/arena.h"
#include "record/plain.h"

#include <stdint.h>

typedef enum clg_pickle_kind {
    CLG_PICKLE_NONE, /* None, a real number, bytes: of no use here */
    CLG_PICKLE_INTEGER,
    CLG_PICKLE_TEXT,
    CLG_PICKLE_LIST, /* or a tuple */
    CLG_PICKLE_DICT
} clg_pickle_kind;

typedef struct clg_pickle_value {
    union {
        int64_t integer;
        const char *text; /* of the input */
        struct clg_pickle_items *items;
    } is;
    uint32_t size; /* of a text */
    uint8_t kind;  /* clg_pickle_kind */
} clg_pickle_value;

/* Of a list one by one; of a dictionary key, value, key, value. */
typedef struct clg_pickle_items {
    clg_pickle_value *item;
    size_t count, capacity;
    uint64_t note; /* 0 at first: for whoever walks them */
} clg_pickle_items;

/* False where it is none, is cut or does more than hold data; `why` then says so. */
bool clg_pickle_read(clg_arena *arena, clg_slice data, clg_pickle_value *root, const char **why);

/* The value of a key; of kind none where there is no such key, or no dictionary. */
clg_pickle_value clg_pickle_member(clg_pickle_value dict, const char *key);
int64_t clg_pickle_integer(clg_pickle_value dict, const char *key, int64_t absent);
clg_slice clg_pickle_text(clg_pickle_value dict, const char *key); /* empty: absent */
size_t clg_pickle_count(clg_pickle_value list);                    /* 0 where it is no list */

#endif
