/* word_list.h -- the words of a list in one text, as "8,16,24". */
#ifndef CLG_BASE_WORD_LIST_H
#define CLG_BASE_WORD_LIST_H

#include "base/arena.h"

/* The next word, a copy, and *list behind it and its mark; NULL where nothing is left. A word is
 * empty where marks follow on each other; none is behind a mark that ends the text. */
char *clg_list_next(clg_arena *arena, const char **list, char mark);

#endif
