/* searcher.h -- internal to search/: the state of one search, and its parts.
 *
 *   keep.c     which plans are kept, and in which order
 *   guess.c    a plan of a small part of the space, to cut the rest by
 *   branch.c   branches of the walk that a later walk passes over
 *   placing.c  the layers of stages that are to be balanced
 *   decide.c   one visit of the walk: bounded, priced or cut
 *   again.c    walks with another limit of memory: nearest miss, front, gamble
 *   search.c   the two walks, and the certificate */
#ifndef CLG_SEARCH_SEARCHER_H
#define CLG_SEARCH_SEARCHER_H

#include "evaluate/bound.h"
#include "search/search.h"
#include "search/walk.h"

/* What is known of a visit of the walk: a layout, or those that recompute 1, 2, .. of its layers.
 */
typedef struct clg_known_visit {
    double seconds; /* what fits takes at least this */
    float bytes;    /* the fullest rank needs at least this, all layers recomputed */
    short fewest;   /* layers to recompute for a bound of memory to pass; more than all: never */
    bool decided;   /* counted in the certificate */
    bool least;     /* `seconds` holds however much memory there is: none recomputes less */
} clg_known_visit;

enum {
    CLG_VISITS_OF_PAGE = 1 << 12,
    CLG_VISIT_PAGES = 1 << 10
}; /* 4 M visits, 96 MB; later ones are bounded twice */

/* The visit with the lowest bound of a block set. */
typedef struct clg_promising {
    double seconds;
    int64_t index, branch;
    clg_layout layout;
    int layers;
    bool balanced;
} clg_promising;

/* What the first walk found in one branch: later ones pass over it where that is enough. */
typedef struct clg_branch {
    int64_t until;   /* index of the visit after its last */
    double least_s;  /* none of its layouts within the limit of memory is faster */
    double always_s; /* nor any within capacity */
    /* Visits not decided yet; their layouts that are too large; those that recompute more than they
     * must, should time cut the rest. */
    int64_t visits, too_large, lazier;
} clg_branch;

/* A plan that was priced and fits. */
typedef struct clg_fitting {
    double seconds, bytes;
} clg_fitting;

enum { CLG_PRICED_SETS = 8, CLG_RULED_BATCHES = 16 };

/* Layers of each chunk, balanced; NULL: even is as good. pp 0: not known. */
typedef struct clg_cut_layers {
    int pp, vpp;
    clg_schedule_kind schedule;
    const int *layers;
} clg_cut_layers;

enum { CLG_CUTS_KNOWN = 256 }; /* of one block set; others are found again */

typedef struct clg_priced_set {
    clg_priced blocks;
    clg_layout of;
    bool valid;
    clg_arena cuts;      /* of these blocks */
    clg_cut_layers *cut; /* [CLG_CUTS_KNOWN]; NULL: none known */
} clg_priced_set;

/* Whatever is recomputed, forward and backward take as long: a bound of all layouts of a
 * micro-batch and a block set, found for the first kind of recomputing, holds for the others. 0:
 * not known. */
typedef struct clg_ruled_degrees {
    clg_layout of;
    double seconds[CLG_RULED_BATCHES][CLG_PRICED_SETS];
} clg_ruled_degrees;

typedef struct clg_searcher {
    clg_arena *arena;
    const clg_scenario *scenario;
    const clg_space *space;
    clg_found *found;
    clg_error *error;
    clg_arena scratch, memory; /* `memory`: what is known of layouts */
    /* Block sets of the current degrees: pp, schedule and accumulation change fastest and switch
     * between a few of them. */
    clg_priced_set *priced[CLG_PRICED_SETS]; /* NULL: not met */
    clg_ruled_degrees ruled;                 /* what is known of them without pricing */
    clg_known_ops *known;                    /* ops priced so far */
    clg_known_visit *page[CLG_VISIT_PAGES];
    clg_promising *sets;
    int64_t set_count;
    size_t set_room;
    clg_branch *branches;
    int64_t branch_count, branch; /* `branch`: the one a walk is in */
    size_t branch_room;
    clg_fitting *fits;
    int64_t fit_count;
    size_t fit_room;
    int64_t index;         /* of the visit */
    double limit_bytes;    /* plans may be predicted to need so much */
    double capacity_bytes; /* so much where they only have to fit as predicted */
    int keep;              /* plans wanted */
    double promised_s;     /* a plan this fast is known to exist */
    double least_missing_bytes;
    clg_progress progress;
    int64_t next_tell; /* layouts decided by then */
} clg_searcher;

/* What became of a layout. Recomputing more of its layers mends TOO_LARGE, and nothing else. */
typedef enum clg_decided { CLG_TOO_LARGE, CLG_TOO_SLOW, CLG_KEPT, CLG_FAILED } clg_decided;

/* Inserts a plan into the sorted list of the best. */
void clg_searcher_keep(clg_searcher *s, const clg_evaluation *e);

/* What a plan needs, times its crowding: what limits hold. */
double clg_searcher_crowded(const clg_searcher *s, const clg_evaluation *e);

/* The blocks of a layout, priced once per set. */
clg_priced *clg_searcher_price(clg_searcher *s, const clg_layout *layout);

/* Which of CLG_PRICED_SETS. */
int clg_searcher_set_of(const clg_layout *layout);

/* A visit's layout with the layers of its chunks, which live until other blocks take the place of
 * its own; false: it would be balanced, is so as it stands, and is visited so too. */
bool clg_searcher_place(clg_searcher *s, const clg_layout *layout, bool balanced,
                        clg_layout *placed);

/* Decides a visit of which that is so. */
bool clg_searcher_same(clg_searcher *s, int layers, clg_known_visit *k);

/* A copy of the split that lives as long as what is found. */
void clg_searcher_own_split(clg_searcher *s, clg_layout *layout);

/* When the blocks are others. */
void clg_searcher_forget_cuts(clg_priced_set *set);

/* A step above this is none of the plans kept. */
double clg_searcher_threshold_s(const clg_searcher *s);

/* No layout of these blocks is faster, whatever is recomputed. */
double clg_searcher_shared_s(clg_searcher *s, const clg_layout *layout);

/* First walk: a branch begins; ends, the last one too. Then what was found in the one of now. */
bool clg_searcher_begin_branch(void *searcher, const clg_layout *layout);
void clg_searcher_end_branches(clg_searcher *s);
void clg_searcher_note_visit(clg_searcher *s, const clg_known_visit *k, int layers);
void clg_searcher_note_unknown(clg_searcher *s);

/* One of its visits was decided out of turn. */
void clg_searcher_take_visit(clg_searcher *s, int64_t branch, const clg_known_visit *k, int layers);

/* Later walks: whether to enter a branch. The second counts what it passes over. */
bool clg_searcher_enter_second(void *searcher, const clg_layout *layout);
bool clg_searcher_enter_tighter(void *searcher, const clg_layout *layout);
bool clg_searcher_enter_looser(void *searcher, const clg_layout *layout);

/* A walk from its beginning; brute force enters everything. */
bool clg_searcher_walk(clg_searcher *s, clg_walk_enter *enter, clg_walk_visit *visit);

/* Both walks over the space of the searcher; false: stopped, or failed. */
bool clg_searcher_walks(clg_searcher *s);

/* Searches the part of the space where the best plans mostly are, and promises what it found. */
void clg_searcher_guess(clg_searcher *s);

/* Where the visit at `index` is remembered; NULL past the last page. */
clg_known_visit *clg_searcher_known(clg_searcher *s, int64_t index);

/* Composes a layout; *seconds is its step, or less when it is too slow. */
clg_decided clg_searcher_evaluate(clg_searcher *s, const clg_layout *layout, double *seconds);

/* No plan of this layout is faster. */
double clg_searcher_bound_s(clg_searcher *s, const clg_layout *layout);

/* The one of `layers` layouts that recomputes n layers of a chunk, 1..layers. */
clg_layout clg_searcher_with_layers(const clg_layout *layout, int n, int layers);

/* The fewest layers to recompute for the memory bound to pass; layers + 1: not even all. */
int clg_searcher_fewest(const clg_searcher *s, const clg_bytes_bound *bound,
                        const clg_layout *layout, int layers);
clg_bytes_bound clg_searcher_bytes(clg_searcher *s, const clg_layout *layout);

/* Both bounds of a visit. */
clg_known_visit clg_searcher_bound(clg_searcher *s, const clg_layout *layout, int layers);

/* Prices what the bounds of a visit leave, and counts each layout once; false: an error. */
bool clg_searcher_decide(clg_searcher *s, const clg_layout *layout, int layers, clg_known_visit *k);

/* What was kept is priced once more in full: sends told from bubbles. */
void clg_searcher_finish(clg_searcher *s, clg_evaluation *kept, int count);

/* The plan that misses the memory by least, when all were cut. */
void clg_searcher_nearest(clg_searcher *s);

/* The fastest plans within less and less memory. */
void clg_searcher_front(clg_searcher *s, int most);

/* The fastest plan that may fit. */
void clg_searcher_gamble(clg_searcher *s);

#endif
