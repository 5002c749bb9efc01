/* kept.h -- files of data/ that were read once and serve every later question.
 *
 * Reading them anew is most of the work of a short question. Who asks several (a session, a page, a
 * program over many jobs) opens one of these and lays it beside its arenas; arenas made beside
 * those (clg_arena_beside, clg_cores_each) use it too, from any number of threads. Only built-in
 * files are kept, each once: what it holds is bounded by data/, about 10 MB when all were read. */
#ifndef CLG_DATASET_KEPT_H
#define CLG_DATASET_KEPT_H

#include "base/csv.h"
#include "base/json.h"

typedef struct clg_kept clg_kept;

/* Empty. Ends as an arena does where memory ends. */
clg_kept *clg_kept_open(void);

/* Nothing that was read with it may be used any more, in no thread. NULL: nothing is done. */
void clg_kept_close(clg_kept *kept);

/* As clg_json_parse. Where `text` is that of the built-in file `name` and the arena has something
 * kept, the tree is the kept one; else it is parsed into the arena. */
clg_status clg_dataset_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                             const clg_json **root, clg_error *error);

/* The built-in table at `path`, below data/: one that is not there, or is no table, is a bug. Where
 * the arena has something kept its fields are shared, and not to be written over. */
clg_csv clg_dataset_csv(clg_arena *arena, const char *path);

/* What a reader made of built-in files, by a name that data/ bounds. It may point into kept trees
 * and tables, and at what lives as long as the program. NULL: nothing yet, or the arena has nothing
 * kept, and then nothing is put. */
const void *clg_kept_made(const clg_arena *arena, const char *name);
void clg_kept_put(const clg_arena *arena, const char *name, const void *made, size_t size);

#endif
