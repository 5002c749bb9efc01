/* Files of data/ parsed once: the same tree for all, none for other texts, whole after a call that
 * ran out of memory. */
#include "base/cores.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "dataset/value.h"
#include "test.h"

#include <pthread.h>

static const clg_json *parse(clg_arena *arena, const char *name, const char *text) {
    const clg_json *root = NULL;
    clg_error error = {0};
    return clg_dataset_parse(arena, name, text, strlen(text), &root, &error) == CLG_OK ? root
                                                                                       : NULL;
}

static const clg_json *h100(clg_arena *arena) {
    const clg_file *file = clg_dataset_find("gpu/h100-sxm.json");
    return parse(arena, file->path, file->text);
}

/* A reader ends while another has begun an object of the file and asked for none of its members. */
static clg_status looked_into(clg_arena *arena, const char *object) {
    clg_error error = {0};
    const clg_json *root = h100(arena);
    clg_json_entries(root);
    const clg_json *begun = clg_json_member(root, object);
    CHECK(begun && clg_json_member(begun, "?") == NULL);
    return clg_value_done(root, "gpu/h100-sxm.json", &error);
}

typedef struct reading {
    clg_arena arena;
    const clg_json *root[2];
} reading;

static void read_in_piece(void *context, int index, clg_arena *arena) {
    reading *r = context;
    r->root[index] = h100(arena);
}

static void read_then_end(void *context) {
    reading *r = context;
    r->root[0] = h100(&r->arena);
    clg_arena_take(&r->arena, 2000, 1000);
}

static void *read_all(void *context) {
    int count;
    size_t members = 0;
    clg_arena arena = {.kept = context};
    const clg_file *files = clg_dataset_files(&count);
    for (int i = 0; i < count; i++) {
        if (!strstr(files[i].path, ".json")) continue;
        const clg_json *root = parse(&arena, files[i].path, files[i].text);
        clg_json_member(root, "name");
        members += root->count;
    }
    clg_arena_clear(&arena);
    return (void *)(members + (arena.used_bytes > 0)); /* of the kept trees nothing is ours */
}

int main(void) {
    clg_kept *kept = clg_kept_open();
    clg_arena one = {.kept = kept}, two = clg_arena_beside(&one), none = {0};
    CASE("one tree for every arena beside the kept files, an own one without them");
    CHECK(h100(&one) && h100(&one) == h100(&two) && h100(&none) != h100(&one));
    CHECK(one.used_bytes == 0 && none.used_bytes > 0);
    CASE("what was made of files is found beside the same kept ones, and nowhere else");
    int made = 7;
    clg_kept_put(&one, "seven", &made, sizeof made);
    made = 8;
    clg_kept_put(&none, "eight", &made, sizeof made);
    const int *seven = clg_kept_made(&two, "seven");
    CHECK(seven && *seven == 7 && !clg_kept_made(&one, "eight") && !clg_kept_made(&none, "eight"));
    CASE("a text of one's own under a built-in name is not the built-in file");
    const clg_json *own = parse(&one, "gpu/h100-sxm.json", "{\"name\": \"mine\"}");
    CHECK_TEXT(clg_json_member(own, "name")->text, "mine");
    CHECK(clg_json_member(h100(&one), "peak") != NULL);
    size_t own_bytes = one.used_bytes;
    CASE("a table too: one for all, an own one without them");
    clg_csv table, again, alone;
    table = clg_dataset_csv(&one, "electricity.csv");
    again = clg_dataset_csv(&two, "electricity.csv");
    alone = clg_dataset_csv(&none, "electricity.csv");
    CHECK(table.row == again.row && table.row != alone.row && table.rows == alone.rows);
    CHECK(one.used_bytes == own_bytes);
    CASE("every table that is built in is one");
    int files;
    const clg_file *file = clg_dataset_files(&files);
    for (int i = 0; i < files; i++)
        if (strstr(file[i].path, ".csv")) CHECK(clg_dataset_csv(&none, file[i].path).columns > 1);
    CASE("one that is through with a file does not miss what another has still to read");
    clg_arena_clear(&none);
    CHECK(looked_into(&one, "hbm") == CLG_OK);
    CHECK(looked_into(&none, "hbm") == CLG_BAD_INPUT);
    CASE("pieces of work read the same tree");
    reading r = {.arena = {.kept = kept}};
    clg_cores_each((clg_progress){NULL}, &r.arena, 2, read_in_piece, &r);
    CHECK(r.root[0] == h100(&one) && r.root[1] == r.root[0]);
    clg_arena_clear(&r.arena);
    clg_kept_close(kept);
    CASE("what a call kept before memory ended stays");
    kept = clg_kept_open();
    r = (reading){.arena = {.kept = kept, .limit_bytes = 1000000}};
    CHECK(!clg_arena_guarded(read_then_end, &r));
    clg_arena after = {.kept = kept};
    CHECK(r.root[0] && h100(&after) == r.root[0]);
    CHECK_TEXT(clg_json_member(h100(&after), "name")->text, "h100-sxm");
    CASE("several threads at once");
    pthread_t thread[4];
    void *members[4];
    for (int i = 0; i < 4; i++) pthread_create(&thread[i], NULL, read_all, kept);
    for (int i = 0; i < 4; i++) pthread_join(thread[i], &members[i]);
    for (int i = 1; i < 4; i++) CHECK(members[i] == members[0] && members[0]);
    clg_kept_close(kept);
    clg_arena_clear(&one);
    clg_arena_clear(&two);
    clg_arena_clear(&none);
    return DONE;
}
