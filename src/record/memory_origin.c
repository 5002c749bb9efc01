/* memory_origin.c -- whose allocation it is, by the frames of its stack. */
#include "record/memory_origin.h"

#include <string.h>

static bool ends(clg_slice text, const char *word) {
    size_t size = strlen(word);
    return text.size >= size && memcmp(text.text + text.size - size, word, size) == 0;
}

/* Of a name that many frames share each looks at all of it: longer ones are passed over. */
static clg_slice sane(clg_slice name) {
    enum { LONGEST = 4096 };
    return name.size <= LONGEST ? name : (clg_slice){"", 0};
}

/* The first row that fits any frame of the stack tells the kind. */
static const struct {
    const char *file, *function; /* parts of their names; NULL: any */
    clg_held_kind kind;
} origins[] = {{"/optim", NULL, CLG_HELD_OPTIMIZER},
               {"optimizer", NULL, CLG_HELD_OPTIMIZER},
               {NULL, "autograd::Engine::", CLG_HELD_AUTOGRAD},
               {NULL, "_engine_run_backward", CLG_HELD_AUTOGRAD},
               {"/torch/nn/", "__init__", CLG_HELD_PARAMETER},
               {"/torch/nn/", "_apply", CLG_HELD_PARAMETER},
               {"/torch/nn/", "_call_impl", CLG_HELD_ACTIVATION},
               {NULL, "forward", CLG_HELD_ACTIVATION}};
enum { ORIGINS = sizeof origins / sizeof *origins };

/* Row of origins, or ORIGINS. */
static unsigned origin_of(clg_slice file, clg_slice function) {
    unsigned row = 0;
    while (row < ORIGINS &&
           ((origins[row].file && !clg_slice_has(file, origins[row].file)) ||
            (origins[row].function && !clg_slice_has(function, origins[row].function))))
        row++;
    return row;
}

/* "model.py:41 forward", for a frame of Python that is not torch's own; else 0. */
static uint32_t site_of(clg_memory_origins *s, clg_slice file, clg_slice function, int64_t line) {
    if (!ends(file, ".py") || clg_slice_has(file, "/torch/") || clg_slice_has(file, "<frozen"))
        return 0;
    size_t from = file.size;
    while (from > 0 && file.text[from - 1] != '/') from--;
    char *text = clg_arena_print(s->site.arena, "%.*s:%lld %.*s", (int)(file.size - from),
                                 file.text + from, (long long)line,
                                 (int)(function.size < 60 ? function.size : 60), function.text);
    return clg_intern_add(&s->site, (clg_slice){text, strlen(text)});
}

/* Frames and stacks are shared by many allocations: what was found is noted there, as 1 + row of
 * origins, and the site above it. */
enum { SITE_SHIFT = 8, ROW_MASK = (1 << SITE_SHIFT) - 1 };

static uint64_t note_of_frame(clg_memory_origins *s, clg_pickle_value frame) {
    if (frame.kind != CLG_PICKLE_DICT) return 1 + ORIGINS;
    clg_pickle_items *items = frame.is.items;
    if (items->note == 0) {
        clg_slice file = sane(clg_pickle_text(frame, "filename")),
                  function = sane(clg_pickle_text(frame, "name"));
        uint32_t site = site_of(s, file, function, clg_pickle_integer(frame, "line", 0));
        items->note = (uint64_t)site << SITE_SHIFT | (1 + origin_of(file, function));
    }
    return items->note;
}

static uint64_t note_of_stack(clg_memory_origins *s, clg_pickle_items *frames) {
    if (!frames) return 1 + ORIGINS;
    if (frames->note != 0) return frames->note;
    uint64_t row = 1 + ORIGINS, site = 0;
    for (size_t i = 0; i < frames->count; i++) { /* innermost first */
        uint64_t note = note_of_frame(s, frames->item[i]);
        if ((note & ROW_MASK) < row) row = note & ROW_MASK;
        if (site == 0) site = note >> SITE_SHIFT;
    }
    return frames->note = site << SITE_SHIFT | row;
}

clg_memory_origin clg_memory_origin_of(clg_memory_origins *s, clg_pickle_items *frames) {
    uint64_t note = note_of_stack(s, frames), row = (note & ROW_MASK) - 1;
    clg_held_kind kind = row < ORIGINS ? origins[row].kind : CLG_HELD_UNKNOWN;
    return (clg_memory_origin){(uint8_t)kind, (uint32_t)(note >> SITE_SHIFT)};
}

void clg_memory_origins_begin(clg_memory_origins *s, clg_arena *arena) {
    s->site = (clg_intern){.arena = arena};
    clg_intern_add(&s->site, (clg_slice){"?", 1});
}
