/* The words of a list. */
#include "base/word_list.h"
#include "test.h"

int main(void) {
    clg_arena arena = {0};
    const char *list = "8,,16,";
    CASE("one after the other, an empty one between two marks, none behind the last");
    CHECK_TEXT(clg_list_next(&arena, &list, ','), "8");
    CHECK_TEXT(clg_list_next(&arena, &list, ','), "");
    CHECK_TEXT(clg_list_next(&arena, &list, ','), "16");
    CHECK(clg_list_next(&arena, &list, ',') == NULL && *list == '\0');
    CASE("another mark; a list of nothing");
    list = "tied gated";
    CHECK_TEXT(clg_list_next(&arena, &list, ' '), "tied");
    CHECK_TEXT(clg_list_next(&arena, &list, ' '), "gated");
    list = "";
    CHECK(clg_list_next(&arena, &list, ',') == NULL);
    clg_arena_clear(&arena);
    return DONE;
}
