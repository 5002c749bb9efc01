/* Logs of nccl-tests: with and without root column, prefixes, N/A. */
#include "record/nccl_log.h"
#include "test.h"

static clg_arena arena;

static clg_nccl_rows rows_of(const char *text) {
    clg_nccl_rows rows = {.arena = &arena};
    clg_nccl_log_read(&rows, "log", (clg_slice){text, strlen(text)});
    return rows;
}

int main(void) {
    CASE("a log as nccl-tests writes it");
    clg_nccl_rows rows = rows_of(
        "+ srun all_reduce_perf_mpi -b 21M -e 672M\n"
        "#  Rank  0 Group  0 Pid 356631 on host device  0 [0x1a] NVIDIA H100 80GB HBM3\n"
        "#  Rank  1 Group  0 Pid 356632 on host device  1 [0x40] NVIDIA H100 80GB HBM3\n"
        "#  size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong\n"
        "    22020096      11010048      half     sum      -1    147.7  149.08  260.89      0"
        "    146.4  150.46  263.30      0\n"
        "# Avg bus bandwidth    : 382.449\n");
    CHECK(rows.count == 2 && rows.row[0].bytes == 22020096 && rows.row[0].ranks == 2);
    CHECK(rows.row[0].operation == CLG_OPERATION_ALL_REDUCE && !rows.row[0].in_place);
    CHECK_NEAR(rows.row[0].time_s, 147.7e-6, 1e-12);
    CHECK_NEAR(rows.row[1].bus_bytes_per_s, 263.30e9, 1e-12);
    CHECK(rows.row[1].in_place && rows.row[1].wrong == 0);
    CASE("prefixes, no root column, N/A");
    rows =
        rows_of("[1,0]<stdout>:  8  2  float  sum  20.5  0.00  0.00  0e+00  20.1  0.00  0.00  N/A\n"
                " 0: 1024  256  float  none  19  0.05  0.09  N/A  18  0.06  0.10  N/A\n");
    CHECK(rows.count == 4 && rows.row[0].bytes == 8 && rows.row[0].wrong == 0);
    CHECK(rows.row[1].wrong == -1 && rows.row[0].operation == CLG_OPERATION_UNKNOWN);
    CHECK_NEAR(rows.row[2].time_s, 19e-6, 1e-12);
    CHECK_NEAR(rows.row[3].algorithm_bytes_per_s, 0.06e9, 1e-12);
    CASE("only an all-reduce has more bus than algorithm bandwidth");
    rows = rows_of("1048576 262144 float sum -1 60.1 17.4 32.6 0 60.2 17.4 32.6 0\n");
    CHECK(rows.count == 2 && rows.row[0].operation == CLG_OPERATION_ALL_REDUCE);
    CASE("other texts have no rows");
    CHECK(rows_of("idx,op,kernel\n0,all_reduce,x\nsum half float 1 2 3\n").count == 0);
    clg_arena_clear(&arena);
    return DONE;
}
