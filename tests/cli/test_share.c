/* Who reads what, by hand, and what launchers tell. */
#include "cli/share.h"
#include "test.h"

#include <stdlib.h>

static bool splits(const int64_t *bytes, int count, int processes, const char *owners) {
    int owner[16];
    char got[16] = "";
    clg_share_split(bytes, count, processes, owner);
    for (int i = 0; i < count; i++) got[i] = (char)('0' + owner[i]);
    if (strcmp(got, owners) != 0) printf("got %s, want %s\n", got, owners);
    return strcmp(got, owners) == 0;
}

static void split(void) {
    CASE("the largest first, each to who has least");
    /* 90 -> 0, 70 -> 1, 60 -> 2, 50 -> 2 (60), 30 -> 1 (70), 20 -> 0 (90): 110, 100, 110. */
    const int64_t bytes[] = {20, 50, 90, 30, 70, 60};
    CHECK(splits(bytes, 6, 3, "020112"));
    CASE("equal ones go round, in their order");
    const int64_t equal[] = {8, 8, 8, 8, 8};
    CHECK(splits(equal, 5, 2, "01010"));
    CASE("empty ones are shared too, and all can be one's own");
    const int64_t none[] = {0, 0, 0};
    CHECK(splits(none, 3, 2, "010") && splits(none, 3, 1, "000") && splits(none, 0, 4, ""));
    CASE("more processes than files");
    CHECK(splits(bytes, 2, 4, "10"));
    CASE("one large file leaves the rest to the others");
    const int64_t large[] = {1, 1000, 1, 1};
    CHECK(splits(large, 4, 2, "1011"));
}

static void launched(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE",
                                        "PMIX_RANK"};
    clg_share share;
    clg_error error = {0};
    int index;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
    CASE("without a launcher");
    CHECK(clg_share_launched(&index) == 1 && index == 0);
    CHECK(clg_share_begin(&share, &error) == CLG_OK && share.count == 1 && share.index == 0);
    clg_share_finish(&share);
    CASE("one process is alone");
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    CHECK(clg_share_launched(&index) == 1 && index == 0);
    CASE("several");
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    CHECK(clg_share_launched(&index) == 4 && index == 3);
    CASE("a build without MPI refuses to do everything four times"); /* as tests are built */
    CHECK(clg_share_begin(&share, &error) == CLG_BAD_USAGE && share.index == 3);
    CHECK(strstr(error.message, "4 processes") && !clg_share_library(NULL));
    unsetenv("OMPI_COMM_WORLD_SIZE");
    CASE("srun with PMIx");
    setenv("PMIX_RANK", "5", 1);
    CHECK(clg_share_launched(&index) == 1);
    setenv("SLURM_STEP_NUM_TASKS", "6", 1);
    CHECK(clg_share_launched(&index) == 6 && index == 5);
}

int main(void) {
    split();
    launched();
    return DONE;
}
