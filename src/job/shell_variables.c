/* shell_variables.c -- texts that know where they were written, and the variables that hold them.
 */
#include "job/shell.h"

#include <string.h>

enum { MOST_BYTES = 4 << 20 };

void clg_shell_stop(clg_shell *s, const char *what) {
    if (!s->stopped) clg_fail(s->error, CLG_BAD_INPUT, "write the values out", "%s", what);
    s->stopped = true;
}

void clg_rich_add(clg_shell *s, clg_rich *rich, const char *text, size_t size, int32_t place) {
    if (s->stopped) return;
    if (s->bytes + size > MOST_BYTES) {
        clg_shell_stop(s, "its variables expand to more than 4 MB");
        return;
    }
    s->bytes += size;
    if (rich->size + size + 1 > rich->capacity) {
        size_t capacity = 2 * (rich->size + size) + 16;
        char *more = clg_take(s->arena, capacity, char);
        int32_t *places = clg_take(s->arena, capacity, int32_t);
        if (rich->size > 0) memcpy(more, rich->text, rich->size);
        if (rich->size > 0) memcpy(places, rich->place, rich->size * sizeof *places);
        rich->text = more, rich->place = places, rich->capacity = capacity;
    }
    if (size > 0) memcpy(rich->text + rich->size, text, size);
    for (size_t i = 0; i < size; i++) rich->place[rich->size + i] = place;
    rich->size += size;
    rich->text[rich->size] = '\0';
}

void clg_rich_join(clg_shell *s, clg_rich *rich, const clg_rich *more) {
    for (size_t i = 0; i < more->size; i++)
        clg_rich_add(s, rich, more->text + i, 1, more->place[i]);
}

const char *clg_rich_text(clg_shell *s, clg_rich *rich) {
    if (!rich->text) clg_rich_add(s, rich, "", 0, 0);
    return rich->text ? rich->text : "";
}

clg_shell_variable *clg_shell_variable_of(clg_shell *s, const char *name, size_t size) {
    for (int i = s->variables; i-- > 0;)
        if (strlen(s->variable[i].name) == size && memcmp(s->variable[i].name, name, size) == 0)
            return &s->variable[i];
    return NULL;
}

clg_shell_variable *clg_shell_set(clg_shell *s, const char *name, size_t size, const clg_rich *word,
                                  int words, bool array) {
    clg_shell_variable *found = clg_shell_variable_of(s, name, size);
    if (!found) {
        if (s->variables == s->variable_room) {
            int room = s->variable_room ? 2 * s->variable_room : 64;
            if (room > 4096) {
                clg_shell_stop(s, "it has more than 4,096 variables");
                return NULL;
            }
            clg_shell_variable *more = clg_take(s->arena, (size_t)room, clg_shell_variable);
            if (s->variables) memcpy(more, s->variable, (size_t)s->variables * sizeof *more);
            s->variable = more, s->variable_room = room;
        }
        found = &s->variable[s->variables++];
        found->name = clg_arena_copy(s->arena, name, size);
    }
    found->word = clg_take(s->arena, (size_t)words + 1, clg_rich);
    if (words > 0) memcpy(found->word, word, (size_t)words * sizeof *word);
    found->words = words, found->array = array;
    return found;
}
