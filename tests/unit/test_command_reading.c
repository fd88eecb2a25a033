/* What a program of a command task prints, line by line and in files, becomes values of metrics. */
#include "train_command_parts.h"

#include "train/command/command_priv.h"

/* Where the index-th value of a metric stands among the points. */
static size_t recorder_index(const struct recorder *r, const char *metric, size_t index)
{
    for (size_t i = 0, found = 0; i < r->count; i++)
        if (!strcmp(r->metrics[r->points[i].series], metric) && found++ == index)
            return i;
    fail_msg("%s has no value number %zu", metric, index);
    return 0;
}

static void reads_json_lines(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "echo '{\"epoch\": 3, \"loss\": 0.5, \"test_accuracy\": null, \"phase\": \"train\", \"ok\": true}'\n"
        "echo '{\"loss\": NaN, \"gap\": -Infinity, \"note\": \"NaN in a \\\" string\", \"n\": 7}'\n"
        "echo '  {\"epoch\": 9, \"loss\": \"inf\"}'\n"
        "echo '{\"epoch\": 10, \"loss\": 0.25}'\n"
        "echo '{\"epoch\": 11, \"loss\": '\n"
        "echo '{\"epoch\": 1.5, \"loss\": 3}'\n"
        "echo '{\"epoch\": -1, \"loss\": 3}'\n"
        "echo '{\"epoch\": 12}'\n"
        "echo '{\"bad name\": 1, \"good\": 2, \"epoch\": 13}'\n",
        &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(result.exit_code, 0);
    assert_true(result.bad_epoch == -1);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 5);
    assert_point(&r, "loss", 0, 3, 0.5);
    assert_point(&r, "test_accuracy", 0, 3, NAN);
    assert_point(&r, "loss", 1, 4, NAN);
    assert_point(&r, "gap", 0, 4, -INFINITY);
    assert_point(&r, "n", 0, 4, 7);
    assert_point(&r, "loss", 2, 9, INFINITY);
    assert_point(&r, "loss", 3, 10, 0.25);
    assert_true(r.points[recorder_index(&r, "loss", 4)].epoch == 1.5);
    assert_point(&r, "bad_name", 0, 13, 1);
    assert_point(&r, "good", 0, 13, 2);
    assert_int_equal(r.metric_count, 6);
    assert_int_equal(r.directions[1], PL_MAXIMIZE);
    assert_string_equal(
        pl_text(&r.log),
        "{\"epoch\": 11, \"loss\":\n"
        "{\"epoch\": -1, \"loss\": 3}\n"
        "{\"epoch\": 12}\n"
        "poula: 2 lines looked like metrics and were not wholly understood, the first: {\"epoch\": 11, \"loss\":\n");
    recorder_release(&r);
}

/* Lines before the first position are not held back where a later attempt may go on behind them. */
static void what_waits_is_recorded(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_sink sink = recorder_sink(&r);
    struct pl_reading reading = {.sink = &sink};
    pl_reading_line(&reading, PL_FROM_OUTPUT, "loss=3", 6, true);
    assert_int_equal(r.count, 0);
    for (int i = 0; i < 100; i++)
        pl_reading_line(&reading, PL_FROM_OUTPUT, "loss=2", 6, true);
    assert_int_equal(r.count, 101);
    pl_reading_line(&reading, PL_FROM_OUTPUT, "loss=1", 6, true);
    assert_point(&r, "loss", 101, 102, 1);
    assert_int_equal(reading.unread, 0);
    pl_reading_line(&reading, PL_FROM_OUTPUT, "epoch=1 acc=1", 13, true); /* so lines are no epochs */
    assert_int_equal(reading.unread, 1);
    pl_reading_release(&reading);
    recorder_release(&r);

    sink = recorder_sink(&r);
    reading = (struct pl_reading){.sink = &sink, .at_once = true};
    pl_reading_line(&reading, PL_FROM_OUTPUT, "loss=3", 6, true);
    pl_reading_line(&reading, PL_FROM_OUTPUT, "loss=2", 6, true);
    assert_point(&r, "loss", 1, 2, 2);
    pl_reading_line(&reading, PL_FROM_OUTPUT, "epoch=1 acc=1", 13, true); /* so they were of that epoch */
    pl_reading_line(&reading, PL_FROM_OUTPUT, "loss=1", 6, true);
    pl_reading_line(&reading, PL_FROM_OUTPUT, "epoch=2 acc=1", 13, true);
    assert_int_equal(reading.unread, 1);
    assert_point(&r, "loss", 2, 2, 1);
    pl_reading_release(&reading);
    recorder_release(&r);

    sink = recorder_sink(&r); /* an evaluation before the first step of a run that goes on */
    reading = (struct pl_reading){.sink = &sink};
    pl_reading_continue(&reading, NAN, 1000);
    pl_reading_line(&reading, PL_FROM_OUTPUT, "val loss 3", 10, true);
    pl_reading_line(&reading, PL_FROM_OUTPUT, "step 1100 loss 2", 16, true);
    assert_point(&r, "val_loss", 0, 1000, 3);
    pl_reading_release(&reading);
    recorder_release(&r);
}

static void reads_words(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script("echo loss=0.5 test/acc=.25\n"
                                             "echo starting up; echo\n"
                                             "echo 'epoch=5  loss=1E-2'\n"
                                             "echo 'loss=7'\n"
                                             "echo 'loss=-nan gap=+inf'\n"
                                             "echo 'loss=0x10'; echo '9=1'; echo '=1'; echo 'loss='; echo 'loss=010'\n"
                                             "printf 'loss=3\\r\\n'\n"
                                             "printf 'loss=4'\n",
                                             &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 7);
    assert_point(&r, "loss", 0, 1, 0.5);
    assert_point(&r, "test/acc", 0, 1, 0.25);
    assert_point(&r, "loss", 1, 5, 0.01);
    assert_point(&r, "loss", 2, 6, 7);
    assert_point(&r, "loss", 3, 7, NAN);
    assert_point(&r, "gap", 0, 7, INFINITY);
    assert_point(&r, "loss", 4, 8, 10);
    assert_point(&r, "loss", 5, 9, 3);
    assert_point(&r, "loss", 6, 10, 4);
    assert_string_equal(pl_text(&r.log),
                        "starting up\nloss=0x10\n9=1\n=1\nloss=\npoula: 1 line looked like metrics and "
                        "was not wholly understood, the first: loss=0x10\n");
    recorder_release(&r);
}

static void stderr_is_log(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "echo loss=1; echo loss=2 >&2; printf ' 10%%\\r 20%%\\n\\377\\033[1m\\n' >&2; printf 'last' >&2", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 1);
    assert_string_equal(pl_text(&r.log), "loss=2\n 20%\n?\nlast\n");
    recorder_release(&r);
}

static void divergence_is_the_last_word_of_a_loss(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        enum pl_outcome outcome;
        int64_t bad_epoch;
    } cases[] = {
        {"echo loss=1; echo loss=nan; echo loss=inf", PL_DIVERGED, 2},
        {"echo loss=nan; echo loss=1; echo loss=inf", PL_DIVERGED, 3},
        {"echo loss=nan; echo loss=1", PL_FINISHED, -1},
        {"echo loss=1 accuracy=nan", PL_FINISHED, -1},
        {"echo epoch=7 train_loss=1 test_perplexity=inf", PL_DIVERGED, 7},
        {"echo epoch=7 b_loss=nan a_loss=1; echo epoch=9 a_loss=nan", PL_DIVERGED, 7},
        {"echo epoch=1 loss=0.5; echo epoch=2 loss=1e400", PL_DIVERGED, 2},                         /* L1 */
        {"echo epoch=1 loss=0.5; echo '{\"epoch\":2,\"loss\":1e999,\"acc\":0.9}'", PL_DIVERGED, 2}, /* L1 */
        {"echo step=100 loss=0.5; echo step=200 loss=-1.8e308", PL_DIVERGED, 200},                  /* L1 */
        {"echo step=100 loss=nan; echo epoch=1 loss=1", PL_DIVERGED, 100},                          /* L5: two series */
        {"echo val loss nan; echo step 1 loss 4; echo val loss 3", PL_FINISHED, -1},
        {"echo '{\"epoch\":1,\"loss\":1}'; echo '{\"epoch\":2,\"loss\":null}'", PL_DIVERGED, 2},
        {"echo '{\"epoch\":1,\"loss\":1}'; echo '{\"epoch\":1,\"loss\":null}'", PL_FINISHED, -1},
        {"echo '{\"loss\":1}'; echo '{\"loss\":null}'", PL_DIVERGED, 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct recorder r;
        struct pl_run_result result = run_script(cases[i].script, &r);
        assert_int_equal(result.outcome, cases[i].outcome);
        assert_true(result.bad_epoch == cases[i].bad_epoch);
        recorder_release(&r);
    }
}

/* Of a line that does not fit nothing is read: the number at its end would be another one. */
static void nothing_is_read_from_half_a_line(void **state) /* L8 */
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "printf 'loss=1 '; head -c 1048565 /dev/zero | tr '\\0' ' '; echo acc=123456; echo epoch=2 loss=2; "
        "head -c 2000000 /dev/zero | tr '\\0' a; echo",
        &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 1);
    assert_point(&r, "loss", 0, 2, 2);
    assert_int_equal(recorder_find(&r, "acc", 0, NULL), 0);
    assert_non_null(strstr(pl_text(&r.log), "longer than 1 MiB"));
    assert_non_null(strstr(pl_text(&r.log), "2 lines looked like metrics"));
    assert_in_range(r.log.length, 65536, 2 * 65536 + 1000);
    recorder_release(&r);

    /* A line of 100 KB is no trouble, and a program that is killed in the middle of a line has not said the number. */
    result = run_script("printf 'epoch=1 '; for i in $(seq 900); do printf 'a%d_%0100d=%d ' $i 0 $i; done; echo; "
                        "printf 'epoch=2 a1_x=12'; kill -9 $$",
                        &r);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_int_equal(r.count, 0); /* names of more than 100 bytes */
    recorder_release(&r);
    result = run_script("printf 'epoch=1 '; for i in $(seq 900); do printf 'a%d_%090d=%d ' $i 0 $i; done; echo; "
                        "printf 'epoch=2 a1_x=12'; kill -9 $$",
                        &r);
    assert_int_equal(r.count, 900);
    assert_true(r.points[899].value == 900);
    assert_non_null(strstr(pl_text(&r.log), "not whole"));
    recorder_release(&r);
}

static void more_metrics_than_are_recorded(void **state) /* L8 */
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "awk 'BEGIN { for (i = 0; i < 6000; i++) printf \"m%d=%d \", i, i; print \"\"; print \"m7=8\" }'", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(r.metric_count, 1000);
    assert_point(&r, "m999", 0, 1, 999);
    assert_point(&r, "m7", 1, 2, 8);
    assert_non_null(strstr(pl_text(&r.log), "more than 1000 metrics; m1000 and those after it are not recorded"));
    assert_non_null(strstr(pl_text(&r.log), "1 line looked like metrics"));
    recorder_release(&r);
}

/* Lines that took as long as the square of their length, and as many metrics: minutes and hours. */
static void long_lines_are_read_at_once(void **state)
{
    (void)state;
    static const char *const shapes[] = {"{\"a\":1},", "(", "[1,", "1,2,", "a:", "epoch=1 loss=1 ", "Epoch 1 a 1 "};
    struct recorder r;
    struct pl_sink sink = recorder_sink(&r);
    struct pl_reading reading = {.sink = &sink};
    struct pl_text text = {0};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        pl_text_clear(&text);
        while (text.length < 300000)
            pl_text_add(&text, shapes[i]);
        pl_reading_line(&reading, PL_FROM_OUTPUT, pl_text(&text), text.length, true);
    }
    for (int i = 0; i < 30000; i++) {
        pl_text_clear(&text);
        pl_text_addf(&text, "m%d=1", i);
        pl_reading_line(&reading, PL_FROM_OUTPUT, pl_text(&text), text.length, true);
    }
    pl_reading_line(&reading, PL_FROM_OUTPUT, "epoch=2 loss=3", 14, true);
    assert_point(&r, "loss", recorder_find(&r, "loss", 0, NULL) - 1, 2, 3);
    pl_text_release(&text);
    pl_reading_release(&reading);
    recorder_release(&r);
}

/* A bar of any length that is redrawn by carriage returns, and the metrics printed over it or in its last state. */
static void bars_are_redrawn(void **state) /* L4 */
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "awk 'BEGIN { for (e = 1; e <= 2; e++) { for (i = 0; i < 100000; i++) "
        "printf \"\\r[=====>......] %5d/100000  loss: 0.9123  acc: 0.4123\", i; "
        "printf \"\\repoch=%d loss=%.2f          \\n\", e, 1 / e } "
        "printf \"\\r 50%%|## | 1/2 [loss=9]\\r100%%|####| 2/2 [loss=0.25, epoch=3]\\r\\n\" }'",
        &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 3);
    assert_point(&r, "loss", 0, 1, 1);
    assert_point(&r, "loss", 1, 2, 0.5);
    assert_point(&r, "loss", 2, 3, 0.25);
    assert_int_equal(r.log.length, 0);
    recorder_release(&r);
}

/* What a program printed is said where the reason stands. */
static void what_was_not_understood_is_the_reason(void **state) /* L7 */
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script("echo 'loss=0x10'; echo 'the loss=0.3 seems fine'", &r);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_string_equal(result.reason,
                        "exited 0 without reporting any metric; 2 lines looked like metrics and were not "
                        "wholly understood, the first: loss=0x10");
    recorder_release(&r);
}

static void many_lines_arrive_in_order(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "awk 'BEGIN { for (i = 1; i <= 20000; i++) { print \"epoch=\" i, \"loss=\" i; "
        "print \"noise\" > \"/dev/stderr\" } }'",
        &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 20000);
    for (size_t i = 0; i < r.count; i++)
        assert_int_equal(r.points[i].epoch, i + 1);
    recorder_release(&r);
}

static void patterns_come_first(void **state) /* L7 */
{
    (void)state;
    struct recorder r;
    run_with(
        "[\"sh\",\"run.sh\"]",
        "{\"pattern\":[\"^round (?<epoch>\\\\d+) => (?<loss>\\\\S+) \\\\| (?<acc>\\\\S+)\",\"^skip \","
        "\"(?<name>\\\\w+)~(?<value>\\\\S+)\"]}",
        "echo 'round 3 => 0.5 | 91.0%'; echo 'round 4 => 1e999 | None'; echo 'skip loss=9'; echo 'a~1 b~2 epoch~5';"
        "echo 'epoch=6 loss=0.25'; echo 'round 7 => 1,234 | 0.5'; echo 'round 0x8 => 1 | 1'",
        &r);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 3);
    assert_point(&r, "loss", 0, 3, 0.5);
    assert_point(&r, "acc", 0, 3, 91);
    assert_point(&r, "loss", 1, 4, INFINITY);
    assert_point(&r, "a", 0, 5, 1);
    assert_point(&r, "b", 0, 5, 2);
    assert_point(&r, "loss", 2, 6, 0.25);
    assert_point(&r, "acc", 1, 7, 0.5);
    assert_string_equal(pl_text(&r.log),
                        "skip loss=9\nround 0x8 => 1 | 1\npoula: 1 line looked like metrics and was not wholly "
                        "understood, the first: round 7 => 1,234 | 0.5\n");
    recorder_release(&r);
    struct pl_error err;
    assert_int_equal(pl_train_check_reading("{\"pattern\":[\"(?<loss>\"]}", &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "is wrong behind"));
    assert_int_equal(pl_train_check_reading("{\"pattern\":[\"(?<name>a)\"]}", &err), PL_EINPUT);
    assert_int_equal(pl_train_check_reading("{\"metrics_file\":\"metrics.csv\"}", &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "{run_folder}"));
    /* A pattern that would take for ever says so. */
    struct pl_run_result result = run_with("[\"sh\",\"run.sh\"]", "{\"pattern\":[\"^(a+)+$\"]}",
                                           "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; echo loss=1", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(result.unread, 1);
    recorder_release(&r);
}

static void stderr_is_read_on_request(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_with("[\"sh\",\"run.sh\"]", "{\"stderr\":true}",
                                           "echo epoch=1 loss=1; echo epoch=1 acc=0.5 >&2; echo oh no >&2; exit 3", &r);
    assert_point(&r, "acc", 0, 1, 0.5);
    assert_string_equal(result.reason, "exited with code 3: oh no");
    recorder_release(&r);
}

/* A file as Keras and Lightning write it: it grows while the program runs, and may be written anew with more columns.
 * What it held before is not read. */
static void files_of_metrics_are_followed(void **state)
{
    (void)state;
    struct recorder r;
    static const char reading[] = "{\"metrics_file\":\"{run_folder}/log/metrics.csv\"}";
    char path[200], old[] = "epoch,loss\n1,9\n2,8\n";
    struct pl_error err;
    snprintf(path, sizeof path, "%s/runs/8/log", folder);
    assert_int_equal(pl_folder_make(path, &err), 0);
    snprintf(path, sizeof path, "%s/runs/8/log/metrics.csv", folder);
    assert_int_equal(pl_file_write(path, old, strlen(old), &err), 0);
    run_with("[\"sh\",\"run.sh\",\"{run_folder}\"]", reading,
             "cd $1/log; printf '3,0.5\\n4,0.' >> metrics.csv; sleep 0.4; printf '25\\n' >> metrics.csv; sleep 0.4;"
             "printf 'epoch,acc,loss\\n3,0.7,0.5\\n4,0.8,0.25\\n5,0.9,0.125\\n' > metrics.csv; sleep 0.4; printf "
             "'6,0.95,0.1' >> metrics.csv",
             &r);
    for (size_t i = 0; i < r.count; i++) /* read once or twice, never wrong */
        assert_true(!strcmp(r.metrics[r.points[i].series], "acc") || r.points[i].value == 0.5 ||
                    r.points[i].value == 0.25 || r.points[i].value == 0.125 || r.points[i].value == 0.1);
    assert_point(&r, "loss", 0, 3, 0.5);
    assert_point(&r, "loss", 1, 4, 0.25);
    assert_point(&r, "acc", 0, 3, 0.7);
    assert_point(&r, "acc", 3, 6, 0.95);
    assert_point(&r, "loss", 5, 6, 0.1);
    recorder_release(&r);

    /* The newest of several, and JSON lines. */
    run_with("[\"sh\",\"run.sh\",\"{run_folder}\"]", "{\"metrics_file\":\"{run_folder}/v*/m.jsonl\"}",
             "mkdir -p $1/v_0 $1/v_1; echo '{\"step\": 7, \"loss\": 0.5}' > $1/v_1/m.jsonl; touch -d '2001-01-01' "
             "$1/v_0/m.jsonl; echo hello",
             &r);
    assert_int_equal(r.count, 1);
    assert_point(&r, "loss", 0, 7, 0.5);
    assert_int_equal(r.axes[0], PL_BY_STEP);
    recorder_release(&r);
}

/* The first line of such a file is a header, whatever its names; cells may be texts; what fits no header is counted. */
static void files_of_metrics_may_have_any_names(void **state)
{
    (void)state;
    struct recorder r;
    run_with("[\"sh\",\"run.sh\",\"{run_folder}\"]", "{\"metrics_file\":\"{run_folder}/m.csv\"}",
             "printf '#{\"t\": \"x\"}\nr,l,host,t\n21.5,21,\"a, b\",0.5\n22.5,22,c,0.75\n23,24\n' > $1/m.csv", &r);
    assert_int_equal(r.count, 6);
    assert_point(&r, "r", 0, 1, 21.5);
    assert_point(&r, "t", 1, 2, 0.75);
    assert_non_null(
        strstr(pl_text(&r.log), "1 line looked like metrics and was not wholly understood, the first: 23,24"));
    recorder_release(&r);
}

static void files_of_metrics_that_are_too_large_are_said(void **state)
{
    (void)state;
    struct recorder r;
    run_with("[\"sh\",\"run.sh\",\"{run_folder}\"]", "{\"metrics_file\":\"{run_folder}/large.csv\"}",
             "echo loss=1; truncate -s 70M $1/large.csv; sleep 0.3; rm $1/large.csv; truncate -s 70M $1/large.csv", &r);
    assert_int_equal(r.count, 1);
    assert_non_null(strstr(pl_text(&r.log),
                           "1 line looked like metrics and was not wholly understood, the first: a file of "
                           "metrics has more than 64 MiB; the rest of it is not read"));
    recorder_release(&r);
}

static void any_library_can_append_metrics(void **state)
{
    (void)state;
    struct recorder r;
    run_script("echo '{\"epoch\": 1, \"a_loss\": 0.5, \"b_loss\": null}' >> $POULA_METRICS; echo "
               "'{\"epoch\": 1, \"a_loss\": null, \"b_loss\": 0.6}' >> \"$POULA_METRICS\"",
               &r);
    assert_int_equal(r.count, 2);
    assert_point(&r, "a_loss", 0, 1, 0.5);
    assert_point(&r, "b_loss", 0, 1, 0.6);
    recorder_release(&r);
    struct pl_run_result result = run_script("echo '{\"epoch\": 1, \"loss\": 0.5}' >> $POULA_METRICS; echo "
                                             "'{\"epoch\": 2, \"loss\": 1e999}' >> \"$POULA_METRICS\"",
                                             &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    assert_point(&r, "loss", 1, 2, INFINITY);
    recorder_release(&r);
}

static void silence_ends_a_run(void **state) /* L13 */
{
    (void)state;
    struct recorder r;
    double begun = pl_clock_steady();
    struct pl_run_result result = run_with("[\"sh\",\"run.sh\"]", "{\"stall\":0.5}",
                                           "echo loss=1; sleep 302 & echo $! > stalled; wait", &r);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_string_equal(result.reason, "said nothing for 0.5 seconds, its stall time-out");
    assert_true(pl_clock_steady() - begun < 5);
    assert_dies(read_pid("stalled"));
    recorder_release(&r);
    /* Whoever goes on speaking, be it in a file, is not silent. */
    result = run_with("[\"sh\",\"run.sh\"]", "{\"stall\":0.9}",
                      "for i in 1 2 3 4 5 6; do echo '{\"loss\": 1}' >> $POULA_METRICS; sleep 0.3; done", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    recorder_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_json_lines),
        cmocka_unit_test(what_waits_is_recorded),
        cmocka_unit_test(reads_words),
        cmocka_unit_test(stderr_is_log),
        cmocka_unit_test(divergence_is_the_last_word_of_a_loss),
        cmocka_unit_test(nothing_is_read_from_half_a_line),
        cmocka_unit_test(more_metrics_than_are_recorded),
        cmocka_unit_test(long_lines_are_read_at_once),
        cmocka_unit_test(bars_are_redrawn),
        cmocka_unit_test(what_was_not_understood_is_the_reason),
        cmocka_unit_test(many_lines_arrive_in_order),
        cmocka_unit_test(patterns_come_first),
        cmocka_unit_test(stderr_is_read_on_request),
        cmocka_unit_test(files_of_metrics_are_followed),
        cmocka_unit_test(files_of_metrics_may_have_any_names),
        cmocka_unit_test(files_of_metrics_that_are_too_large_are_said),
        cmocka_unit_test(any_library_can_append_metrics),
        cmocka_unit_test(silence_ends_a_run),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
