/* What a task may use: amounts of memory and time as people write them, options of sbatch, copies. */
#include "study/resources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void memory_is_read(void **state)
{
    static const struct {
        const char *text;
        double bytes; /* 0: it is none */
    } cases[] = {
        {"8G", 8. * (1 << 30)},
        {"8g", 8. * (1 << 30)},
        {"8GB", 8. * (1 << 30)},
        {"8 GiB", 8. * (1 << 30)},
        {" 8G ", 8. * (1 << 30)},
        {"500M", 500. * (1 << 20)},
        {"1.5T", 1.5 * 1024 * (1 << 30)},
        {"1048576K", 1 << 30},
        {"2000", 2000. * (1 << 20)},
        {"1P", 0x1p50},
        {"0.5K", 512},
        {"", 0},
        {"G", 0},
        {"0", 0},
        {"0G", 0},
        {"-1G", 0},
        {"+1G", 0},
        {"8X", 0},
        {"8G8", 0},
        {"8GiX", 0},
        {"8Gi", 0},
        {"8 G B", 0},
        {"1e3", 0},
        {"1.2.3G", 0},
        {".G", 0},
        {"inf", 0},
        {"nan", 0},
        {"2000000P", 0},
        {"99999999999999999999999999999999999999999999999999", 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double bytes = 0;
        bool good = pl_memory_read(cases[i].text, &bytes);
        if (good != (cases[i].bytes > 0) || bytes != cases[i].bytes)
            fail_msg("\"%s\" was read as %g", cases[i].text, bytes);
    }
}

static void durations_are_read(void **state)
{
    static const struct {
        const char *text;
        double seconds; /* 0: it is none */
    } cases[] = {
        {"4h", 14400},
        {"90m", 5400},
        {"90min", 5400},
        {"30s", 30},
        {"2d", 172800},
        {"1.5h", 5400},
        {"1d 12h", 129600},
        {"1d12h", 129600},
        {"1h 30m 5s", 5405},
        {" 4 h ", 14400},
        {"90", 5400},
        {"0.5", 30},
        {"1-12:00:00", 129600},
        {"1-12", 129600},
        {"1-12:30", 131400},
        {"0-1", 3600},
        {"04:30:00", 16200},
        {"30:00", 1800},
        {"00:30", 30},
        {"", 0},
        {"0", 0},
        {"0h", 0},
        {"-5", 0},
        {"h", 0},
        {"4 hours", 0},
        {"4x", 0},
        {"30m 1h", 0},
        {"1h 1h", 0},
        {"1m 1min", 0},
        {"1:2:3:4", 0},
        {"1:", 0},
        {":1", 0},
        {"1-", 0},
        {"-1", 0},
        {"1-2-3", 0},
        {"1.5-2", 0},
        {"1:1.5", 0},
        {"1:30h", 0},
        {"1h 30", 0},
        {"00:00", 0},
        {"UNLIMITED", 0},
        {"inf", 0},
        {"99999d", 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double seconds = 0;
        bool good = pl_duration_read(cases[i].text, &seconds);
        if (good != (cases[i].seconds > 0) || seconds != cases[i].seconds)
            fail_msg("\"%s\" was read as %g", cases[i].text, seconds);
    }
}

static void amounts_are_written_as_people_read_them(void **state)
{
    static const struct {
        double bytes;
        const char *text;
    } memory[] = {
        {8. * (1 << 30), "8G"},
        {512. * (1 << 20), "512M"},
        {1.5 * (1 << 30), "1.5G"},
        {1.25 * (1 << 30), "1.25G"},
        {1, "0.01K"},
        {1024, "1K"},
        {1 << 20, "1M"},
        {0x1p40, "1T"},
        {0x1p50 * 2, "2P"},
        {12345678901., "11.5G"},
        {1234567890., "1.15G"},
        {500. * (1 << 30) + 1, "501G"},
        {1023.999 * (1 << 20), "1024M"},
    };
    static const struct {
        double seconds;
        const char *text;
    } durations[] = {
        {14400, "4h"},
        {90, "90s"},
        {30, "30s"},
        {0.2, "1s"},
        {60, "1m"},
        {119, "119s"},
        {120, "2m"},
        {125, "2m 5s"},
        {5400, "90m"},
        {3600, "1h"},
        {7200, "2h"},
        {7260, "2h 1m"},
        {86400, "1d"},
        {129600, "1d 12h"},
        {5405, "1h 30m 5s"},
        {5404.5, "1h 30m 5s"},
        {90061, "1d 1h 1m 1s"},
    };
    struct pl_text text = {0};
    double again;
    (void)state;
    for (size_t i = 0; i < COUNT(memory); i++) {
        pl_text_clear(&text);
        pl_memory_write(memory[i].bytes, &text);
        assert_string_equal(pl_text(&text), memory[i].text);
        assert_true(pl_memory_read(pl_text(&text), &again));
        assert_true(again >= memory[i].bytes && (again < memory[i].bytes * 1.01 || again < 11));
    }
    for (size_t i = 0; i < COUNT(durations); i++) {
        pl_text_clear(&text);
        pl_duration_write(durations[i].seconds, &text);
        assert_string_equal(pl_text(&text), durations[i].text);
        assert_true(pl_duration_read(pl_text(&text), &again));
        assert_true(again >= durations[i].seconds && again < durations[i].seconds + 1);
    }
    pl_text_release(&text);
}

static void options_that_poula_sets_are_refused(void **state)
{
    static const struct {
        const char *option;
        const char *sentence; /* a part of it; NULL: the option is fine */
    } cases[] = {
        {"--constraint=avx512", NULL},
        {"--constraint avx512", NULL},
        {"-C avx512", NULL},
        {"-Cavx512", NULL},
        {"--qos=long", NULL},
        {"-q long", NULL},
        {"--gres=gpu:a100:1", NULL},
        {"--exclude=n[1-3]", NULL},
        {"--nodelist=n1", NULL},
        {"-w n1", NULL},
        {"--mem-bind=local", NULL},
        {"--time-min=10", NULL},
        {"--wait-all-nodes=1", NULL},
        {"--exclusive", NULL},
        {"--mail-type=FAIL", NULL},
        {"--comment=the --array of it", NULL},
        {"--array=0-3", "--array cannot be given here: poula sets it itself"},
        {"--array 0-3", "--array cannot"},
        {"-a 0-3", "--array cannot"},
        {"-a0-3", "--array cannot"},
        {"--arr=0-3", "--array cannot"},
        {"-J name", "--job-name cannot be given here: poula finds"},
        {"--time=1:00", "say time: 4h in resources"},
        {"-t 10", "say time: 4h in resources"},
        {"--mem=8G", "say memory: 8G in resources"},
        {"--mem-per-cpu=1G", "--mem-per-cpu cannot be given here: say memory: 8G, of the whole task, in resources"},
        {"-c4", "say cpus: N in resources"},
        {"-Qc4", "say cpus: N in resources"},
        {"-QHc4", "say cpus: N in resources"},
        {"--gpus=1", "say gpus: N in resources"},
        {"-p long", "say partition: NAME in resources"},
        {"-A x", "say account: NAME in resources"},
        {"-N 2", "a task of poula runs on one node"},
        {"--ntasks=2", "a task of poula runs on one node"},
        {"--output=x", "poula sets it itself"},
        {"-e x", "poula sets it itself"},
        {"--requeue", "poula sets it itself"},
        {"--signal=USR1@60", "poula warns its tasks itself"},
        {"-W", "unless it is given --detach"},
        {"-M other", "SLURM_CLUSTERS"},
        {"--wrap=true", "poula sets it itself"},
        {"constraint=avx512", "\"constraint=avx512\" is no option of sbatch"},
        {"", "\"\" is no option"},
        {"-", "is no option"},
        {"--", "is no option"},
        {"--=x", "is no option"},
        {"-1", "is no option"},
        {"--comment=a\nb", "must be one line"},
        {"--comment=\x1b[1m", "must be one line"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_error err = {0};
        int status = pl_resources_check_sbatch(cases[i].option, &err);
        if (status != (cases[i].sentence ? PL_EINPUT : 0) ||
            (cases[i].sentence && !strstr(err.text, cases[i].sentence)))
            fail_msg("%s: %d %s", cases[i].option, status, err.text);
    }
}

static struct pl_texts lines_of(const char *first, const char *second)
{
    struct pl_texts lines = {pl_new(2 * sizeof *lines.items), second ? 2 : 1};
    lines.items[0] = pl_copy(first);
    lines.items[1] = pl_copy(second);
    return lines;
}

static void what_is_given_takes_the_place(void **state)
{
    struct pl_resources first = {.cpus = 2, .memory = 100, .partition = pl_copy("short")}, second = {.cpus = 4};
    struct pl_resources both, nothing = {0};
    (void)state;
    first.sbatch = lines_of("--constraint=avx512", "--qos=x");
    first.setup = lines_of("module load cuda", NULL);
    second.sbatch = lines_of("--exclusive", NULL);
    second.account = pl_copy("me");
    pl_resources_copy(&both, &first);
    pl_resources_override(&both, &nothing);
    assert_int_equal(both.cpus, 2);
    assert_int_equal(both.sbatch.count, 2);
    pl_resources_override(&both, &second);
    assert_int_equal(both.cpus, 4);
    assert_true(both.memory == 100);
    assert_string_equal(both.partition, "short");
    assert_string_equal(both.account, "me");
    assert_int_equal(both.sbatch.count, 1);
    assert_string_equal(both.sbatch.items[0], "--exclusive");
    assert_int_equal(both.setup.count, 1);
    pl_resources_release(&first);
    pl_resources_release(&second);
    assert_string_equal(both.partition, "short"); /* it is a copy */
    assert_string_equal(both.setup.items[0], "module load cuda");
    pl_resources_release(&both);
    assert_null(both.setup.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_read),
        cmocka_unit_test(durations_are_read),
        cmocka_unit_test(amounts_are_written_as_people_read_them),
        cmocka_unit_test(options_that_poula_sets_are_refused),
        cmocka_unit_test(what_is_given_takes_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
