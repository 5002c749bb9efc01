/* test_demand.c -- traces of every dialect, broken rows counted, made-up demands as asked. */
#include "demand.h"
#include "demand/random.h"

#include <stdlib.h>

static clg_arena arena;
static clg_synthetic plain; /* ten requests a second for a day */

static clg_status read(const char *text, clg_demand *d, clg_error *error) {
    *error = (clg_error){0};
    return clg_demand_read(&arena, "t", text, strlen(text), d, error);
}

/* The same two requests; the second comes so much later. */
static void dialects(void) {
    static const struct {
        const char *text;
        double second_s;
    } rows[] = {
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n"
         "2023-11-16 18:15:50.9951690,396,109\n",
         4.314579},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-29T23:59:59.5Z,374,44\n"
         "2024-03-01T00:00:01Z,396,109\n",
         1.5},
        {"arrival_s,TIMESTAMP,ContextTokens,GeneratedTokens\r\n5,x,374,44\r\n6,x,396,109", 1},
        {"timestamp_ms,input_length,output_length,hash_ids\n0,374,44,\"1 2\"\n"
         "3000,396,109,\"1,2\"\n",
         3},
        {"Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
         "5,ChatGPT,374,44,418,Conversation log\n45,GPT-4,396,109,505,API log\n",
         40},
        {"{\"timestamp\": 0, \"input_length\": 374, \"output_length\": 44}\n\n"
         "{\"timestamp\": 1500, \"input_length\": 396, \"output_length\": 109}\n",
         1.5},
        {"\xEF\xBB\xBF"
         "arrival_s,prompt_tokens,output_tokens\n1e0,374,44\n2.5E0,396,109\n",
         1.5}};
    CASE("dialects");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        clg_demand d;
        clg_error error;
        CHECK(read(rows[i].text, &d, &error) == CLG_OK);
        CHECK(d.count == 2 && clg_demand_lost(&d) == 0);
        /* a double of a date has 0.2 us */
        CHECK_NEAR(d.request[1].arrival_s, rows[i].second_s, 1e-7);
        CHECK(d.request[0].prompt_tokens == 374 && d.request[1].output_tokens == 109);
    }
}

static void odd_tables(void) {
    clg_demand d;
    clg_error error;
    CASE("nothing is lost without a count");
    CHECK(read("arrival_s,prompt_tokens,output_tokens\n0,10,5\n1,-3,5\n-1,3,5\n2,,5\n3,x,5\n"
               "4\n5,0,5\n6,10,0\n7,1e30,5\n1e300,1,5\n8,10,5\n",
               &d, &error) == CLG_OK);
    CHECK(d.count == 2 && d.lost.negative == 2 && d.lost.unreadable == 3);
    CHECK(d.lost.empty == 2 && d.lost.absurd == 2);
    CASE("out of order is sorted in and counted");
    CHECK(read("arrival_s,prompt_tokens,output_tokens\n9,1,1\n3,2,2\n5,3,3\n", &d, &error) ==
          CLG_OK);
    CHECK(d.moved == 1 && d.request[0].prompt_tokens == 2);
    CHECK_NEAR(d.request[2].arrival_s, 6, 1e-12);
    CASE("broken JSON lines are counted");
    CHECK(read("{\"timestamp\":1,\"input_length\":3,\"output_length\":4}\n{broken\n[]\n", &d,
               &error) == CLG_OK);
    CHECK(d.count == 1 && d.lost.unreadable == 2);
    CASE("no request at all, and no known columns, are sentences");
    CHECK(read("arrival_s,prompt_tokens,output_tokens\n1,0,0\n", &d, &error) == CLG_BAD_INPUT);
    CHECK(read("a,b\n1,2\n", &d, &error) == CLG_BAD_INPUT && error.message[0]);
    CHECK(read("", &d, &error) == CLG_BAD_INPUT);
    CASE("the first so many, ties or not");
    CHECK(read("arrival_s,prompt_tokens,output_tokens\n5,1,1\n5,2,2\n5,3,3\n9,4,4\n", &d, &error) ==
          CLG_OK);
    clg_demand two = clg_demand_first(&d, 2), three = clg_demand_first(&d, 3);
    CHECK(two.count == 2 && two.prompt_tokens == 3 && two.span_s == 0);
    CHECK(three.count == 3 && three.span_s == 4 && clg_demand_first(&d, 9).count == 4);
}

static void made_up(void) {
    clg_demand d;
    CASE("made up: count, lengths and burstiness as asked");
    d = demand_made(&arena, plain);
    CHECK_NEAR((double)d.count, 864000, 0.005);
    CHECK_NEAR((double)d.prompt_tokens / (double)d.count, 500, 0.01);
    CHECK_NEAR((double)d.output_tokens / (double)d.count, 100, 0.01);
    clg_synthetic s = plain;
    s.burstiness = 0.25;
    d = demand_made(&arena, s);
    double sum = 0, squares = 0;
    for (int64_t i = 1; i < d.count; i++) {
        double gap = d.request[i].arrival_s - d.request[i - 1].arrival_s;
        sum += gap;
        squares += gap * gap;
    }
    double mean = sum / (double)(d.count - 1);
    CHECK_NEAR(squares / (double)(d.count - 1) / (mean * mean) - 1, 4, 0.05);
    CASE("made up: duty and day keep the mean");
    s = plain;
    s.duty = 0.4;
    d = demand_made(&arena, s);
    CHECK_NEAR((double)d.count, 864000, 0.01);
    CHECK(d.request[d.count - 1].arrival_s <= 0.41 * 86400);
    s = plain;
    s.peak_over_mean = 1.8;
    d = demand_made(&arena, s);
    CHECK_NEAR((double)d.count, 864000, 0.01);
    CHECK_NEAR(clg_demand_peak_over_mean(&d), 1.85, 0.08);
    CASE("ten times the mean at noon; a sine to the power of 31.6 is that, and 5.4 % of it at 9 h");
    s.peak_over_mean = 10;
    clg_demand launch = demand_made(&arena, s);
    CHECK_NEAR((double)launch.count, 864000, 0.01);
    CHECK_NEAR((double)clg_demand_slice(&launch, 43200 - 450, 43200 + 450).count, 90000, 0.02);
    CHECK_NEAR((double)clg_demand_slice(&launch, 32400 - 900, 32400 + 900).count,
               180000 * pow((1 + sqrt(0.5)) / 2, 31.6), 0.2);
    CASE("days at the end of a week: a fifth of the others', and the mean of the week stays");
    s = plain;
    s.span_s = 7 * 86400;
    s.requests_per_s = 1;
    s.weekend_less = 0.8;
    clg_demand week = demand_made(&arena, s);
    CHECK_NEAR((double)week.count, 604800, 0.01);
    CHECK_NEAR((double)clg_demand_slice(&week, 0, 86400).count, 86400 * 7 / 5.4, 0.02);
    CHECK_NEAR((double)clg_demand_slice(&week, 5.5 * 86400, 6.5 * 86400).count, 86400 * 7 / 5.4 / 5,
               0.04);
    s = plain;
    s.peak_over_mean = 1.8;
    CASE("the same seed is the same demand, another is another");
    clg_demand again = demand_made(&arena, s), other;
    CHECK(memcmp(d.request, again.request, 1000 * sizeof *d.request) == 0);
    s.seed = 4;
    other = demand_made(&arena, s);
    CHECK(memcmp(d.request, other.request, 1000 * sizeof *d.request) != 0);
}

static void parts_of(void) {
    clg_synthetic s = plain;
    s.peak_over_mean = 1.8;
    clg_demand d = demand_made(&arena, s), other;
    CASE("slices share the requests and keep the sum");
    int64_t parts = 0;
    for (int h = 0; h < 24; h++) parts += clg_demand_slice(&d, h * 3600, (h + 1) * 3600).count;
    CHECK(parts == d.count);
    CASE("the busiest part: at noon, and so many; all of a demand that has no more");
    clg_demand busy = clg_demand_busiest(&d, 72000);
    CHECK(busy.count == 72000 && clg_demand_busiest(&d, d.count).count == d.count);
    CHECK_NEAR(busy.span_s, 4000, 0.03); /* 18 a second of 10 */
    CHECK_NEAR(busy.request[0].arrival_s + busy.span_s / 2, 43200, 0.05);
    CASE("stretches over the whole span: as many as asked for, at the rates they came");
    clg_demand some = clg_demand_sampled(&arena, &d, (double)d.count / 10, 60);
    CHECK_NEAR((double)some.count, (double)d.count / 10, 0.05);
    CHECK(some.span_s == d.span_s && some.request[some.count - 1].arrival_s > 0.9 * d.span_s);
    CHECK_NEAR(clg_demand_peak_over_mean(&some), 18.5, 0.08);
    CASE("an hour of every day, over 24 days: no stretch after the other at the same hour");
    clg_demand days = {.span_s = 24 * 86400.0, .request = clg_take(&arena, 24 * 3600, clg_arrival)};
    for (int i = 0; i < 24 * 3600; i++)
        days.request[days.count++] =
            (clg_arrival){i / 3600 * 86400.0 + 43200 + i % 3600, 10, 10, 0, 0};
    clg_demand_finish(&arena, &days);
    some = clg_demand_sampled(&arena, &days, (double)days.count / 24, 60);
    CHECK(some.count >= days.count / 48 && some.count <= days.count / 8);
    CASE("who comes at the end of the span itself is in the last slice");
    other = clg_demand_first(&d, 5);
    other.span_s = other.request[4].arrival_s;
    double half_s = other.span_s / 2;
    clg_demand early = clg_demand_slice(&other, 0, half_s);
    CHECK(early.count + clg_demand_slice(&other, half_s, other.span_s).count == 5);
    CASE("no span, and one of a billion years, are refused");
    clg_error refused = {0};
    s.span_s = 0;
    CHECK(clg_demand_make(&arena, &s, &other, &refused) == CLG_BAD_INPUT);
    s.span_s = 1e30;
    CHECK(clg_demand_make(&arena, &s, &other, &refused) == CLG_BAD_INPUT);
}

/* One window after the other; the first of the shortest. */
static double shortest_s(const clg_demand *d, int64_t count) {
    double least_s = INFINITY;
    for (int64_t i = 0; i + count < d->count; i++)
        least_s = fmin(least_s, d->request[i + count].arrival_s - d->request[i].arrival_s);
    return least_s;
}

static void busiest_of_all(void) {
    CASE("the busiest part is the shortest window of so many, whatever is skipped on the way");
    for (uint64_t seed = 1; seed <= 12; seed++) {
        clg_demand d;
        clg_error error = {0};
        clg_synthetic s = plain;
        s.span_s = 3000;
        s.requests_per_s = 1;
        s.burstiness = seed % 3 == 0 ? 0.2 : 1;
        s.seed = seed;
        CHECK(clg_demand_make(&arena, &s, &d, &error) == CLG_OK);
        for (int64_t count = 1; count < d.count; count = count * 3 + 1) {
            clg_demand part = clg_demand_busiest(&d, count);
            CHECK(part.span_s == shortest_s(&d, count));
        }
    }
}

static bool backwards(void *host, int count, void (*run)(void *work, int index), void *work,
                      clg_tell *tell, void *told) {
    (void)tell;
    (void)told;
    for (int i = count - 1; i >= 0; i--) run(work, i);
    *(int *)host = count;
    return true;
}

static void stretches(void) {
    CASE("a generator set ahead goes on as one that drew; lengths are the same in any order");
    clg_random drawn = {7}, ahead = clg_random_after(drawn, 4);
    (void)clg_random_normal(&drawn);
    (void)clg_random_normal(&drawn);
    CHECK(clg_random_unit(&drawn) == clg_random_unit(&ahead));
    int pieces = 0;
    const clg_cores cores = {backwards, &pieces};
    clg_demand plainly, apart;
    clg_error error = {0};
    clg_synthetic s = plain;
    s.requests_per_s = 50, s.span_s = 3000, s.spread = 0.8;
    CHECK(clg_demand_make(&arena, &s, &plainly, &error) == CLG_OK);
    s.cores = &cores;
    CHECK(clg_demand_make(&arena, &s, &apart, &error) == CLG_OK);
    CHECK(pieces == 3 && plainly.count == apart.count);
    clg_random gaps = {s.seed ^ 0x5851F42D4C957F2Du}, last = clg_random_after(gaps, 4 * 140000);
    double sigma2 = log(1 + s.spread * s.spread), normal = clg_random_normal(&last);
    double tokens = s.prompt_tokens * exp(sqrt(sigma2) * normal - sigma2 / 2);
    CHECK(fabs(tokens - plainly.request[140000].prompt_tokens) < 1);
    int64_t other = 0;
    for (int64_t i = 0; i < plainly.count; i++)
        other += plainly.request[i].prompt_tokens != apart.request[i].prompt_tokens ||
                 plainly.request[i].output_tokens != apart.request[i].output_tokens;
    CHECK(other == 0);
}

static void profiles(void) {
    clg_error error = {0};
    CASE("rates by window, of the service that is asked for");
    static const char rates[] = "model,window_start_s,total_rate_req_s\na,0,3\nb,0,7\na,600,5\n"
                                "b,900,1\na,1000,2\n";
    clg_rate_profile p;
    error = (clg_error){0};
    CHECK(clg_rate_profile_read(&arena, "r", rates, strlen(rates), NULL, &p, &error) == CLG_OK);
    CHECK(p.steps == 3 && p.others == 2 && strcmp(p.service, "a") == 0);
    CHECK(p.step[0].seconds == 600 && p.step[1].seconds == 400 && p.step[2].seconds == 400);
    CHECK(p.step[1].requests_per_s == 5);
    CHECK(clg_rate_profile_read(&arena, "r", rates, strlen(rates), "b", &p, &error) == CLG_OK);
    CHECK(p.steps == 2 && p.step[0].seconds == 900 && p.step[0].requests_per_s == 7);
    CHECK(clg_rate_profile_read(&arena, "r", rates, strlen(rates), "c", &p, &error) ==
          CLG_BAD_INPUT);
    static const char back[] = "window_start_s,req_per_hour\n600,1\n0,1\n";
    CHECK(clg_rate_profile_read(&arena, "r", back, strlen(back), NULL, &p, &error) ==
          CLG_BAD_INPUT);
    CHECK(error.line == 3);
}

static void thinned(void) {
    CASE("thinned, a demand keeps its span and its shape: a tenth of the requests of every hour");
    clg_synthetic s = plain;
    s.peak_over_mean = 2;
    s.requests_per_s = 1;
    clg_demand d = demand_made(&arena, s), thin = clg_demand_thin(&arena, &d, d.count / 10);
    CHECK(thin.count == d.count / 10 && thin.span_s == d.span_s);
    for (double hour = 0; hour < 24; hour += 6) {
        clg_demand all = clg_demand_slice(&d, 3600 * hour, 3600 * (hour + 6));
        clg_demand some = clg_demand_slice(&thin, 3600 * hour, 3600 * (hour + 6));
        CHECK(llabs(10 * some.count - all.count) <= 20);
    }
    CHECK(clg_demand_thin(&arena, &d, d.count).request == d.request);
}

static void bounded(void) {
    CASE("lengths cut at a bound keep their mean, and none is longer");
    clg_synthetic s = plain;
    s.spread = 0.8;
    s.prompt_tokens = 9400;
    s.output_tokens = 684.68;
    s.most_prompt = 20000;
    s.most_output = 2000;
    clg_demand d = demand_made(&arena, s);
    clg_demand_means m = clg_demand_means_of(&d);
    CHECK_NEAR(m.prompt_tokens, 9400, 0.01);
    CHECK_NEAR(m.output_tokens, 684.68, 0.01);
    CHECK(d.longest_tokens <= 22000 && d.longest_tokens > 21000);
    CHECK(clg_demand_uncut_mean(9400, 0.8, 20000) > 9400);
    CHECK_NEAR(clg_demand_uncut_mean(9400, 0.8, 1e9), 9400, 1e-6);
    CHECK(clg_demand_uncut_mean(9400, 0.8, 0) == 9400 && clg_demand_uncut_mean(5, 0, 9) == 5);
}

static void absurd(void) {
    clg_demand d;
    clg_error error = {0};
    CASE("absurd wishes are refused");
    clg_synthetic bad = plain;
    bad.requests_per_s = 0;
    CHECK(clg_demand_make(&arena, &bad, &d, &error) == CLG_BAD_INPUT);
    bad = plain;
    bad.spread = 1e9;
    CHECK(clg_demand_make(&arena, &bad, &d, &error) == CLG_BAD_INPUT);
    bad = plain;
    bad.requests_per_s = 1e12;
    CHECK(clg_demand_make(&arena, &bad, &d, &error) == CLG_BAD_INPUT);
}

int main(void) {
    plain = demand_steady(10, 86400, 500, 100, 1, 3);
    dialects();
    odd_tables();
    made_up();
    parts_of();
    busiest_of_all();
    stretches();
    profiles();
    thinned();
    bounded();
    absurd();
    clg_arena_clear(&arena);
    return DONE;
}
