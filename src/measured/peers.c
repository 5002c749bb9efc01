/* peers.c -- see the header. */
#include "measured/peers.h"

#include "measured/cells.h"

#include <math.h>
#include <string.h>

const char clg_peer_measured[] = "measured";

bool clg_peers_recognised(const clg_csv *table) {
    static const char *const needed[] = {"id", "by", "itl_ms"};
    size_t found = 0, count = sizeof needed / sizeof *needed;
    for (int i = 0; i < table->columns; i++)
        for (size_t j = 0; j < count; j++) found += strcmp(table->column[i], needed[j]) == 0;
    return found == count;
}

/* Milliseconds; what is not above 0 was not predicted. */
static double seconds(const clg_cell_reader *r, const char *column) {
    double value = clg_cell_number(r, column, (double)NAN);
    return value > 0 ? value / 1e3 : (double)NAN;
}

const clg_peer *clg_peers_read(clg_arena *arena, const clg_csv *tables, int count, int *peers) {
    int lines = 0, n = 0;
    for (int i = 0; i < count; i++) lines += tables[i].rows;
    clg_peer *peer = clg_take(arena, (size_t)lines + 1, clg_peer);
    for (int i = 0; i < count; i++) {
        if (!clg_peers_recognised(&tables[i])) continue;
        for (int line = 0; line < tables[i].rows; line++) {
            clg_cell_reader r = {.arena = arena, .table = &tables[i], .row = line};
            clg_peer *p = &peer[n++];
            *p = (clg_peer){.id = clg_cell_word(&r, "id"), .by = clg_cell_word(&r, "by")};
            p->value[CLG_MEASURE_TTFT] = seconds(&r, "ttft_ms");
            p->value[CLG_MEASURE_TPOT] = seconds(&r, "itl_ms");
            p->value[CLG_MEASURE_ANSWER] = seconds(&r, "answer_ms");
            p->value[CLG_MEASURE_RATE] = (double)NAN;
        }
    }
    *peers = n;
    return peer;
}

const clg_peer *clg_peer_find(const clg_measured_table *t, const char *id, const char *by) {
    for (int i = 0; i < t->peers; i++)
        if (strcmp(t->peer[i].id, id) == 0 && strcmp(t->peer[i].by, by) == 0) return &t->peer[i];
    return NULL;
}

clg_measured_table clg_peers_table(clg_arena *arena, const clg_measured_table *t, const char *by) {
    clg_measured_table of = {.row = clg_take(arena, (size_t)t->rows + 1, clg_measured)};
    for (int i = 0; i < t->rows; i++) {
        if (t->row[i].reason || !t->row[i].id) continue;
        const clg_peer *told = clg_peer_find(t, t->row[i].id, by);
        const clg_peer *measured = clg_peer_find(t, t->row[i].id, clg_peer_measured);
        if (!told || !measured) continue;
        clg_measured *row = &of.row[of.rows++];
        *row = (clg_measured){.id = t->row[i].id};
        for (int m = 0; m < CLG_MEASURES; m++) {
            bool both = isfinite(told->value[m]) && isfinite(measured->value[m]);
            row->measured[m] = both ? measured->value[m] : (double)NAN;
            row->predicted[m] = told->value[m];
            row->low[m] = row->high[m] = row->roofline[m] = row->constant[m] = (double)NAN;
        }
    }
    return of;
}
