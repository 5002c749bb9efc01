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
    CASE("what is written is read again");
    static const char *const fields[] = {"plain", "a,b", "say \"hi\"", "two\nlines", ""};
    clg_text out = {.arena = &arena};
    clg_text_print(&out, "a,b,c,d,e\n");
    for (int i = 0; i < 5; i++) {
        if (i > 0) clg_text_print(&out, ",");
        clg_csv_add(&out, fields[i]);
    }
    error = (clg_error){0};
    CHECK(clg_csv_parse(&arena, "t", out.data, out.size, &csv, &error) == CLG_OK && csv.rows == 1);
    for (int i = 0; i < 5 && csv.columns == 5; i++) CHECK_TEXT(csv.row[0].field[i], fields[i]);
    CHECK(strncmp(out.data + 10, "plain,\"a,b\",", 12) == 0); /* quotes only where they must be */
    clg_arena_clear(&arena);
    return DONE;
}
