/* pickle.c -- the instructions of pickle that hold data (CPython, Lib/pickletools.py), on a stack
 * and a memo. What calls (GLOBAL, REDUCE, BUILD, INST, OBJ, NEWOBJ, persistent and extension ids)
 * is left out on purpose, and text protocols 0 and 1 because nobody writes them by default. */
#include "record/pickle.h"

#include "record/scan.h"

#include <string.h>

typedef struct machine {
    clg_arena *arena;
    const unsigned char *at, *end;
    clg_pickle_value *stack, *memo;
    size_t depth, stack_capacity, memo_count, memo_capacity;
    size_t *mark; /* depths of the stack */
    size_t marks, mark_capacity;
    const char *why;
} machine;

static bool fault(machine *m, const char *why) {
    m->why = why;
    return false;
}

static bool cut(machine *m) { return fault(m, "the pickle is cut"); }

static bool push(machine *m, clg_pickle_value value) {
    CLG_APPEND(m->arena, m->stack, m->depth, m->stack_capacity, value);
    return true;
}

/* Little endian, of up to eight bytes. */
static bool take_number(machine *m, int bytes, uint64_t *value) {
    *value = 0;
    if (m->end - m->at < bytes) return cut(m);
    for (int i = bytes; i-- > 0;) *value = *value << 8 | m->at[i];
    m->at += bytes;
    return true;
}

static bool push_integer(machine *m, int64_t value) {
    return push(m, (clg_pickle_value){.is.integer = value, .kind = CLG_PICKLE_INTEGER});
}

/* One and two bytes have no sign, four have. */
static bool take_integer(machine *m, int bytes) {
    uint64_t value;
    if (!take_number(m, bytes, &value)) return false;
    return push_integer(m, bytes == 4 ? (int32_t)(uint32_t)value : (int64_t)value);
}

/* Two's complement of any length; what eight bytes do not hold is not known. */
static bool take_long(machine *m, int length_bytes) {
    uint64_t length, value;
    if (!take_number(m, length_bytes, &length)) return false;
    if (length > (uint64_t)(m->end - m->at)) return cut(m);
    const unsigned char *after = m->at + length;
    if (length > 8) {
        m->at = after;
        return push(m, (clg_pickle_value){0});
    }
    take_number(m, (int)length, &value);
    if (length > 0 && length < 8 && value >> (8 * length - 1)) value |= UINT64_MAX << 8 * length;
    return push_integer(m, (int64_t)value);
}

static bool take_text(machine *m, int length_bytes, bool wanted) {
    uint64_t length;
    if (!take_number(m, length_bytes, &length)) return false;
    if (length > (uint64_t)(m->end - m->at)) return cut(m);
    clg_pickle_value text = {.is.text = (const char *)m->at,
                             .size = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX,
                             .kind = CLG_PICKLE_TEXT};
    m->at += length;
    return push(m, wanted ? text : (clg_pickle_value){0});
}

static bool skip(machine *m, uint64_t bytes) {
    if (bytes > (uint64_t)(m->end - m->at)) return cut(m);
    m->at += bytes;
    return true;
}

/* ---- lists and dictionaries ---- */

/* What lies on the stack from `from` on; room for what is known to come, then by doubling. */
static void append(machine *m, clg_pickle_items *to, size_t from) {
    size_t count = m->depth - from, twice = 2 * to->capacity;
    if (count == 0) return;
    if (to->count + count > to->capacity) {
        to->capacity = to->count + count > twice ? to->count + count : twice;
        clg_pickle_value *grown = clg_take(m->arena, to->capacity, clg_pickle_value);
        if (to->count > 0) memcpy(grown, to->item, to->count * sizeof *grown);
        to->item = grown;
    }
    memcpy(to->item + to->count, m->stack + from, count * sizeof *to->item);
    to->count += count;
    m->depth = from;
}

static bool push_items(machine *m, clg_pickle_kind kind, size_t from) {
    clg_pickle_value value = {.is.items = clg_take(m->arena, 1, clg_pickle_items),
                              .kind = (uint8_t)kind};
    append(m, value.is.items, from);
    return push(m, value);
}

static bool take_mark(machine *m, size_t *depth) {
    if (m->marks == 0) return fault(m, "the pickle is damaged: no mark");
    *depth = m->mark[--m->marks];
    return *depth <= m->depth || fault(m, "the pickle is damaged: a mark out of order");
}

/* Puts what lies from `from` on into the list or dictionary below it. */
static bool put_into(machine *m, clg_pickle_kind kind, size_t from) {
    bool fits = from > 0 && from <= m->depth && m->stack[from - 1].kind == kind &&
                (kind == CLG_PICKLE_LIST || (m->depth - from) % 2 == 0);
    if (!fits) return fault(m, "the pickle is damaged: nothing to put values into");
    append(m, m->stack[from - 1].is.items, from);
    return true;
}

static bool put_marked(machine *m, clg_pickle_kind kind) {
    size_t from;
    return take_mark(m, &from) && put_into(m, kind, from);
}

static bool put_last(machine *m, clg_pickle_kind kind, size_t count) {
    return m->depth > count ? put_into(m, kind, m->depth - count) : put_into(m, kind, 0);
}

static bool gather_marked(machine *m, clg_pickle_kind kind) {
    size_t from;
    if (!take_mark(m, &from)) return false;
    if (kind == CLG_PICKLE_DICT && (m->depth - from) % 2)
        return fault(m, "the pickle is damaged: a key without value");
    return push_items(m, kind, from);
}

static bool gather_last(machine *m, size_t count) {
    if (m->depth < count) return fault(m, "the pickle is damaged: too few values");
    return push_items(m, CLG_PICKLE_LIST, m->depth - count);
}

/* ---- the memo ---- */

/* Writers count from 0 or 1: a number far beyond is a trap for memory. */
static bool remember(machine *m, uint64_t place) {
    if (m->depth == 0 || place > m->memo_count + 1)
        return fault(m, "the pickle is damaged: a memo out of order");
    while (m->memo_count <= place)
        CLG_APPEND(m->arena, m->memo, m->memo_count, m->memo_capacity, (clg_pickle_value){0});
    m->memo[place] = m->stack[m->depth - 1];
    return true;
}

static bool remember_at(machine *m, int bytes) {
    uint64_t place;
    return take_number(m, bytes, &place) && remember(m, place);
}

static bool recall(machine *m, int bytes) {
    uint64_t place;
    if (!take_number(m, bytes, &place)) return false;
    if (place >= m->memo_count) return fault(m, "the pickle is damaged: nothing in that memo");
    return push(m, m->memo[place]);
}

/* ---- instructions ---- */

static bool mark_here(machine *m) {
    CLG_APPEND(m->arena, m->mark, m->marks, m->mark_capacity, m->depth);
    return true;
}

static bool value_of(machine *m, unsigned char code) {
    switch (code) {
    case 'N':
        return push(m, (clg_pickle_value){0});
    case 0x88:
        return push_integer(m, 1);
    case 0x89:
        return push_integer(m, 0);
    case 'K':
        return take_integer(m, 1);
    case 'M':
        return take_integer(m, 2);
    case 'J':
        return take_integer(m, 4);
    case 0x8a:
        return take_long(m, 1);
    case 0x8b:
        return take_long(m, 4);
    case 'G':
        return skip(m, 8) && push(m, (clg_pickle_value){0});
    case 0x8c:
        return take_text(m, 1, true);
    case 'X':
        return take_text(m, 4, true);
    case 0x8d:
        return take_text(m, 8, true);
    case 'C':
        return take_text(m, 1, false);
    case 'B':
        return take_text(m, 4, false);
    case 0x8e:
        return take_text(m, 8, false);
    default:
        return fault(m, "this pickle holds more than data (it names or calls Python): not opened");
    }
}

static bool instruct(machine *m, unsigned char code) {
    switch (code) {
    case 0x80:
        return skip(m, 1); /* the protocol */
    case 0x95:
        return skip(m, 8); /* a frame: only its length */
    case '(':
        return mark_here(m);
    case ']':
        return push_items(m, CLG_PICKLE_LIST, m->depth);
    case ')':
        return push_items(m, CLG_PICKLE_LIST, m->depth);
    case '}':
        return push_items(m, CLG_PICKLE_DICT, m->depth);
    case 'a':
        return put_last(m, CLG_PICKLE_LIST, 1);
    case 'e':
        return put_marked(m, CLG_PICKLE_LIST);
    case 's':
        return put_last(m, CLG_PICKLE_DICT, 2);
    case 'u':
        return put_marked(m, CLG_PICKLE_DICT);
    case 'l':
    case 't':
        return gather_marked(m, CLG_PICKLE_LIST);
    case 'd':
        return gather_marked(m, CLG_PICKLE_DICT);
    case 0x85:
        return gather_last(m, 1);
    case 0x86:
        return gather_last(m, 2);
    case 0x87:
        return gather_last(m, 3);
    case 0x94:
        return remember(m, m->memo_count);
    case 'q':
        return remember_at(m, 1);
    case 'r':
        return remember_at(m, 4);
    case 'h':
        return recall(m, 1);
    case 'j':
        return recall(m, 4);
    default:
        return value_of(m, code);
    }
}

bool clg_pickle_read(clg_arena *arena, clg_slice data, clg_pickle_value *root, const char **why) {
    const unsigned char *text = (const unsigned char *)data.text;
    machine m = {.arena = arena, .at = text, .end = text + data.size};
    while (m.at < m.end && *m.at != '.')
        if (!instruct(&m, *m.at++)) break;
    if (!m.why && m.at == m.end) cut(&m);
    if (!m.why && m.depth != 1) fault(&m, "the pickle is damaged: not one value");
    *why = m.why;
    if (!m.why) *root = m.stack[0];
    return !m.why;
}

/* ---- reading what is there ---- */

clg_pickle_value clg_pickle_member(clg_pickle_value dict, const char *key) {
    if (dict.kind != CLG_PICKLE_DICT) return (clg_pickle_value){0};
    for (size_t i = dict.is.items->count; i >= 2; i -= 2) { /* the last of a key counts */
        const clg_pickle_value *k = &dict.is.items->item[i - 2];
        if (k->kind == CLG_PICKLE_TEXT && clg_slice_is((clg_slice){k->is.text, k->size}, key))
            return k[1];
    }
    return (clg_pickle_value){0};
}

int64_t clg_pickle_integer(clg_pickle_value dict, const char *key, int64_t absent) {
    clg_pickle_value v = clg_pickle_member(dict, key);
    return v.kind == CLG_PICKLE_INTEGER ? v.is.integer : absent;
}

clg_slice clg_pickle_text(clg_pickle_value dict, const char *key) {
    clg_pickle_value v = clg_pickle_member(dict, key);
    return v.kind == CLG_PICKLE_TEXT ? (clg_slice){v.is.text, v.size} : (clg_slice){"", 0};
}

size_t clg_pickle_count(clg_pickle_value list) {
    return list.kind == CLG_PICKLE_LIST ? list.is.items->count : 0;
}
