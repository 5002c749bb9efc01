/* Tables: quotes, widths, positions. */
#include "base/csv.h"
#include "test.h"

int main(void) {
    clg_arena arena = {0};
    clg_csv csv;
    clg_error error = {0};
    CASE("quotes, doubled quotes, CRLF, empty lines");
    const char *text = "a,b\r\n1,\"x, \"\"y\"\"\"\r\n\r\n2,\n";
    CHECK(clg_csv_parse(&arena, "t", text, strlen(text), &csv, &error) == CLG_OK);
    CHECK(csv.rows == 2 && csv.columns == 2);
    CHECK_TEXT(clg_csv_field(&csv, 0, "b"), "x, \"y\"");
    CHECK_TEXT(clg_csv_field(&csv, 1, "b"), "");
    CHECK(clg_csv_field(&csv, 0, "c") == NULL);
    CASE("a row of another width has a line");
    text = "a,b\n1,2\n3\n";
    CHECK(clg_csv_parse(&arena, "t", text, strlen(text), &csv, &error) == CLG_BAD_INPUT);
    CHECK(error.line == 3);
    CASE("an open quote is a fault");
    text = "a\n\"x\n";
    error = (clg_error){0};
    CHECK(clg_csv_parse(&arena, "t", text, strlen(text), &csv, &error) == CLG_BAD_INPUT);
    clg_arena_clear(&arena);
    return DONE;
}
