/* search.c -- bounds every layout, prices what the bounds do not rule out.
 *
 * Layouts that share everything but dp, pp, vpp, schedule and zero share their priced blocks, which
 * are made once. The first walk bounds every layout and remembers the bounds. Then the most
 * promising layout of each block set is priced, the best bound first, until a bound is above the
 * plans kept: good plans are known now. The second walk prices whatever is not ruled out. Bounds
 * are lower bounds of what clg_compose returns, so no layout that is cut can be among the best. */
#include "search/search.h"

#include "evaluate/compose.h"
#include "schedule/schedule.h"
#include "search/walk.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const clg_name clg_cut_names[] = {
    {"memory_bound", CLG_CUT_MEMORY,
     "even a lower bound of its memory is more than the risk allows"},
    {"time_bound", CLG_CUT_TIME, "even a lower bound of its step is above the plans kept"},
    {"does_not_fit", CLG_CUT_NO_FIT, "priced, and needs more memory than the risk allows"},
    {"recomputes_more", CLG_CUT_LAZIER, "recomputes more layers than a plan that fits, or is cut"},
    {NULL, 0, NULL}};

/* What is known of a visit of the walk: a layout, or those that recompute 1, 2, .. of its layers.
 */
typedef struct known {
    double seconds; /* what fits takes at least this */
    float bytes;    /* the fullest rank needs at least this, all layers recomputed */
    short fewest;   /* layers to recompute for a bound of memory to pass; more than all: never */
    bool decided;   /* counted in the certificate */
    bool least;     /* `seconds` holds however much memory there is: none recomputes less */
} known;

enum { PAGE = 1 << 16, PAGES = 64 }; /* 4 M visits, 64 MB; later ones are bounded twice */

/* The visit with the lowest bound of a block set. */
typedef struct promising {
    double seconds;
    int64_t index;
    clg_layout layout;
    int layers;
} promising;

/* A plan that was priced and fits. */
typedef struct fitting {
    double seconds, bytes;
} fitting;

typedef struct searcher {
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
    known *page[PAGES];
    promising *sets;
    int64_t set_count, set_room;
    fitting *fits;
    int64_t fit_count, fit_room;
    int64_t index;      /* of the visit */
    double limit_bytes; /* plans may be predicted to need so much */
    double capacity_bytes;
    int keep;
    double promised_s; /* a plan this fast is known to exist */
    double least_missing_bytes;
    clg_progress progress;
    int64_t next_tell; /* layouts decided by then */
} searcher;

/* Layers of a chunk that are recomputed: 0 in a layout means all. */
static int redone(const clg_layout *l) {
    return l->recompute_layers > 0 ? l->recompute_layers : INT_MAX;
}

/* Deterministic order: faster first, then the simpler layout. */
static bool simpler_but_for_layers(const clg_layout *a, const clg_layout *b) {
    const int rows[][2] = {{a->tp, b->tp},
                           {a->pp, b->pp},
                           {a->cp, b->cp},
                           {(int)a->cp_kind, (int)b->cp_kind},
                           {a->ep, b->ep},
                           {a->zero, b->zero},
                           {(int)a->recompute, (int)b->recompute},
                           {-a->micro_batch, -b->micro_batch},
                           {a->vpp, b->vpp},
                           {(int)a->schedule, (int)b->schedule},
                           {a->etp, b->etp},
                           {a->hsdp, b->hsdp},
                           {b->sp, a->sp},
                           {a->order, b->order},
                           {a->attention, b->attention}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i][0] != rows[i][1]) return rows[i][0] < rows[i][1];
    return false;
}

/* The same but for how many layers are recomputed, if any are. */
static bool same_but_for_layers(const clg_layout *a, const clg_layout *b) {
    return !simpler_but_for_layers(a, b) && !simpler_but_for_layers(b, a);
}

static bool simpler(const clg_layout *a, const clg_layout *b) {
    return same_but_for_layers(a, b) ? redone(a) < redone(b) : simpler_but_for_layers(a, b);
}

static bool better(const clg_evaluation *a, const clg_evaluation *b) {
    if (a->step_s != b->step_s) return a->step_s < b->step_s;
    return simpler(&a->layout, &b->layout);
}

/* Selective recomputing that needs no less memory is nobody's choice: with an attention kernel that
 * keeps no scores there may be nothing to recompute. */
static bool same_but_for_nothing(const clg_evaluation *a, const clg_evaluation *b) {
    const clg_evaluation *none = a->layout.recompute == CLG_RECOMPUTE_NONE ? a : b;
    const clg_evaluation *some = none == a ? b : a;
    clg_layout without = some->layout;
    if (none->layout.recompute != CLG_RECOMPUTE_NONE ||
        some->layout.recompute != CLG_RECOMPUTE_SELECTIVE)
        return false;
    without.recompute = CLG_RECOMPUTE_NONE;
    return some->memory.total_bytes >= none->memory.total_bytes &&
           same_but_for_layers(&none->layout, &without);
}

static void take_out(clg_found *f, int at) {
    f->count--;
    for (int i = at; i < f->count; i++) f->best[i] = f->best[i + 1];
}

/* Inserts into the sorted list of the best; the last one falls out. */
static void keep(searcher *s, const clg_evaluation *e) {
    clg_found *f = s->found;
    for (int i = 0; i < f->count; i++) {
        if (!same_but_for_layers(&f->best[i].layout, &e->layout) &&
            !same_but_for_nothing(&f->best[i], e))
            continue;
        if (!better(e, &f->best[i])) return;
        take_out(f, i);
        break;
    }
    int at = f->count;
    while (at > 0 && better(e, &f->best[at - 1])) at--;
    if (at >= s->keep) return;
    int last = f->count < s->keep ? f->count++ : f->count - 1;
    for (int i = last; i > at; i--) f->best[i] = f->best[i - 1];
    f->best[at] = *e;
}

static clg_priced *price(searcher *s, const clg_layout *layout) {
    int slot = (layout->schedule == CLG_DUALPIPE ? 2 : 0) + (layout->accumulation > 1);
    if (!s->priced[slot].valid || !clg_priced_same(layout, &s->priced[slot].of)) {
        clg_price_blocks(s->scenario, layout, &s->priced[slot].blocks);
        s->priced[slot].of = *layout;
        s->priced[slot].valid = true;
    }
    return &s->priced[slot].blocks;
}

static double threshold_s(const searcher *s) {
    const clg_found *f = s->found;
    if (s->space->exhaustive) return INFINITY;
    return f->count < s->keep ? s->promised_s : f->best[f->count - 1].step_s;
}

static void note_nearest(searcher *s, const clg_evaluation *e) {
    double missing = e->memory.total_bytes - s->limit_bytes;
    if (s->found->has_nearest && missing >= s->least_missing_bytes) return;
    s->least_missing_bytes = missing;
    s->found->nearest = *e;
    s->found->has_nearest = true;
}

/* Where the visit at `index` is remembered; NULL past the last page. */
static known *known_of(searcher *s, int64_t index) {
    int64_t page = index / PAGE;
    if (page >= PAGES) return NULL;
    if (!s->page[page]) s->page[page] = clg_take(&s->memory, PAGE, known);
    return &s->page[page][index % PAGE];
}

/* An array with room for one more: doubled and moved when it is full. */
static void *with_room(searcher *s, void *array, int64_t count, int64_t *room, size_t size) {
    if (count < *room) return array;
    *room = *room ? 2 * *room : 256;
    void *more = clg_arena_take(&s->memory, (size_t)*room, size);
    if (count > 0) memcpy(more, array, (size_t)count * size);
    return more;
}

static void note_fitting(searcher *s, const clg_evaluation *e) {
    s->fits = with_room(s, s->fits, s->fit_count, &s->fit_room, sizeof *s->fits);
    s->fits[s->fit_count++] = (fitting){e->step_s, e->memory.total_bytes};
}

/* What became of a layout. Recomputing more of its layers mends TOO_LARGE, and nothing else. */
typedef enum verdict { TOO_LARGE, TOO_SLOW, KEPT, FAILED } verdict;

/* Composes a layout; *seconds is its step, or less when it is too slow. */
static verdict evaluate(searcher *s, const clg_layout *layout, double *seconds) {
    clg_evaluation e;
    clg_arena_mark mark = clg_arena_here(&s->scratch);
    clg_priced *priced = price(s, layout);
    double cutoff_s = threshold_s(s);
    clg_wanted wanted = {.cutoff_s = isinf(cutoff_s) ? 0 : cutoff_s, .most_bytes = s->limit_bytes};
    clg_status status = clg_compose(&s->scratch, s->scenario, layout, priced, wanted, &e, s->error);
    clg_arena_back_to(&s->scratch, mark);
    if (status != CLG_OK) return FAILED;
    *seconds = e.step_s;
    if (e.memory.total_bytes <= 0) { /* cut off */
        s->found->cut[CLG_CUT_TIME]++;
        return TOO_SLOW;
    }
    s->found->priced++;
    if (e.memory.total_bytes <= s->limit_bytes) {
        keep(s, &e);
        note_fitting(s, &e);
        return KEPT;
    }
    s->found->cut[CLG_CUT_NO_FIT]++;
    note_nearest(s, &e);
    return TOO_LARGE;
}

static double bound_bytes(searcher *s, const clg_layout *layout) {
    return s->space->exhaustive ? 0
                                : clg_compose_bound_bytes(s->scenario, layout, price(s, layout));
}

static double bound_s(searcher *s, const clg_layout *layout) {
    return s->space->exhaustive ? 0 : clg_compose_bound_s(s->scenario, layout, price(s, layout));
}

/* The one of `layers` layouts that recomputes n layers of a chunk, 1..layers. */
static clg_layout with_layers(const clg_layout *layout, int n, int layers) {
    clg_layout each = *layout;
    if (n < layers) each.recompute_layers = n;
    return each;
}

/* The fewest layers to recompute for the memory bound to pass: it falls with their number.
 * layers + 1: not even all of them. */
static int fewest_layers(searcher *s, const clg_layout *layout, int layers) {
    int low = 1, high = layers + 1;
    while (low < high) {
        int n = (low + high) / 2;
        clg_layout each = with_layers(layout, n, layers);
        if (bound_bytes(s, &each) <= s->limit_bytes)
            high = n;
        else
            low = n + 1;
    }
    return low;
}

/* Rounds down: a bound must stay one. */
static float lowered(double bytes) { return (float)(bytes * (1 - 1e-6)); }

static known bound(searcher *s, const clg_layout *layout, int layers) {
    int n = fewest_layers(s, layout, layers);
    known k = {.bytes = lowered(bound_bytes(s, layout)), .fewest = (short)n};
    clg_layout first = with_layers(layout, n, layers);
    k.least = n == 1;
    if (n <= layers) k.seconds = bound_s(s, &first);
    return k;
}

/* Degrees that the outer loops of the walk set. */
static bool same_degrees(const clg_layout *a, const clg_layout *b) {
    return a->tp == b->tp && a->sp == b->sp && a->cp == b->cp && a->cp_kind == b->cp_kind &&
           a->ep == b->ep && a->etp == b->etp && a->recompute == b->recompute &&
           a->attention == b->attention && a->micro_batch == b->micro_batch && a->order == b->order;
}

static void note_promising(searcher *s, promising found) {
    promising *last = s->set_count > 0 ? &s->sets[s->set_count - 1] : NULL;
    bool same_set = last && same_degrees(&found.layout, &last->layout);
    if (same_set && found.seconds >= last->seconds) return;
    if (!same_set) s->sets = with_room(s, s->sets, s->set_count++, &s->set_room, sizeof *s->sets);
    s->sets[s->set_count - 1] = found;
}

static bool first_visit(void *context, const clg_layout *layout, int layers) {
    searcher *s = context;
    int64_t index = s->index++;
    s->found->layouts += layers;
    if (s->space->exhaustive) return true;
    known k = bound(s, layout, layers), *remembered = known_of(s, index);
    if (remembered) *remembered = k;
    if (k.fewest <= layers) note_promising(s, (promising){k.seconds, index, *layout, layers});
    return true;
}

static bool tell(searcher *s) {
    enum { EVERY = 1 << 14 };
    if (!s->progress.tell || s->found->bounded < s->next_tell) return true;
    s->next_tell = s->found->bounded + EVERY;
    double all = s->found->layouts > 0 ? (double)s->found->layouts : 1;
    return s->progress.tell(s->progress.context, (double)s->found->bounded / all);
}

/* Recomputing more is slower and smaller: what comes after a plan that fits, or is too slow, cannot
 * be better. What the certificate counts is counted here, each layout once. */
static bool decide(searcher *s, const clg_layout *layout, int layers, known *k) {
    int n = s->space->exhaustive ? 1 : k->fewest;
    verdict so_far = TOO_LARGE;
    s->found->cut[CLG_CUT_MEMORY] += n - 1;
    for (; n <= layers && (so_far == TOO_LARGE || s->space->exhaustive); n++) {
        clg_layout each = with_layers(layout, n, layers);
        double seconds = n == k->fewest ? k->seconds : bound_s(s, &each);
        if (seconds <= threshold_s(s)) {
            so_far = evaluate(s, &each, &seconds);
            if (so_far == FAILED) return false;
        } else {
            s->found->cut[CLG_CUT_TIME]++;
            so_far = TOO_SLOW;
        }
        if (so_far == TOO_LARGE) continue;
        k->seconds = seconds;
        k->least = n == 1;
    }
    s->found->cut[CLG_CUT_LAZIER] += layers + 1 - n;
    s->found->bounded += layers;
    k->decided = true;
    return true;
}

static int by_promise(const void *a, const void *b) {
    const promising *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
    return x->index < y->index ? -1 : 1; /* a total order: the same in every C library */
}

/* The best bound first, so that few are priced before the rest is ruled out. */
static bool decide_promising(searcher *s) {
    if (s->set_count == 0) return true;
    qsort(s->sets, (size_t)s->set_count, sizeof *s->sets, by_promise);
    for (int64_t i = 0; i < s->set_count && s->sets[i].seconds <= threshold_s(s); i++) {
        known *k = known_of(s, s->sets[i].index);
        if (k && !decide(s, &s->sets[i].layout, s->sets[i].layers, k)) return false;
    }
    return true;
}

static bool second_visit(void *context, const clg_layout *layout, int layers) {
    searcher *s = context;
    known unknown, *k = known_of(s, s->index++);
    if (!tell(s)) return false;
    if (k && k->decided) return true;
    if (!k) {
        unknown = bound(s, layout, layers);
        k = &unknown;
    }
    return decide(s, layout, layers, k);
}

/* What was kept is priced once more in full: sends told from bubbles. */
static void finish_evaluations(searcher *s, clg_evaluation *kept, int count) {
    for (int i = 0; i < count; i++) {
        clg_arena_mark mark = clg_arena_here(&s->scratch);
        clg_compose(&s->scratch, s->scenario, &kept[i].layout, price(s, &kept[i].layout),
                    (clg_wanted){.detail = true}, &kept[i], s->error);
        kept[i].stages = NULL;
        kept[i].caveats = clg_evaluate_caveats(s->arena, s->scenario, &kept[i].layout);
        clg_evaluate_networks(s->arena, s->scenario, &kept[i]);
        clg_arena_back_to(&s->scratch, mark);
    }
}

/* When every layout was cut by the memory bound, the nearest miss has to be looked for. The bound
 * knows little of activations, so it only rules out: what is left is placed. */
typedef struct least_memory {
    searcher *s;
    double bytes; /* least so far, of `layout` */
    clg_layout layout;
    bool any, failed;
} least_memory;

/* Bytes of the fullest rank; negative when the layout cannot be placed. */
static double whole_bytes(searcher *s, const clg_layout *layout) {
    clg_evaluation e;
    clg_arena_mark mark = clg_arena_here(&s->scratch);
    clg_status status = clg_compose(&s->scratch, s->scenario, layout, price(s, layout),
                                    (clg_wanted){.most_bytes = s->limit_bytes}, &e, s->error);
    clg_arena_back_to(&s->scratch, mark);
    return status == CLG_OK ? e.memory.total_bytes : -1;
}

static bool least_memory_visit(void *context, const clg_layout *layout, int layers) {
    least_memory *least = context;
    (void)layers; /* recomputing all takes least */
    double bytes = clg_compose_bound_bytes(least->s->scenario, layout, price(least->s, layout));
    if (least->any && bytes >= least->bytes) return true;
    bytes = whole_bytes(least->s, layout);
    least->failed = bytes < 0;
    if (least->failed || (least->any && bytes >= least->bytes)) return !least->failed;
    least->bytes = bytes;
    least->layout = *layout;
    least->any = true;
    return true;
}

static void find_nearest(searcher *s) {
    least_memory least = {.s = s};
    double seconds;
    clg_walk(s->scenario, s->space, least_memory_visit, &least);
    if (!least.any || least.failed || evaluate(s, &least.layout, &seconds) == FAILED) return;
    s->found->priced--; /* it was counted when the bound cut it */
    s->found->cut[CLG_CUT_NO_FIT]--;
}

/* The fewest layers to recompute that fit within the limit of now. */
static bool decide_again(searcher *s, const clg_layout *layout, int layers, double *seconds) {
    verdict so_far = TOO_LARGE;
    for (int n = fewest_layers(s, layout, layers); n <= layers && so_far == TOO_LARGE; n++) {
        clg_layout each = with_layers(layout, n, layers);
        so_far = bound_s(s, &each) > threshold_s(s) ? TOO_SLOW : evaluate(s, &each, seconds);
    }
    return so_far != FAILED;
}

/* Another walk over what is known, with less memory: more layers are recomputed, no plan is faster
 * than it was. */
static bool tighter_visit(void *context, const clg_layout *layout, int layers) {
    searcher *s = context;
    known unknown, *k = known_of(s, s->index++);
    if (!k) {
        unknown = bound(s, layout, layers);
        k = &unknown;
    }
    if (k->bytes > s->limit_bytes || k->seconds > threshold_s(s)) return true;
    return decide_again(s, layout, layers, &k->seconds);
}

/* And one with more, before the others: what was too large may fit now, and fewer layers may have
 * to be recomputed than what is known of its time takes for granted. */
static bool looser_visit(void *context, const clg_layout *layout, int layers) {
    searcher *s = context;
    double seconds;
    const known *k = known_of(s, s->index++);
    if (k && (k->bytes > s->limit_bytes || (k->least && k->seconds > threshold_s(s)))) return true;
    return decide_again(s, layout, layers, &seconds);
}

/* Of the plans priced before, the fastest within capacity. */
static double fastest_known_s(const searcher *s) {
    double least = INFINITY;
    for (int64_t i = 0; i < s->fit_count; i++)
        if (s->fits[i].bytes <= s->limit_bytes && s->fits[i].seconds < least)
            least = s->fits[i].seconds;
    return least;
}

/* The fastest plan within another limit, into *one; false: there is none, or none faster than what
 * was promised. */
static bool search_again(searcher *s, clg_walk_visit *visit, clg_evaluation *one) {
    clg_found *found = s->found, next = {.best = one};
    s->found = &next;
    s->keep = 1;
    s->index = 0;
    bool whole = clg_walk(s->scenario, s->space, visit, s);
    if (whole && next.count > 0) finish_evaluations(s, one, 1);
    s->found = found;
    return whole && next.count > 0;
}

static void fill_front(searcher *s, int most) {
    clg_found *found = s->found;
    found->front = clg_take(s->arena, (size_t)most, clg_evaluation);
    if (found->count == 0) return;
    clg_evaluation next = found->best[0];
    do {
        found->front[found->front_count++] = next;
        s->limit_bytes = 0.9 * next.memory.total_bytes;
        s->promised_s = fastest_known_s(s);
    } while (found->front_count < most && search_again(s, tighter_visit, &next));
}

static void find_gamble(searcher *s) {
    clg_found *found = s->found;
    clg_evaluation one;
    s->limit_bytes = s->capacity_bytes;
    s->promised_s = found->count > 0 ? found->best[0].step_s : INFINITY;
    if (!search_again(s, looser_visit, &one)) return;
    found->has_gamble = found->count == 0 || one.step_s < found->best[0].step_s;
    if (found->has_gamble) found->gamble = one;
}

static void search(searcher *s) {
    clg_found *f = s->found;
    clg_walk(s->scenario, s->space, first_visit, s);
    s->index = 0;
    f->complete = decide_promising(s) && clg_walk(s->scenario, s->space, second_visit, s);
    if (f->count == 0 && f->complete) find_nearest(s);
    finish_evaluations(s, f->best, f->count);
    finish_evaluations(s, &f->nearest, f->has_nearest);
    if (f->complete && s->space->gamble && f->limit_bytes < s->capacity_bytes) find_gamble(s);
    if (f->complete && s->space->front > 0) fill_front(s, s->space->front);
}

static void set_limit(searcher *s) {
    const clg_scenario *scenario = s->scenario;
    const clg_space *space = s->space;
    s->capacity_bytes = scenario->machine.gpu.memory_usable_bytes - scenario->stack.context_bytes;
    s->limit_bytes =
        clg_memory_limit_bytes(scenario, s->capacity_bytes, space->risk > 0 ? space->risk : 0.5);
    if (space->memory_bytes > 0) s->limit_bytes = fmin(s->limit_bytes, space->memory_bytes);
    s->found->limit_bytes = s->limit_bytes;
}

clg_status clg_search(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                      clg_progress progress, clg_found *found, clg_error *error) {
    clg_found f = {0};
    const char *why = clg_scenario_refuses(arena, scenario, space->precision);
    if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
    searcher s = {.arena = arena,
                  .scenario = scenario,
                  .space = space,
                  .found = &f,
                  .error = error,
                  .keep = space->keep,
                  .promised_s = INFINITY,
                  .progress = progress};
    f.best = clg_take(arena, (size_t)space->keep, clg_evaluation);
    s.priced = clg_arena_take(&s.memory, 4, sizeof *s.priced);
    set_limit(&s);
    search(&s);
    clg_arena_clear(&s.scratch);
    clg_arena_clear(&s.memory);
    if (error->status != CLG_OK) return error->status;
    if (f.layouts == 0) {
        why = clg_walk_refused(arena, scenario, space);
        return clg_fail(error, CLG_BAD_INPUT, NULL, "no layout is legal: %s", why);
    }
    *found = f;
    return CLG_OK;
}
