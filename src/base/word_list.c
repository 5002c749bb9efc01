/* word_list.c -- see the header. */
#include "base/word_list.h"

#include <string.h>

char *clg_list_next(clg_arena *arena, const char **list, char mark) {
    const char *from = *list, marks[] = {mark, '\0'};
    size_t size = strcspn(from, marks);
    if (!*from) return NULL;
    *list = from + size + (from[size] == mark);
    return clg_arena_copy(arena, from, size);
}
