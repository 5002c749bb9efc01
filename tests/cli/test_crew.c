/* Threads that stay: every piece of every round is done once, and is done when the round is over.
 */
#include "cli/threads.h"
#include "test.h"

enum { ROUNDS = 3000, PIECES = 23 };

typedef struct sheet {
    int done[PIECES], round;
    bool early[PIECES]; /* a piece of a round that was over */
} sheet;

static void mark(void *work, int index) {
    sheet *s = work;
    s->early[index] |= s->done[index] != s->round;
    s->done[index]++;
}

static void rounds_of(int threads) {
    clg_arena arena = {0};
    sheet s = {0};
    clg_crew *crew = clg_crew_of(&arena, threads);
    clg_cores cores = clg_crew_cores(crew);
    bool all = true;
    for (s.round = 0; s.round < ROUNDS; s.round++) {
        all = all && cores.each(cores.host, s.round % PIECES + 1, mark, &s, NULL, NULL);
        for (int i = 0; i < PIECES; i++) {
            all = all && s.done[i] == s.round + (i <= s.round % PIECES);
            s.done[i] = s.round + 1;
        }
    }
    for (int i = 0; i < PIECES; i++) all = all && !s.early[i];
    CHECK(all);
    clg_crew_end(crew);
    clg_arena_clear(&arena);
}

int main(void) {
    CASE("as many threads as cores, or as asked; a machine of many keeps the most, not one");
    CHECK(clg_thread_count(8, 0, 0, 256) == 8 && clg_thread_count(384, 1, 0, 256) == 256);
    CHECK(clg_thread_count(8, 4, 0, 256) == 2 && clg_thread_count(2, 4, 0, 256) == 1);
    CHECK(clg_thread_count(8, 4, 300, 256) == 256 && clg_thread_count(-1, 1, 0, 256) == 1);

    CASE("alone, with one, with more than there are cores");
    rounds_of(1);
    rounds_of(2);
    rounds_of(9);
    CASE("a crew that nobody called");
    clg_arena arena = {0};
    clg_crew_end(clg_crew_of(&arena, 4));
    clg_arena_clear(&arena);
    return DONE;
}
