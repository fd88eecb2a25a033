#include "base/base.h"
#include "base/cgroup.h"
#include "base/leftover.h"
#include "base/output.h"
#include <Random123/philox.h>
#include <gsl/gsl_cdf.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void numbers_in_every_spelling(void **state)
{
    (void)state;
    static const char *const thousandth[] = {"1e-3", "1E-3", ".001", "+1e-3", "0.001", "1.0e-03", "1.e-3"};
    for (size_t i = 0; i < COUNT(thousandth); i++) {
        double value = 0;
        assert_true(pl_number_read(thousandth[i], &value));
        assert_true(value == 0.001);
    }
    static const char *const infinite[] = {".inf", ".Inf", ".INF", "+.inf", "inf"};
    for (size_t i = 0; i < COUNT(infinite); i++) {
        double value = 0;
        assert_true(pl_number_read(infinite[i], &value));
        assert_true(value == INFINITY);
    }
    double value;
    assert_true(pl_number_read("-.inf", &value) && value == -INFINITY);
    assert_true(pl_number_read("1e-400", &value) && value == 0);
}

static void ambiguous_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"010", "1:30", "1_000", "0x10",  "",     ".",    "e5",    "1e",
                                      "1e+", "--1",  "1 ",    " 1",    "nan",  ".nan", "1e999", "-1e999",
                                      "1,5", "0b1",  "00",    "1.2.3", "infx", "i"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        double value = 42;
        if (pl_number_read(bad[i], &value))
            fail_msg("'%s' was read as a number", bad[i]);
        assert_true(value == 42);
    }
    static const char *const not_whole[] = {"1.0", "010", "9223372036854775808", "1e3", "", "+", "1_0"};
    for (size_t i = 0; i < COUNT(not_whole); i++) {
        int64_t value;
        if (pl_integer_read(not_whole[i], &value))
            fail_msg("'%s' was read as a whole number", not_whole[i]);
    }
}

static void shortest_number_reads_back(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *spelling;
    } known[] = {{0.1, "0.1"},        {1e-8, "1e-08"}, {1e12, "1000000000000"},         {5e-4, "0.0005"},
                 {-0.0, "-0"},        {3, "3"},        {1.0 / 3, "0.3333333333333333"}, {INFINITY, "inf"},
                 {-INFINITY, "-inf"}, {NAN, "nan"},    {-2147483648.0, "-2147483648"},  {4294967296.0, "4294967296"}};
    char spelling[PL_NUMBER_SIZE];
    for (size_t i = 0; i < COUNT(known); i++) {
        size_t length = pl_number_write(known[i].value, spelling);
        assert_string_equal(spelling, known[i].spelling);
        assert_int_equal(length, strlen(spelling));
    }
    struct pl_random r = pl_random_stream(7, PL_STREAM_DATA);
    for (uint64_t i = 0; i < 20000; i++) {
        uint32_t bits[4];
        pl_random_bits(&r, 0, i, bits);
        double value, again;
        memcpy(&value, bits, sizeof value);
        if (!isfinite(value))
            continue;
        pl_number_write(value, spelling);
        assert_true(pl_number_read(spelling, &again));
        assert_true(value == again);
    }
}

static void counts_have_suffixes(void **state)
{
    (void)state;
    int64_t value;
    assert_true(pl_count_read("10M", &value) && value == 10000000);
    assert_true(pl_count_read("1.5k", &value) && value == 1500);
    assert_true(pl_count_read("2G", &value) && value == 2000000000);
    assert_false(pl_count_read("1.5", &value));
    assert_false(pl_count_read("M", &value));
    assert_false(pl_count_read("1e30", &value));
}

static void random_is_philox(void **state)
{
    (void)state;
    /* The known-answer vector that Random123 ships for philox4x32-10. */
    struct pl_random r = {{0xa4093822, 0x299f31d0}};
    uint32_t bits[4];
    pl_random_bits(&r, 0x0370734413198a2eULL, 0x85a308d3243f6a88ULL, bits);
    static const uint32_t want[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    assert_memory_equal(bits, want, sizeof want);
}

/* Many draws at a time are the single draws, whatever the count and across the 32-bit boundary. */
static void many_draws_are_single_draws(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 15, 16, 17, 40, 1000};
    struct pl_random r = pl_random_stream(7, PL_STREAM_DATA);
    const uint64_t step = 0x123456789abcULL, index = 0xfffffff5ULL;
    double draws[1001];
    uint32_t blocks[1001][4], block[4];
    for (size_t c = 0; c < COUNT(counts); c++) {
        draws[counts[c]] = -1;
        pl_random_uniforms(&r, step, index, counts[c], draws);
        for (size_t i = 0; i < counts[c]; i++)
            assert_true(draws[i] == pl_random_uniform(&r, step, index + i));
        assert_true(draws[counts[c]] == -1);
        blocks[counts[c]][0] = 77;
        pl_random_blocks(&r, step, index, counts[c], blocks);
        for (size_t i = 0; i < counts[c]; i++) {
            pl_random_bits(&r, step, index + i, block);
            assert_memory_equal(blocks[i], block, sizeof block);
        }
        assert_int_equal(blocks[counts[c]][0], 77);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov: sqrt(n) * D stays below 1.95 with probability 0.999. */
static void normals_are_normal(void **state)
{
    (void)state;
    enum { N = 100000 };
    static double draws[N];
    struct pl_random r = pl_random_stream(1, PL_STREAM_NOISE);
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        draws[i] = pl_random_normal(&r, 3, (uint64_t)i);
        sum += draws[i];
        squares += draws[i] * draws[i];
    }
    assert_true(fabs(sum / sqrt(N)) < 4);
    assert_true(fabs((squares / N - 1) * sqrt(N / 2.0)) < 4);
    qsort(draws, N, sizeof *draws, by_value);
    double distance = 0;
    for (int i = 0; i < N; i++) {
        double cdf = gsl_cdf_ugaussian_P(draws[i]);
        distance = fmax(distance, fmax(cdf - i / (double)N, (i + 1) / (double)N - cdf));
    }
    assert_true(sqrt(N) * distance < 1.95);
}

static void streams_differ(void **state)
{
    (void)state;
    struct pl_random a = pl_random_stream(1, PL_STREAM_NOISE), b = pl_random_stream(1, PL_STREAM_DATA),
                     c = pl_random_stream(2, PL_STREAM_NOISE), again = pl_random_stream(1, PL_STREAM_NOISE);
    assert_memory_not_equal(&a, &b, sizeof a);
    assert_memory_not_equal(&a, &c, sizeof a);
    assert_memory_equal(&a, &again, sizeof a);
    for (uint64_t i = 0; i < 10000; i++) {
        assert_true(pl_random_below(&a, 0, i, 7) < 7);
        double u = pl_random_uniform(&a, 0, i);
        assert_true(u > 0 && u < 1);
    }
}

static void nearest_name_is_near(void **state)
{
    (void)state;
    static const char *const names[] = {"lambda", "epsilon", "beta", "momentum"};
    assert_string_equal(pl_nearest("lamda", names, 4), "lambda");
    assert_string_equal(pl_nearest("momentun", names, 4), "momentum");
    assert_string_equal(pl_nearest("btea", names, 4), "beta");
    assert_null(pl_nearest("dataset", names, 4));
    assert_null(pl_nearest("xy", names, 4));
}

static void utf8_is_checked_and_measured(void **state)
{
    (void)state;
    size_t bad = 99;
    assert_true(pl_utf8_valid("λ=0.1 ε", strlen("λ=0.1 ε"), &bad));
    static const char *const broken[] = {"a\xff", "a\xc0\xaf", "a\xe2\x82", "a\xed\xa0\x80", "a\xf4\x90\x80\x80"};
    for (size_t i = 0; i < COUNT(broken); i++) {
        assert_false(pl_utf8_valid(broken[i], strlen(broken[i]), &bad));
        assert_int_equal(bad, 1);
    }
    assert_int_equal(pl_text_width("λ=1"), 3);
    assert_int_equal(pl_text_width("数"), 2);
}

static void words_of_a_list(void **state)
{
    (void)state;
    assert_true(pl_has_word("lr λ  rate", "λ"));
    assert_true(pl_has_word("lr λ  rate", "rate"));
    assert_false(pl_has_word("lr λ  rate", "rat"));
    assert_false(pl_has_word(NULL, "lr"));
    assert_false(pl_has_word("lr", ""));
}

static void files_are_replaced_whole(void **state)
{
    (void)state;
    char folder[] = "/tmp/poula-base.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    struct pl_error err;
    struct pl_text text = {0};
    snprintf(path, sizeof path, "%s/a/b/file", folder);
    assert_int_equal(pl_folder_make_parent(path, &err), 0);
    assert_int_equal(pl_file_write(path, "old", 3, &err), 0);

    /* A write that runs into the file size limit leaves the old content and no temporary file. */
    struct rlimit before, small = {.rlim_cur = 100};
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    static char large[1000];
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int status = pl_file_write(path, large, sizeof large, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, PL_EIO);
    assert_int_equal(pl_file_read(path, 1000, &text, &err), 0);
    assert_string_equal(pl_text(&text), "old");
    assert_int_equal(pl_file_read(path, 2, &text, &err), PL_EINPUT);
    assert_int_equal(pl_file_read(folder, 1000, &text, &err), PL_EIO);

    unsigned char digest[PL_DIGEST_SIZE], of_file[PL_DIGEST_SIZE];
    char hex[2 * PL_DIGEST_SIZE + 1];
    pl_digest("abc", 3, digest);
    pl_digest_hex(digest, PL_DIGEST_SIZE, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(pl_file_write(path, "abc", 3, &err), 0);
    assert_int_equal(pl_digest_file(path, of_file, &err), 0);
    assert_memory_equal(digest, of_file, sizeof digest);

    unlink(path);
    snprintf(path, sizeof path, "%s/a/b", folder);
    assert_int_equal(rmdir(path), 0); /* nothing else was left in it */
    snprintf(path, sizeof path, "%s/a", folder);
    rmdir(path);
    rmdir(folder);
    assert_int_equal(pl_file_read(path, 10, &text, &err), PL_EMISSING);
    pl_text_release(&text);
}

static void end(int number)
{
    pl_leftover_remove_all();
    _exit(number);
}

/* Makes temporary files and folders until it is ended. */
static void make_and_remove(const char *folder)
{
    struct pl_text path = {0}, scratch = {0};
    struct pl_error err;
    setenv("TMPDIR", folder, 1);
    pl_text_addf(&path, "%s/file", folder);
    signal(SIGTERM, end);
    for (;;) {
        struct pl_output output;
        if (pl_output_open(&output, pl_text(&path), PL_OUTPUT_FILE, &err) || pl_output_close(&output, false, 0, &err) ||
            pl_folder_make_temporary(&scratch, &err))
            _exit(1);
        pl_folder_remove(pl_text(&scratch));
    }
}

/* Whatever a program was at when the signal came: between making a file and knowing of it, too. */
static void signals_leave_nothing(void **state)
{
    (void)state;
    struct pl_text folder = {0};
    struct pl_error err;
    assert_int_equal(pl_folder_make_temporary(&folder, &err), 0);
    pl_leftover_drop(pl_text(&folder)); /* it is not the children's */
    for (useconds_t i = 0; i < 400; i++) {
        int status;
        pid_t child = fork();
        if (!child)
            make_and_remove(pl_text(&folder));
        usleep(1000 + i % 40 * 23); /* a child that has no handler yet has made nothing */
        kill(child, SIGTERM);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_false(WIFEXITED(status) && WEXITSTATUS(status) != SIGTERM);
        assert_true(pl_folder_is_empty(pl_text(&folder), NULL));
    }
    pl_folder_remove(pl_text(&folder));
    pl_text_release(&folder);
}

static void absurd_arenas_are_refused(void **state)
{
    (void)state;
    assert_null(pl_arena(SIZE_MAX / 2, 8));
    assert_null(pl_arena(SIZE_MAX - 10, 1));
    float *arena = pl_arena(33, sizeof *arena);
    assert_non_null(arena);
    assert_int_equal((uintptr_t)arena % 64, 0);
    assert_true(arena[32] == 0);
    free(arena);
}

/* Lines of /proc/self/smaps of what lies at an address that hold the words: the flags of a mapping among them. */
static bool mapping_says(const void *at, const char *heading, const char *words)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool here = false, found = false;
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long long begin, end;
        if (sscanf(line, "%llx-%llx ", &begin, &end) == 2)
            here = (uintptr_t)at >= begin && (uintptr_t)at < end;
        else if (here && !strncmp(line, heading, strlen(heading)))
            found = strstr(line, words);
    }
    if (maps)
        fclose(maps);
    return found;
}

static void large_arenas_ask_for_large_pages(void **state)
{
    (void)state;
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK))
        skip();
    enum { LARGE = 16 << 20, SMALL = 1 << 20 };
    char *large = pl_arena(LARGE, 1), *small = pl_arena(SMALL, 1);
    assert_true(mapping_says(large + LARGE / 2, "VmFlags:", " hg"));
    assert_false(mapping_says(small + SMALL / 2, "VmFlags:", " hg"));
    for (size_t i = 0; i < LARGE; i++)
        assert_false(large[i]);
    free(large);
    free(small);
}

static void processes_have_identities(void **state)
{
    (void)state;
    char mine[128], again[128], nobody[128];
    pl_process_identity(getpid(), mine, sizeof mine);
    pl_process_identity(getpid(), again, sizeof again);
    pl_process_identity(0x7ffffff0, nobody, sizeof nobody);
    assert_true(mine[0]);
    assert_string_equal(mine, again);
    assert_string_equal(nobody, "");
    assert_true(pl_host_cores() >= 1);
    assert_true(pl_host_memory_free() > 0);
}

static void put(const char *root, const char *path, const char *text)
{
    char full[400];
    struct pl_error err;
    snprintf(full, sizeof full, "%s/%s", root, path);
    assert_int_equal(pl_folder_make_parent(full, &err), 0);
    assert_int_equal(pl_file_write(full, text, strlen(text), &err), 0);
}

/* S6: what containers and batch systems allow is found below the process's own group and every group above it. */
static void control_groups_limit(void **state)
{
    (void)state;
    char root[] = "/tmp/poula-cgroup-XXXXXX", line[100];
    struct pl_cgroup_limits limits;
    assert_non_null(mkdtemp(root));
    pl_cgroup_limits(root, &limits); /* no /proc */
    assert_true(limits.cores == INFINITY && limits.memory == UINT64_MAX && !*limits.events);

    /* Version 2, as Slurm nests it; the job's limit stands two levels up, and a step has more cores than its job. */
    put(root, "proc/self/cgroup", "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n");
    put(root, "proc/self/mountinfo",
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
#define SCOPE "sys/fs/cgroup/system.slice/slurmstepd.scope/"
    put(root, SCOPE "job_7/step_0/user/task_0/cpu.max", "max 100000\n");
    put(root, SCOPE "job_7/step_0/cpu.max", "800000 100000\n");
    put(root, SCOPE "job_7/cpu.max", "250000 100000\n");
    put(root, SCOPE "job_7/memory.max", "4000000\n");
    put(root, SCOPE "job_7/memory.current", "3000000\n");
    put(root, SCOPE "job_7/memory.stat", "anon 1\nfile 2\ninactive_file 500000\n");
    put(root, "sys/fs/cgroup/system.slice/memory.max", "max\n");
    put(root, SCOPE "job_7/memory.events", "low 0\noom 9\noom_kill 9\n"); /* of others */
    put(root, SCOPE "job_7/step_0/user/task_0/memory.events", "low 0\noom 3\noom_kill 2\noom_group_kill 1\n");
    pl_cgroup_limits(root, &limits);
    assert_string_equal(limits.events + strlen(root) + 1, SCOPE "job_7/step_0/user/task_0/memory.events");
    assert_true(limits.cores == 2.5);
    assert_int_equal(limits.memory, 1500000);

    /* Version 1: a hierarchy for each controller, some of them shared, and one that is mounted elsewhere. */
    put(root, "proc/self/cgroup", "12:name=systemd:/\n5:cpu,cpuacct:/slurm/job_9\n4:memory:/slurm/uid_0/job_9\n0::/\n");
    put(root, "proc/self/mountinfo",
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
        "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
        "33 31 0:30 / /mnt/a\\040memory rw - cgroup cgroup rw,memory\n");
    put(root, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put(root, "sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us", "150000\n");
    put(root, "sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_period_us", "50000\n");
    put(root, "mnt/a memory/slurm/uid_0/job_9/memory.limit_in_bytes", "9223372036854771712\n");
    put(root, "mnt/a memory/slurm/uid_0/memory.limit_in_bytes", "7000000\n");
    put(root, "mnt/a memory/slurm/uid_0/memory.usage_in_bytes", "2000000\n");
    put(root, "mnt/a memory/slurm/uid_0/memory.stat", "cache 1\ninactive_file 5\ntotal_inactive_file 1000000\n");
    put(root, "mnt/a memory/slurm/uid_0/job_9/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
    pl_cgroup_limits(root, &limits);
    assert_string_equal(limits.events + strlen(root), "/mnt/a memory/slurm/uid_0/job_9/memory.oom_control");
    assert_true(limits.cores == 3);
    assert_int_equal(limits.memory, 6000000);

    /* A container: the path is that of the host, and what is mounted is its end. */
    put(root, "proc/self/cgroup", "0::/docker/ab\n");
    put(root, "proc/self/mountinfo", "30 23 0:26 /docker/ab /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    put(root, "sys/fs/cgroup/cpu.max", "100000 100000\n");
    pl_cgroup_limits(root, &limits);
    assert_true(limits.cores == 1);
    put(root, "proc/self/cgroup", "0::/../../elsewhere\n");
    pl_cgroup_limits(root, &limits);
    assert_true(limits.cores == 1);
    snprintf(line, sizeof line, "rm -r %s", root);
    assert_int_equal(system(line), 0);
}

static void times_that_a_calendar_has(void **state)
{
    (void)state;
    char text[PL_TIME_TEXT_SIZE];
    setenv("TZ", "XYZ+7", 1);
    assert_string_equal(pl_time_text(0, text), "1970-01-01 00:00:00 UTC");
    assert_string_equal(pl_time_text(1795824545.9, text), "2026-11-28 00:09:05 UTC");
    assert_string_equal(pl_time_text(-0.5, text), "1969-12-31 23:59:59 UTC");
    assert_string_equal(pl_time_text(253402300799.0, text), "9999-12-31 23:59:59 UTC");
    const double none[] = {253402300800.0, 1e300, -1e300, HUGE_VAL, -HUGE_VAL, NAN};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_string_equal(pl_time_text(none[i], text), "");
    unsetenv("TZ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_every_spelling),
        cmocka_unit_test(times_that_a_calendar_has),
        cmocka_unit_test(ambiguous_numbers_are_refused),
        cmocka_unit_test(shortest_number_reads_back),
        cmocka_unit_test(counts_have_suffixes),
        cmocka_unit_test(random_is_philox),
        cmocka_unit_test(many_draws_are_single_draws),
        cmocka_unit_test(normals_are_normal),
        cmocka_unit_test(streams_differ),
        cmocka_unit_test(nearest_name_is_near),
        cmocka_unit_test(utf8_is_checked_and_measured),
        cmocka_unit_test(words_of_a_list),
        cmocka_unit_test(files_are_replaced_whole),
        cmocka_unit_test(signals_leave_nothing),
        cmocka_unit_test(absurd_arenas_are_refused),
        cmocka_unit_test(large_arenas_ask_for_large_pages),
        cmocka_unit_test(processes_have_identities),
        cmocka_unit_test(control_groups_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
