/* Lists of jobs as people and schedulers write them. */
#include "portfolio/joblist.h"
#include "test.h"

static clg_arena arena;
static clg_job_list jobs;
static clg_error error;

static clg_status read_until(const char *text, double horizon_s) {
    error = (clg_error){0};
    return clg_job_list_read(&arena, "jobs.csv", text, strlen(text), horizon_s, &jobs, &error);
}

static clg_status read(const char *text) { return read_until(text, 0); }

static void check_lists(void) {
    CASE("columns in any order, blanks, counts with letters; in order of arrival");
    CHECK(read("max_gpus,arrival_h,name,tokens,model,gpu_hours\n"
               ",5,late,15T,llama-3.1-8b,\n"
               "16,1,early,,,32\n") == CLG_OK);
    CHECK(jobs.count == 2 && !jobs.recorded && !jobs.deadlines_after_arrival);
    CHECK_TEXT(jobs.job[0].name, "early");
    CHECK_NEAR(jobs.job[0].gpu_s, 32 * 3600, 0);
    CHECK(jobs.job[0].least_gpus == 16 && jobs.job[0].most_gpus == 16);
    CHECK_NEAR(jobs.job[1].tokens, 15e12, 0);
    CHECK(jobs.job[1].least_gpus == 0 && jobs.job[1].most_gpus == 0);
    CHECK(isinf(jobs.job[1].deadline_s));
    CASE("GPU hours of no size take any");
    CHECK(read("name,gpu_hours\na,10\n") == CLG_OK);
    CHECK(jobs.job[0].least_gpus == 0 && jobs.job[0].most_gpus == 0);
    CASE("deadlines on the clock of the arrivals");
    CHECK(read("name,gpu_hours,min_gpus,arrival_h,deadline_h\na,8,8,10,20\n") == CLG_OK);
    CHECK_NEAR(jobs.job[0].deadline_s, 20 * 3600, 0);
    CASE("unless one lies before its arrival: then all count from it");
    CHECK(read("name,gpu_hours,min_gpus,arrival_h,deadline_h\na,8,8,10,20\nb,8,8,100,24\n") ==
          CLG_OK);
    CHECK(jobs.deadlines_after_arrival);
    CHECK_NEAR(jobs.job[0].deadline_s, 30 * 3600, 0);
    CHECK_NEAR(jobs.job[1].deadline_s, 124 * 3600, 0);
    CASE("what repeats comes until the horizon, each time with its deadline");
    CHECK(read_until("name,gpu_hours,min_gpus,arrival_h,deadline_h,every_h\na,8,8,1,3,24\n",
                     72 * 3600) == CLG_OK);
    CHECK(jobs.count == 3);
    CHECK_NEAR(jobs.horizon_s, 72 * 3600, 0);
    CHECK_NEAR(jobs.job[2].arrival_s, 49 * 3600, 0);
    CHECK_NEAR(jobs.job[2].deadline_s, 51 * 3600, 0);
}

static void check_quotas(void) {
    CASE("teams: a quota said once holds for all rows of its team");
    CHECK(
        read("name,gpu_hours,min_gpus,team,quota_gpus\na,8,8,red,16\nb,8,8,red,\nc,8,8,blue,\n") ==
        CLG_OK);
    CHECK(jobs.quotas == 1 && jobs.quota[0].gpus == 16);
    CHECK(jobs.job[0].quota == 0 && jobs.job[1].quota == 0 && jobs.job[2].quota == -1);
    CASE("teams: two quotas of one, a quota of nobody or of nothing are refused");
    CHECK(read("name,gpu_hours,team,quota_gpus\na,8,red,16\nb,8,red,8\n") != CLG_OK);
    CHECK(strstr(error.message, "two quotas") && error.line == 3);
    CHECK(read("name,gpu_hours,team,quota_gpus\na,8,,16\n") != CLG_OK);
    CHECK(read("name,gpu_hours,team,quota_gpus\na,8,red,0\n") != CLG_OK);
    CASE("exports: the quota of a virtual cluster is the most it held: 8 + 4, then 8 again");
    CHECK(read("job_id,vc,gpu_num,submit_time,start_time,end_time,duration\n"
               "1,x,8,2020-01-01 00:00:00,2020-01-01 00:00:00,2020-01-01 02:00:00,7200\n"
               "2,x,4,2020-01-01 00:00:00,2020-01-01 01:00:00,2020-01-01 03:00:00,7200\n"
               "3,x,8,2020-01-01 01:30:00,2020-01-01 02:00:00,2020-01-01 03:00:00,3600\n"
               "4,y,2,2020-01-01 01:30:00,2020-01-01 02:00:00,2020-01-01 03:00:00,3600\n") ==
          CLG_OK);
    CHECK(jobs.quotas == 2);
    CHECK(jobs.quota[0].gpus == 12 && jobs.quota[1].gpus == 2);
    CHECK(jobs.job[3].quota >= 0);
}

static void check_odd(void) {
    CASE("semicolons, rows of nothing but separators");
    CHECK(read("name;gpu_hours;min_gpus\na;10;8\n;;\n") == CLG_OK && jobs.count == 1);
    CASE(
        "parts of a GPU, columns of spaces and exports without a job are refused, with the reason");
    CHECK(read("Name,GPU hours,GPUs\na,10,8\n") == CLG_OK && jobs.job[0].least_gpus == 8 &&
          jobs.job[0].most_gpus == 8);
    CHECK(read("name,gpu_hours,gpus,max_gpus\na,10,8,32\n") == CLG_OK &&
          jobs.job[0].least_gpus == 8 && jobs.job[0].most_gpus == 32);
    CHECK(read("name,gpu_hours,min_gpus\na,10,8.5\n") != CLG_OK && error.column == 3);
    CHECK(read("JobID      Submit   Elapsed\n1 2024-01-01 1:00\n") != CLG_OK);
    CHECK(strstr(error.mend, "sacct -P"));
    CHECK(read("jobid|submit|start|end|alloctres\n1|2024-03-31T03:30|2024-03-31T03:30|"
               "2024-03-31T02:30|gres/gpu=8\n") != CLG_OK);
    CHECK(strstr(error.message, "none of its 1 rows"));
    CASE("times to the minute");
    CHECK(read("jobid,submit,elapsed,gpus\n1,2024-01-01 00:00,01:00:00,8\n"
               "2,2024-01-01T00:30:00,01:00:00,8\n") == CLG_OK);
    CHECK_NEAR(jobs.job[1].arrival_s, 1800, 0);
}

static void check_year(void) {
    CASE("without a horizon it comes for a year; a list that repeats nothing needs none");
    CHECK(read("name,gpu_hours,min_gpus,every_h\na,8,8,24\n") == CLG_OK);
    CHECK(jobs.count == 365 && jobs.horizon_s == 365 * 86400.0);
    CHECK(read("name,gpu_hours,min_gpus,every_h\na,8,8,\n") == CLG_OK);
    CHECK(jobs.count == 1 && jobs.horizon_s == 0);
}

static void check_exports(void) {
    CASE("sacct -P: steps, jobs without GPUs and jobs that never started are left out");
    CHECK(read("JobID|JobName|Submit|Start|End|ElapsedRaw|AllocTRES|Timelimit\n"
               "1|pre|2024-02-28T23:59:00|2024-02-29T00:00:00|2024-02-29T01:00:00|3600|"
               "billing=64,cpu=64,gres/gpu:a100=16,gres/gpu=16,node=2|1-00:00:00\n"
               "1.batch|batch|2024-02-28T23:59:00|2024-02-29T00:00:00|2024-02-29T01:00:00|3600|"
               "cpu=64,gres/gpu=8|\n"
               "2|cpu|2024-02-29T00:00:00|2024-02-29T00:00:01|2024-02-29T00:10:01|600|cpu=4|\n"
               "3|never|2024-02-29T00:00:00|Unknown|Unknown|0|gres/gpu=8|\n"
               "4|two kinds|2024-03-01T00:00:00|2024-03-01T00:00:00|2024-03-01T00:01:40|100|"
               "gres/gpu:a100=2,gres/gpu:h100=1|UNLIMITED\n") == CLG_OK);
    CHECK(jobs.recorded && jobs.count == 2 && jobs.left_out == 3);
    CHECK(jobs.job[0].least_gpus == 16 && jobs.job[1].least_gpus == 3);
    CHECK_NEAR(jobs.job[0].gpu_s, 16 * 3600, 0);
    CHECK_NEAR(jobs.job[0].recorded_wait_s, 60, 0);
    CHECK_NEAR(jobs.job[0].limit_s, 86400, 0);
    CHECK(jobs.job[1].limit_s == 0);
    CHECK_NEAR(jobs.job[1].arrival_s, 86400 + 60, 0); /* over the leap day */
    CASE("sacct: a job waits from when it is eligible, not while others it depends on run");
    CHECK(read("JobID|Submit|Eligible|Start|End|ElapsedRaw|AllocTRES\n"
               "1|2024-03-01T00:00:00|2024-03-01T00:00:00|2024-03-01T00:01:00|2024-03-01T01:01:00|"
               "3600|gres/gpu=8\n"
               "2|2024-03-01T00:00:00|2024-03-01T01:01:00|2024-03-01T01:03:00|2024-03-01T02:03:00|"
               "3600|gres/gpu:h100=8,gres/gpumem=640\n"
               "3|2024-03-01T00:00:00|Unknown|2024-03-01T00:00:30|2024-03-01T00:01:30|60|"
               "gres/gpu=1\n") == CLG_OK);
    CHECK(jobs.count == 3 && jobs.job[2].least_gpus == 8);
    CHECK_NEAR(jobs.job[2].arrival_s, 3660, 0);
    CHECK_NEAR(jobs.job[2].recorded_wait_s, 120, 0);
    CHECK_NEAR(jobs.job[1].recorded_wait_s, 30, 0);
    CASE("sacct: without the GPUs it is an export that lacks a column");
    CHECK(read("JobID|JobName|Submit|Start|End|ElapsedRaw\n1|a|2024-03-01T00:00:00|"
               "2024-03-01T00:01:00|2024-03-01T01:01:00|3600\n") != CLG_OK);
    CHECK(strstr(error.message, "AllocTRES"));
    CASE("older Slurm: GPUs of a node in AllocGRES, elapsed as a clock");
    CHECK(read("JobID|Submit|Elapsed|AllocGRES|NNodes\n"
               "1|2019-05-01T10:00:00|2-01:00:10|gpu:v100:4|3\n"
               "2|2019-05-01T10:00:05|05:30|gpu:2|1\n") == CLG_OK);
    CHECK(jobs.count == 2 && jobs.job[0].least_gpus == 12 && jobs.job[1].least_gpus == 2);
    CHECK_NEAR(jobs.job[0].gpu_s, 12.0 * (49 * 3600 + 10), 0);
    CHECK_NEAR(jobs.job[1].gpu_s, 2.0 * 330, 0);
    CHECK(jobs.job[0].recorded_wait_s < 0);
    CASE("public traces of GPU clusters");
    CHECK(read("job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,"
               "duration,queue,gpu_time\n"
               "5778432,u5907,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,"
               "2023-03-01 00:18:54+08:00,2023-03-01 00:20:51+08:00,117,32,936.0\n") == CLG_OK);
    CHECK(jobs.count == 1 && jobs.job[0].least_gpus == 8);
    CHECK_NEAR(jobs.job[0].gpu_s, 936, 0);
    CHECK_NEAR(jobs.job[0].recorded_wait_s, 32, 0);
    CHECK(read("timestamp,duration,num_gpus,gpu_time,cluster\n"
               "2017-10-09 07:01:55,66.0,2,132.0,11cb48\n") == CLG_OK);
    CHECK(jobs.count == 1 && jobs.job[0].recorded_wait_s < 0);
}

static void check_faults(void) {
    CASE("faults: file, line, column, what would be right");
    CHECK(read("name,model,tokens,gpu_hours\na,llama-3.1-8b,1T,5\n") == CLG_BAD_INPUT);
    CHECK(error.line == 2 && strstr(error.message, "two sizes"));
    CHECK(read("name,model,tokens\na,llama-3.1-8b,many\n") == CLG_BAD_INPUT);
    CHECK(error.line == 2 && error.column == 3);
    CHECK(read("name,model,tokens\na,,1T\n") == CLG_BAD_INPUT);
    CHECK(read("name,model,tokens\na,llama-3.1-8b,\n") == CLG_BAD_INPUT);
    CHECK(read("name,gpu_hours,min_gpus,max_gpus\na,10,16,8\n") == CLG_BAD_INPUT);
    CHECK(read("name,gpu_hours,min_gpu\na,10,16\n") == CLG_BAD_INPUT);
    CHECK(strstr(error.mend, "min_gpus") != NULL);
    CHECK(read("name,model,tokens\n") == CLG_BAD_INPUT);
    CHECK(read("") == CLG_BAD_INPUT);
    CHECK(read("|\n|\n") == CLG_BAD_INPUT);
    CASE("a column for somebody else is left alone, and named");
    CHECK(read("name,gpu_hours,min_gpus,cost centre\na,10,16,x7\n") == CLG_OK);
    CHECK_TEXT(jobs.ignored, "cost centre");
    CASE("what repeats for ever is refused, not made");
    CHECK(read_until("name,gpu_hours,min_gpus,every_h\na,8,8,0.00001\n", 1e9) == CLG_BAD_INPUT);
}

static void check_json(void) {
    CASE("sacct --json: the same jobs; numbers bare, or in an object that says whether they are");
    CHECK(read(" {\"jobs\": ["
               "{\"job_id\": 7, \"name\": \"pre, wide\", \"priority\": {\"set\": true, "
               "\"number\": 12}, \"time\": {\"submission\": 1000, \"eligible\": 1060, "
               "\"start\": 1200, \"end\": 4800, \"elapsed\": 3600, \"limit\": {\"set\": true, "
               "\"number\": 120}}, \"tres\": {\"allocated\": [{\"type\": \"gres\", \"name\": "
               "\"gpu:h100\", \"count\": 4}, {\"type\": \"gres\", \"name\": \"gpu\", "
               "\"count\": 8}, {\"type\": \"gres\", \"name\": \"gpumem\", \"count\": 640}]}},"
               "{\"job_id\": 8, \"time\": {\"submission\": 2000, \"start\": 2000, "
               "\"end\": 2750, \"elapsed\": 600, \"limit\": {\"set\": false, \"number\": 9}}, "
               "\"tres\": {\"allocated\": [], "
               "\"requested\": [{\"type\": \"gres\", \"name\": \"gpu:a100\", \"count\": 2}, "
               "{\"type\": \"gres\", \"name\": \"gpu:h100\", \"count\": 3}]}},"
               "{\"job_id\": 9, \"time\": {\"submission\": 2000, \"elapsed\": 0}}]}") == CLG_OK);
    CHECK(jobs.recorded && jobs.count == 2 && jobs.left_out == 1);
    CHECK(strcmp(jobs.job[0].name, "pre, wide") == 0 && jobs.job[0].least_gpus == 8);
    CHECK_NEAR(jobs.job[0].gpu_s, 8 * 3600, 0);
    CHECK_NEAR(jobs.job[0].limit_s, 7200, 0);
    CHECK_NEAR(jobs.job[0].priority, 12, 0);
    CHECK_NEAR(jobs.job[0].recorded_wait_s, 140, 0);
    CHECK(jobs.job[1].least_gpus == 5 && jobs.job[1].limit_s == 0);
    CHECK_NEAR(jobs.job[1].arrival_s, 940, 0);
    CASE("it started 600 s before its end at 2,750, whatever its start says");
    CHECK_NEAR(jobs.job[1].recorded_wait_s, 150, 0);
    CASE("other JSON is refused with what would be read");
    CHECK(read("{\"kind\": \"plan\"}") != CLG_OK);
    CHECK(strstr(error.mend, "sacct --json"));
    CHECK(read("{\"jobs\": [") != CLG_OK && error.line == 1);
}

int main(void) {
    check_json();
    check_lists();
    check_year();
    check_quotas();
    check_odd();
    check_exports();
    check_faults();
    clg_arena_clear(&arena);
    return DONE;
}
