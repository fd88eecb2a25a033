#include "sweep/claimed.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void values_keep_every_bit(void **state)
{
    (void)state;
    double values[100] = {0, -0.0, 1, 0.1, INFINITY, -INFINITY, NAN, 5e-324, 1.7976931348623157e308};
    values[9] = from_bits(0x7ff80000deadbeef); /* a NaN with a payload */
    struct pl_random r = pl_random_stream(7, PL_STREAM_DATA);
    for (size_t i = 10; i < 100; i++) {
        uint32_t words[4];
        pl_random_bits(&r, 0, i, words);
        values[i] = from_bits((uint64_t)words[0] << 32 | words[1]);
    }
    for (size_t count = 0; count <= 100; count++) {
        struct pl_text text = {0};
        double back[100];
        pl_bits_write(values, count, &text);
        assert_int_equal(text.length, 16 * count);
        assert_true(pl_bits_read(pl_text(&text), count, back));
        for (size_t i = 0; i < count; i++)
            assert_true(bits_of(values[i]) == bits_of(back[i]));
        pl_text_release(&text);
    }
}

static void bad_digits_are_refused(void **state)
{
    (void)state;
    double value;
    assert_true(pl_bits_read("0123456789abcdef", 1, &value));
    assert_false(pl_bits_read("0123456789abcdeg", 1, &value));
    assert_false(pl_bits_read("0123456789ABCDEF", 1, &value));
    assert_false(pl_bits_read("-123456789abcdef", 1, &value));
}

/* Reads a text of several lines; check sees each event. */
static void read_lines(const char *text, void (*check)(int line, const struct pl_event *event))
{
    struct pl_event_reader reader = {0};
    struct pl_error err = {0};
    int line = 0;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        struct pl_event event;
        char *copy = pl_copy_bytes(text, (size_t)(end - text));
        int status = pl_event_read(&reader, copy, (size_t)(end - text), &event, &err);
        if (status)
            print_error("%s\n", err.text);
        assert_int_equal(status, 0);
        check(line++, &event);
        free(copy);
    }
    pl_event_reader_release(&reader);
}

static void check_points(int line, const struct pl_event *event)
{
    assert_int_equal(event->kind, PL_EVENT_POINTS);
    assert_int_equal(event->run, 12);
    if (line == 0) { /* loss and theta share their epochs */
        assert_int_equal(event->count, 3);
        assert_true(event->epochs[0] == -5 && event->epochs[1] == 0.1 && event->epochs[2] == 1e300);
        assert_int_equal(event->series_count, 2);
        assert_string_equal(event->series[0].metric, "loss \"quoted\"");
        assert_int_equal(event->series[0].axis, PL_BY_EPOCH);
        assert_string_equal(event->series[1].metric, "theta");
        assert_true(event->series[0].values[1] == 0.1);
        assert_true(isnan(event->series[1].values[2]));
    } else {
        assert_int_equal(event->count, 1);
        assert_string_equal(event->series[0].metric, "test_accuracy");
        assert_int_equal(event->series[0].axis, PL_BY_STEP);
        assert_true(isinf(event->series[0].values[0]));
    }
}

static void points_come_back(void **state)
{
    (void)state;
    struct pl_run_values values = {0};
    struct pl_sink sink = pl_run_values_sink(&values);
    struct pl_text text = {0};
    int loss = sink.series(sink.self, "loss \"quoted\"", PL_BY_EPOCH);
    int accuracy = sink.series(sink.self, "test_accuracy", PL_BY_STEP);
    int theta = sink.series(sink.self, "theta", PL_BY_EPOCH);
    assert_int_equal(loss, sink.series(sink.self, "loss \"quoted\"", PL_BY_EPOCH));
    const double epochs[] = {-5, 0.1, 1e300};
    for (size_t i = 0; i < 3; i++) {
        sink.value(sink.self, loss, epochs[i], 0.1 * (double)i);
        sink.value(sink.self, theta, epochs[i], i == 2 ? NAN : 1);
    }
    sink.value(sink.self, accuracy, 7, INFINITY);
    assert_int_equal(pl_event_write_points(12, &values.series, &text), 7);
    read_lines(pl_text(&text), check_points);
    pl_text_release(&text);
    pl_run_values_release(&values);
}

static void check_rest(int line, const struct pl_event *event)
{
    switch (line) {
    case 0:
        assert_int_equal(event->kind, PL_EVENT_READY);
        assert_int_equal(event->protocol, PL_PROTOCOL_VERSION);
        assert_string_equal(event->worker.version, "1 (\"rev\")");
        assert_string_equal(event->worker.cpu, "c ?");
        assert_string_equal(event->worker.libraries, "l");
        break;
    case 1:
        assert_int_equal(event->kind, PL_EVENT_START);
        assert_true(fabs(event->time - 1234.5) < 1e-6);
        break;
    case 2:
        assert_int_equal(event->kind, PL_EVENT_LOG);
        assert_string_equal(event->line, "a \"line\"\twith \\ and \x01");
        break;
    case 3:
        assert_int_equal(event->kind, PL_EVENT_LOG);
        assert_string_equal(event->line, "latin ?");
        break;
    default:
        assert_int_equal(event->kind, PL_EVENT_END);
        assert_int_equal(event->outcome, PL_DIVERGED);
        assert_true(event->bad_epoch == 40);
        assert_true(event->reached == 30);
        assert_int_equal(event->exit_code, -1);
        assert_int_equal(event->values, 60);
        assert_string_equal(event->reason, "loss is not finite");
        assert_int_equal(event->unread, 7);
        assert_string_equal(event->unread_example, "the \"loss=0.3\" seems fine");
        assert_int_equal(event->unsaved, 2);
        assert_string_equal(event->unsaved_example, "cannot write \"a?\"");
    }
}

static void other_events_come_back(void **state)
{
    (void)state;
    struct pl_text text = {0};
    struct pl_run_result result = {.outcome = PL_DIVERGED,
                                   .bad_epoch = 40,
                                   .reached = 30,
                                   .exit_code = -1,
                                   .reason = "loss is not finite",
                                   .unread = 7,
                                   .unread_example = "the \"loss=0.3\" seems fine",
                                   .unsaved = 2,
                                   .unsaved_example = "cannot write \"a\xae\""};
    struct pl_provenance worker = {
        .version = "1 (\"rev\")", .host = "h", .cpu = "c \xae", .isa = "base", .compiler = "cc", .libraries = "l"};
    pl_event_write_ready(&worker, &text);
    pl_event_write_start(3, 1234.5, &text);
    pl_event_write_log(3, "a \"line\"\twith \\ and \x01", &text);
    pl_event_write_log(3, "latin \xe9", &text);
    pl_event_write_end(3, &result, 60, 0.5, &text);
    read_lines(pl_text(&text), check_rest);
    pl_text_release(&text);
}

static void lines_that_are_no_events(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "hello",
        "[]",
        "{}",
        "{\"run\":1}",
        "{\"event\":\"start\"}",
        "{\"event\":\"dance\",\"run\":1}",
        "{\"event\":\"ready\"}",
        "{\"event\":\"ready\",\"protocol\":6}",
        "{\"event\":\"ready\",\"protocol\":6,\"version\":\"1\"}",
        "{\"event\":\"start\",\"run\":\"1\"}",
        "{\"event\":\"log\",\"run\":1}",
        "{\"run\":1,\"event\":\"points\",\"epochs\":[1],\"series\":[[\"loss\",\"epoch\",\"00\"]]}",
        "{\"run\":1,\"event\":\"points\",\"epochs\":[1.5],\"series\":[]}",
        "{\"run\":1,\"event\":\"points\",\"epochs\":[1],\"series\":[[\"loss\",\"up\",\"0000000000000000\"]]}",
        "{\"run\":1,\"event\":\"end\",\"outcome\":\"finished\"}",
        "{\"run\":1,\"event\":\"end\",\"outcome\":\"won\",\"values\":0,\"bad_epoch\":0,\"exit_code\":0,\"signal\":0}",
        "{\"run\":1,\"run\":1,\"event\":\"start\",\"time\":1}",
        "{\"run\":1,\"event\":\"start\",\"time\":1} ",
        "{\"run\":1,\"event\":\"start\",\"time\":nan}",
        "{\"run\":9223372036854775808,\"event\":\"start\",\"time\":1}",
        "{\"run\":1,\"event\":\"log\",\"line\":\"\\q\"}",
        "{\"run\":1,\"event\":\"log\",\"line\":\"\\u0000\"}",
        "{\"run\":1,\"event\":\"log\",\"line\":\"no end",
    };
    struct pl_event_reader reader = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct pl_event event;
        struct pl_error err = {0};
        char *copy = pl_copy(lines[i]);
        assert_int_equal(pl_event_read(&reader, copy, strlen(lines[i]), &event, &err), PL_ECORRUPT);
        free(copy);
        assert_non_null(strstr(err.text, "not an event"));
    }
    pl_event_reader_release(&reader);
}

static void orders_come_back(void **state)
{
    (void)state;
    struct pl_settings settings = {0};
    struct pl_order_reader reader = {0};
    struct pl_text canonical = {0}, again = {0}, line = {0};
    pl_settings_set_real(&settings, "lambda", 0.1);
    pl_settings_set_real(&settings, "beta", INFINITY);
    pl_settings_set_real(&settings, "tiny", 4.9406564584124654e-324);
    pl_settings_set_string(&settings, "problem", "theta30");
    pl_settings_set_boolean(&settings, "nesterov", true);
    pl_settings_write(&settings, &canonical);
    struct pl_order order = {.run = 5,
                             .seed = -3,
                             .threads = 2,
                             .slot = 3,
                             .settings = pl_text(&canonical),
                             .folder = "a \"b\"",
                             .reading = "{\"pattern\":[\"\\\\d+\"],\"stall\":600}",
                             .home = "/a \"b\"",
                             .data = "data",
                             .epochs = 27,
                             .until = 9,
                             .restart = true};
    pl_order_write(&order, &line);
    assert_int_equal(line.text[line.length - 1], '\n');
    enum pl_message kind;
    int64_t run;
    struct pl_error err = {0};
    assert_int_equal(pl_message_read(line.text, line.length - 1, &kind, &run, &err), 0);
    assert_int_equal(kind, PL_MESSAGE_ORDER);
    assert_int_equal(run, 5);
    struct pl_order got;
    line.text[line.length - 1] = '\0';
    assert_int_equal(pl_order_read(line.text, line.length - 1, &reader, &got, &err), 0);
    assert_int_equal(got.run, 5);
    assert_int_equal(got.seed, -3);
    assert_int_equal(got.threads, 2);
    assert_int_equal(got.slot, 3);
    assert_true(got.epochs == 27 && got.until == 9 && got.restart && !got.continued);
    assert_string_equal(got.folder, "a \"b\"");
    assert_string_equal(got.home, "/a \"b\"");
    assert_string_equal(got.data, "data");
    pl_settings_write(&reader.settings, &again);
    assert_string_equal(pl_text(&canonical), pl_text(&again));
    assert_int_equal(pl_message_read("{\"stop\":true}", 13, &kind, &run, &err), 0);
    assert_int_equal(kind, PL_MESSAGE_STOP);
    assert_int_equal(pl_message_read("{\"recall\":true}", 15, &kind, &run, &err), 0);
    assert_int_equal(kind, PL_MESSAGE_RECALL);
    assert_int_equal(pl_message_read("rubbish", 7, &kind, &run, &err), PL_ECORRUPT);
    pl_order_reader_release(&reader);
    pl_text_release(&canonical);
    pl_text_release(&again);
    pl_text_release(&line);
    pl_settings_release(&settings);
}

static void a_comparison_finds_every_difference(void **state)
{
    (void)state;
    struct pl_run_values before = {0}, now = {0};
    struct pl_sink a = pl_run_values_sink(&before), b = pl_run_values_sink(&now);
    struct pl_text text = {0};
    a.series(a.self, "loss", PL_BY_EPOCH);
    b.series(b.self, "theta", PL_BY_EPOCH);
    b.series(b.self, "loss", PL_BY_EPOCH);
    a.value(a.self, 0, 1, 0.1);
    a.value(a.self, 0, 2, NAN);
    a.value(a.self, 0, 3, 0);
    b.value(b.self, 1, 3, -0.0);
    b.value(b.self, 1, 1, 7); /* is replaced */
    b.value(b.self, 1, 1, 0.1);
    b.value(b.self, 1, 2, NAN);
    assert_int_equal(pl_run_values_compare(&before, &now, false, 10, &text), 0);
    assert_string_equal(pl_text(&text), "");
    b.value(b.self, 0, 1, 5);
    b.value(b.self, 1, 2, INFINITY);
    b.value(b.self, 1, 4, 1);
    a.value(a.self, 0, 5, 1);
    a.value(a.self, 0, 1, nextafter(0.1, 1));
    assert_int_equal(pl_run_values_compare(&before, &now, false, 4, &text), 5);
    assert_string_equal(pl_text(&text), "  loss at 1 was 0.10000000000000002 and is 0.1\n"
                                        "  loss at 2 was nan and is inf\n"
                                        "  loss at 4 was nothing and is 1\n"
                                        "  loss at 5 was 1 and is nothing\n");
    pl_text_release(&text);
    pl_run_values_release(&before);
    pl_run_values_release(&now);
}

static void a_long_log_keeps_its_end(void **state)
{
    (void)state;
    struct pl_claimed_queue spare = {0};
    struct pl_claimed *task = pl_claimed_new(&spare);
    char line[40];
    for (int i = 0; i < 100000; i++)
        pl_claimed_log(task, line, (size_t)snprintf(line, sizeof line, "line %d", i));
    assert_true(task->log.length < 20000);
    assert_non_null(strstr(pl_text(&task->log), "line 99999\n"));
    assert_int_equal(strncmp(pl_text(&task->log), "line ", 5), 0);
    pl_claimed_free(task);
}

static void progress_fits_its_width(void **state)
{
    (void)state;
    char name[] = "a-study-with-a-rather-long-name";
    struct pl_study study = {.name = name};
    struct pl_sweep_study studies[20];
    for (size_t i = 0; i < 20; i++)
        studies[i] = (struct pl_sweep_study){
            .study = &study,
            .runs = 100,
            .ran = 10,
            .counts = {[PL_RUN_FINISHED] = 40, [PL_RUN_FAILED] = 2, [PL_RUN_DIVERGED] = 3},
            .best = {"loss", PL_MINIMIZE, 0.25, 3}};
    struct pl_sweep_plan plan = {.studies = studies, .count = 20};
    struct pl_sweep_state view = {.plan = &plan, .rate = 3.5, .left = 99, .total = 2000, .done = 900, .missing = 1100};
    for (int width = 30; width <= 120; width += 45) {
        struct pl_text text = {0};
        int lines = pl_progress_block(&view, width, false, &text), seen = 0;
        char *line = pl_text_take(&text), *rest = line;
        for (char *end; (end = strchr(rest, '\n')); rest = end + 1, seen++) {
            *end = '\0';
            assert_true(pl_text_width(rest) <= (size_t)width);
        }
        assert_int_equal(lines, seen);
        assert_true(lines <= 15);
        free(line);
    }
    struct pl_text text = {0};
    plan.count = 1;
    pl_progress_line(&view, &text);
    assert_string_equal(pl_text(&text),
                        "900 of 2000 runs, 3.5 runs/s, 1:39 left, 3 diverged, 2 failed, best loss 0.25");
    pl_text_release(&text);
}

/* D11: a study's name comes from a database or spec, a metric's from a program. */
static void progress_is_harmless(void **state)
{
    (void)state;
    char name[] = "a\x1b[2J\xe2\x80\xae";
    struct pl_study study = {.name = name};
    struct pl_sweep_study studies[2];
    for (size_t i = 0; i < 2; i++)
        studies[i] = (struct pl_sweep_study){.study = &study,
                                             .runs = 2,
                                             .ran = 1,
                                             .counts = {[PL_RUN_FINISHED] = 1},
                                             .best = {"acc\x1b]0;x\x07", PL_MAXIMIZE, 0.5, 3}};
    struct pl_sweep_plan plan = {.studies = studies, .count = 2};
    struct pl_sweep_state view = {.plan = &plan, .rate = 1, .left = 1, .total = 4, .done = 2, .missing = 2};
    struct pl_text text = {0};
    pl_progress_block(&view, 120, false, &text);
    assert_null(strpbrk(pl_text(&text), "\x1b\x07\xe2"));
    assert_int_equal(strncmp(pl_text(&text), "a\\x1b[2J\\u{202e} [", 18), 0);
    assert_non_null(strstr(pl_text(&text), ", best acc\\x1b]0;x\\x07 0.5\n"));
    pl_text_clear(&text);
    pl_progress_line(&view, &text);
    assert_null(strpbrk(pl_text(&text), "\x1b\x07\xe2"));
    pl_text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_keep_every_bit),
        cmocka_unit_test(bad_digits_are_refused),
        cmocka_unit_test(points_come_back),
        cmocka_unit_test(other_events_come_back),
        cmocka_unit_test(lines_that_are_no_events),
        cmocka_unit_test(orders_come_back),
        cmocka_unit_test(a_comparison_finds_every_difference),
        cmocka_unit_test(a_long_log_keeps_its_end),
        cmocka_unit_test(progress_fits_its_width),
        cmocka_unit_test(progress_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
