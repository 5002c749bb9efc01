/* cores.c -- pieces of work, each with an arena, which the caller's takes over at the end. */
#include "base/cores.h"

typedef struct pieces {
    clg_piece *piece;
    void *context;
    clg_arena *arenas;
} pieces;

static void run(void *work, int index) {
    pieces *p = work;
    p->piece(p->context, index, &p->arenas[index]);
}

/* One core: this one. */
static bool one_by_one(void *host, int count, void (*work_on)(void *work, int index), void *work,
                       clg_tell *tell, void *told) {
    (void)host;
    for (int i = 0; i < count; i++) {
        if (tell && !tell(told, (double)i / count)) return false;
        work_on(work, i);
    }
    return true;
}

bool clg_cores_each(clg_progress progress, clg_arena *arena, int count, clg_piece *piece,
                    void *context) {
    static const clg_cores one = {one_by_one, NULL};
    const clg_cores *cores = progress.cores ? progress.cores : &one;
    pieces all = {piece, context, clg_take(arena, (size_t)(count > 0 ? count : 1), clg_arena)};
    for (int i = 0; i < count; i++) all.arenas[i] = clg_arena_beside(arena);
    bool whole = cores->each(cores->host, count, run, &all, progress.tell, progress.context);
    for (int i = 0; i < count; i++) clg_arena_adopt(arena, &all.arenas[i]);
    return whole;
}
