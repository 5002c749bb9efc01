/* searcher.h -- internal to search/: the state of one search, and its parts.
 *
 *   keep.c     which plans are kept, and in which order
 *   decide.c   one visit of the walk: bounded, priced or cut
 *   again.c    walks with another limit of memory: nearest miss, front, gamble
 *   search.c   the two walks, and the certificate */
#ifndef CLG_SEARCH_SEARCHER_H
#define CLG_SEARCH_SEARCHER_H

#include "evaluate/compose.h"
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
    CLG_VISITS_OF_PAGE = 1 << 16,
    CLG_VISIT_PAGES = 64
}; /* 4 M visits, 64 MB; later ones are bounded twice */

/* The visit with the lowest bound of a block set. */
typedef struct clg_promising {
    double seconds;
    int64_t index;
    clg_layout layout;
    int layers;
} clg_promising;

/* A plan that was priced and fits. */
typedef struct clg_fitting {
    double seconds, bytes;
} clg_fitting;

typedef struct clg_searcher {
    clg_arena *arena;
    const clg_scenario *scenario;
    const clg_space *space;
    clg_found *found;
    clg_error *error;
    clg_arena scratch, memory; /* `memory`: what is known of layouts */
    /* Block sets of the current degrees: schedule and accumulation change fastest and switch
     * between four of them. */
    struct {
        clg_priced blocks;
        clg_layout of;
        bool valid;
    } * priced;
    clg_known_visit *page[CLG_VISIT_PAGES];
    clg_promising *sets;
    int64_t set_count;
    size_t set_room;
    clg_fitting *fits;
    int64_t fit_count;
    size_t fit_room;
    int64_t index;      /* of the visit */
    double limit_bytes; /* plans may be predicted to need so much */
    double capacity_bytes;
    int keep;          /* plans wanted */
    double promised_s; /* a plan this fast is known to exist */
    double least_missing_bytes;
    clg_progress progress;
    int64_t next_tell; /* layouts decided by then */
} clg_searcher;

/* What became of a layout. Recomputing more of its layers mends TOO_LARGE, and nothing else. */
typedef enum clg_decided { CLG_TOO_LARGE, CLG_TOO_SLOW, CLG_KEPT, CLG_FAILED } clg_decided;

/* Inserts a plan into the sorted list of the best. */
void clg_searcher_keep(clg_searcher *s, const clg_evaluation *e);

/* The blocks of a layout, priced once per set. */
clg_priced *clg_searcher_price(clg_searcher *s, const clg_layout *layout);

/* A step above this is none of the plans kept. */
double clg_searcher_threshold_s(const clg_searcher *s);

/* Where the visit at `index` is remembered; NULL past the last page. */
clg_known_visit *clg_searcher_known(clg_searcher *s, int64_t index);

/* Composes a layout; *seconds is its step, or less when it is too slow. */
clg_decided clg_searcher_evaluate(clg_searcher *s, const clg_layout *layout, double *seconds);

/* No plan of this layout is faster. */
double clg_searcher_bound_s(clg_searcher *s, const clg_layout *layout);

/* The one of `layers` layouts that recomputes n layers of a chunk, 1..layers. */
clg_layout clg_searcher_with_layers(const clg_layout *layout, int n, int layers);

/* The fewest layers to recompute for the memory bound to pass; layers + 1: not even all. */
int clg_searcher_fewest(clg_searcher *s, const clg_layout *layout, int layers);

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
