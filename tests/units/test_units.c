/* Quantities with units, by hand. */
#include "test.h"
#include "units/units.h"

static void is(const char *text, clg_dimension dimension, double want) {
    clg_error error = {0};
    double got = -1;
    CHECK(clg_quantity(text, dimension, &got, &error) == CLG_OK);
    CHECK_NEAR(got, want, 1e-12);
}

static void refused(const char *text, clg_dimension dimension) {
    clg_error error = {0};
    double got;
    CHECK(clg_quantity(text, dimension, &got, &error) == CLG_BAD_INPUT && error.mend[0]);
}

static void growths(void) {
    CASE("growth is that of a month; of another time, what makes it month by month");
    is("10%", CLG_GROWTH, 0.1);
    is("0.1", CLG_GROWTH, 0.1);
    is("10%/month", CLG_GROWTH, 0.1);
    is("10 % a month", CLG_GROWTH, 0.1);
    is("-5% per month", CLG_GROWTH, -0.05);
    double year = 1, got = 0;
    clg_error error = {0};
    CHECK(clg_quantity("200%/year", CLG_GROWTH, &got, &error) == CLG_OK);
    for (int month = 0; month < 12; month++) year *= 1 + got;
    CHECK_NEAR(year, 3, 1e-12);
    refused("10%/moon", CLG_GROWTH);
    refused("10/req", CLG_GROWTH);
    refused("10%/", CLG_GROWTH);
}

static void as_people_write(void) {
    CASE("as people write: thousands, weeks, requests a day, dollars, tokens in words");
    is("1,024", CLG_COUNT, 1024);
    is("50,000.5 tok", CLG_TOKENS, 50000.5);
    is("1,234,567", CLG_COUNT, 1234567);
    is("2 weeks", CLG_SECONDS, 1209600);
    is("3months", CLG_SECONDS, 90 * 86400.0);
    is("2w", CLG_SECONDS, 1209600);
    is("3 mins", CLG_SECONDS, 180);
    is("1y", CLG_SECONDS, 31557600);
    is("86400 requests/day", CLG_HERTZ, 1);
    is("20/s", CLG_HERTZ, 20);
    is("120req/min", CLG_HERTZ, 2);
    is("86.4k req/day", CLG_HERTZ, 1);
    is("2Mreq/s", CLG_HERTZ, 2e6);
    is("$24/day", CLG_USD_PER_S, 24.0 / 86400);
    is("2.5USD/GPU-h", CLG_USD_PER_S, 2.5 / 3600);
    is("$2M", CLG_USD, 2e6);
    is("$3,000", CLG_USD, 3000);
    is("4e12 tokens", CLG_TOKENS, 4e12);
    is("2T tokens", CLG_TOKENS, 2e12);
    refused("1,02", CLG_COUNT);
    refused("0,512", CLG_COUNT);
    refused("1,0245", CLG_COUNT);
    refused("1024,512", CLG_COUNT);
    refused("2 weekss", CLG_SECONDS);
    refused("5req/GB", CLG_HERTZ);
    refused("5kkreq/s", CLG_HERTZ);
    refused("3 tokens", CLG_BYTES);
    CASE("what is longer than any quantity is refused, not cut");
    char spaced[160];
    snprintf(spaced, sizeof spaced, "1%*s", 126, "GB");
    is(spaced, CLG_BYTES, 1e9);
    snprintf(spaced, sizeof spaced, "1%*sx", 126, "GB");
    refused(spaced, CLG_BYTES);
}

int main(void) {
    CASE("GB is 1e9, GiB is 2^30, a bit is an eighth of a byte");
    is("80 GB", CLG_BYTES, 80e9);
    is("80GiB", CLG_BYTES, 85899345920.0);
    is("400Gbit/s", CLG_BYTES_PER_S, 50e9);
    is("3.35TB/s", CLG_BYTES_PER_S, 3.35e12);
    is("400Gbps", CLG_BYTES_PER_S, 50e9);
    is("100Gb", CLG_BYTES_PER_S, 12.5e9);
    is("2 trillion", CLG_TOKENS, 2e12);
    is("500 billion tokens", CLG_TOKENS, 5e11);
    is("100k", CLG_USD, 1e5);
    is("3.2 Tb/s", CLG_BYTES_PER_S, 400e9);
    CASE("time, money, tokens, shares");
    is("$2.5/h", CLG_USD_PER_S, 2.5 / 3600);
    is("$0.6/Mtok", CLG_USD_PER_TOKEN, 0.6e-6);
    is("30d", CLG_SECONDS, 2592000);
    is("2.5USD/h", CLG_USD_PER_S, 2.5 / 3600);
    is("4Mtok", CLG_TOKENS, 4e6);
    is("15T", CLG_TOKENS, 15e12);
    is("25%", CLG_FRACTION, 0.25);
    is("10 percent", CLG_FRACTION, 0.1);
    is("16k", CLG_COUNT, 16000);
    as_people_write();
    growths();
    CASE("a missing or foreign unit is refused with a mend");
    refused("400", CLG_BYTES_PER_S);
    refused("400 GB", CLG_SECONDS);
    refused("fast", CLG_BYTES_PER_S);
    refused("$2.5", CLG_USD_PER_S);
    refused("$ 2.5/h", CLG_USD_PER_S);
    refused("$2.5/h", CLG_SECONDS);
    refused("", CLG_SECONDS);
    refused("1e999s", CLG_SECONDS);
    refused("nan s", CLG_SECONDS);
    CASE("printing picks the unit");
    char out[48];
    CHECK_TEXT(clg_quantity_print(3.35e12, CLG_BYTES_PER_S, 3, out, sizeof out), "3.35 TB/s");
    CHECK_TEXT(clg_quantity_print(0.0124, CLG_SECONDS, 3, out, sizeof out), "12.4 ms");
    CHECK_TEXT(clg_quantity_print(9.994e6, CLG_USD, 3, out, sizeof out), "9.99 MUSD");
    CHECK_TEXT(clg_quantity_print(9.996e6, CLG_USD, 3, out, sizeof out), "10.0 MUSD");
    CHECK_TEXT(clg_quantity_print(99.96, CLG_WATTS, 3, out, sizeof out), "100 W");
    CHECK_TEXT(clg_quantity_print(0, CLG_SECONDS, 3, out, sizeof out), "0 s");
    CHECK_TEXT(clg_quantity_print(0, CLG_USD, 3, out, sizeof out), "0 USD");
    CHECK_TEXT(clg_quantity_print(0, CLG_BYTES, 3, out, sizeof out), "0 B");
    CHECK_TEXT(clg_quantity_print(0, CLG_COUNT, 3, out, sizeof out), "0.00");
    return DONE;
}
