/* Logs and JSON of nccl-tests: groups side by side, prefixes, options, runs that failed. */
#include "calibrate/samples.h"
#include "test.h"

static clg_arena arena;
static clg_error error;

static clg_status read_with(clg_samples *samples, const char *file, const char *text) {
    clg_csv runs;
    clg_samples_form form;
    error = (clg_error){0};
    return clg_samples_read(&arena, file, text, strlen(text), samples, &form, &runs, &error);
}

static clg_samples read(const char *file, const char *text) {
    clg_samples s = {0};
    CHECK(read_with(&s, file, text) == CLG_OK);
    return s;
}

/* Two nodes of two, one GPU of each node in a group. */
#define SPLIT                                                                                      \
    "0: #  Rank  0 Group  0 Pid 1 on n1 device  0 [0x1] NVIDIA H100 80GB HBM3\n"                   \
    "0: #  Rank  1 Group  1 Pid 2 on n1 device  1 [0x2] NVIDIA H100 80GB HBM3\n"                   \
    "0: #  Rank  2 Group  0 Pid 3 on n2 device  0 [0x1] NVIDIA H100 80GB HBM3\n"                   \
    "0: #  Rank  3 Group  1 Pid 4 on n2 device  1 [0x2] NVIDIA H100 80GB HBM3\n"
#define HEAD                                                                                       \
    "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"
#define ROW "0:  1048576 262144 float sum -1 100.5 1 1 0 99 1 1 0\n"

static const char *const JSON =
    "{\"version\":1,\"args\":[\"./build/all_gather_perf\",\"-J\",\"x\"],\"env\":[\"A=1\"],"
    "\"nccl_version\":22700,\"config\":{\"nthreads\":1,\"ngpus\":4,\"devices\":["
    "{\"rank\":0,\"group\":0,\"hostname\":\"n1\",\"device_info\":\"NVIDIA H200\"},"
    "{\"rank\":4,\"group\":0,\"hostname\":\"n2\",\"device_info\":\"NVIDIA H200\"}]},\"results\":["
    "{\"size\":1024,\"out_of_place\":{\"time\":50.25,\"nwrong\":0},\"in_place\":{\"time\":40}},"
    "{\"size\":2048,\"out_of_place\":{\"time\":60,\"nwrong\":3}},"
    "{\"size\":4096,\"out_of_place\":{\"time\":\"nan\"}},"
    "{\"size\":8192,\"out_of_place\":null,\"in_place\":{\"time\":70,\"nwrong\":null}}],"
    "\"end_time\":\"x\"}";

static void as_json(void) {
    clg_samples s;
    CASE("JSON: a process names the first of its GPUs; wrong and missing times are left out");
    s = read("out.json", JSON);
    CHECK(s.count == 2 && s.wrong == 1 && s.reasons == 2);
    CHECK(s.sample[0].collective == CLG_ALL_GATHER && s.sample[0].ranks == 8);
    CHECK(s.sample[0].nodes == 2 && s.sample[0].bytes == 1024);
    CHECK_NEAR(s.sample[0].seconds, 50.25e-6, 1e-12);
    CHECK_NEAR(s.sample[1].seconds, 70e-6, 1e-12);
    CHECK_TEXT(s.sample[0].hosts, "n1,n2");
    CHECK_TEXT(s.sample[0].gpu, "h200-sxm");
    CASE("JSON that was cut off is refused");
    s = (clg_samples){0};
    CHECK(
        read_with(&s, "out.json", "{\"nccl_version\":1,\"config\":{},\"results\":[{\"size\":1,") ==
        CLG_BAD_INPUT);
    CASE("JSON without devices asks for them");
    s = (clg_samples){0};
    CHECK(read_with(&s, "out.json", "{\"nccl_version\":1,\"config\":{},\"results\":[]}") ==
          CLG_BAD_INPUT);
}

int main(void) {
    CASE("groups side by side: the first one's ranks and nodes, the hosts of all");
    clg_samples s = read("all_reduce.log", SPLIT HEAD ROW);
    CHECK(s.count == 1 && s.sample[0].ranks == 2 && s.sample[0].nodes == 2);
    CHECK_TEXT(s.sample[0].hosts, "n1,n2");
    CHECK_NEAR(s.sample[0].seconds, 100.5e-6, 1e-9);

    CASE("columns of options stand after: the time is where the head says");
    s = read("a.log",
             SPLIT "#  size count type redop root time algbw busbw #wrong time algbw busbw "
                   "#wrong timestamp\n"
                   "1048576 262144 float sum -1 100.5 1 1 0 99 1 1 0 2026-11-22 10:00:00\n");
    CHECK(s.count == 1);
    CHECK_NEAR(s.sample[0].seconds, 100.5e-6, 1e-9);
    s = read("a.log",
             SPLIT "#  size count type redop root time algbw busbw #wrong i_min i_max i_p99 "
                   "i_cv% time algbw busbw #wrong i_min i_max i_p99 i_cv%\n"
                   "1048576 262144 float sum -1 100.5 1 1 0 90 120 119 3 99 1 1 0 90 120 119 3\n");
    CHECK(s.count == 1);
    CHECK_NEAR(s.sample[0].seconds, 100.5e-6, 1e-9);

    CASE("\"error\" is a difference, \"#wrong\" a count");
    s = read("a.log",
             SPLIT "#  size count type redop time algbw busbw error time algbw busbw error\n"
                   "1048576 262144 float sum 100.5 1 1 7e-07 99 1 1 7e-07\n");
    CHECK(s.count == 1 && s.wrong == 0);
    s = read("a.log", SPLIT HEAD "1048576 262144 float sum -1 100.5 1 1 2e+05 99 1 1 0\n");
    CHECK(s.count == 0 && s.wrong == 1);

    CASE("a run that failed: none of its rows, each counted");
    s = read("a.log", SPLIT HEAD ROW ROW "n1: Test NCCL failure common.cu:312 'remote error'\n");
    CHECK(s.count == 0 && s.reasons == 1 && s.left_out[0].count == 2);
    CHECK(strstr(s.left_out[0].why, "ended with an error") != NULL);

    CASE("who took part, by flags where the log does not say");
    s = (clg_samples){.ranks = 16, .nodes = 2};
    CHECK(read_with(&s, "a.log", "# nThread 1\n" HEAD ROW) == CLG_OK);
    CHECK(s.count == 1 && s.sample[0].ranks == 16 && s.sample[0].nodes == 2);
    s = (clg_samples){.ranks = 16, .nodes = 2};
    CHECK(read_with(&s, "a.log", SPLIT HEAD ROW) == CLG_OK && s.sample[0].ranks == 2);
    s = (clg_samples){0};
    CHECK(read_with(&s, "a.log", "# nThread 1\n" HEAD ROW) == CLG_BAD_INPUT);
    CHECK(strstr(error.mend, "--ranks") != NULL);

    as_json();
    clg_arena_clear(&arena);
    return DONE;
}
