/* Journals: what is written is read once, whatever happened to the file. */
#include "sweep/batch/journal.h"
#include "sweep/batch/order_file.h"
#include "sweep/batch/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct pl_error err;
static struct pl_text folder;

static int set_up(void **state)
{
    (void)state;
    folder = (struct pl_text){0};
    return pl_folder_make_temporary(&folder, &err);
}

static int tear_down(void **state)
{
    (void)state;
    pl_folder_remove(pl_text(&folder));
    pl_text_release(&folder);
    return 0;
}

static const char *path_of(int64_t task, int64_t attempt)
{
    static struct pl_text path;
    pl_text_clear(&path);
    pl_journal_path(pl_text(&folder), task, attempt, &path);
    return pl_text(&path);
}

/* The records of a journal, each behind a |. */
static int keep(void *self, char *text, size_t length, const struct pl_journal_place *behind)
{
    struct pl_text *all = self;
    assert_int_equal(strlen(text), length);
    assert_true(behind->bytes > 0);
    pl_text_addf(all, "|%s", text);
    return 0;
}

static int stop_at_two(void *self, char *text, size_t length, const struct pl_journal_place *behind)
{
    keep(self, text, length, behind);
    return !strcmp(text, "two");
}

static const char *read_from(const char *path, struct pl_journal_place *place)
{
    static struct pl_text all;
    bool more = true;
    pl_text_clear(&all);
    while (more)
        assert_int_equal(pl_journal_read(path, place, 1 << 20, &more, keep, &all, &err), 0);
    return pl_text(&all);
}

static const char *read_all(const char *path)
{
    struct pl_journal_place place = {0};
    return read_from(path, &place);
}

static int64_t write_journal(int64_t task, const char *lines)
{
    struct pl_journal *journal;
    int64_t attempt = 0;
    assert_int_equal(pl_journal_create(pl_text(&folder), task, &attempt, &journal, &err), 0);
    pl_journal_add(journal, lines, strlen(lines));
    assert_true(pl_journal_waiting(journal) > strlen(lines));
    assert_int_equal(pl_journal_sync(journal, &err), 0);
    assert_int_equal(pl_journal_waiting(journal), 0);
    pl_journal_close(journal);
    return attempt;
}

static void replace_file(const char *path, const char *bytes, size_t count)
{
    assert_int_equal(pl_file_write(path, bytes, count, &err), 0);
}

static void records_come_back(void **state)
{
    (void)state;
    assert_int_equal(write_journal(7, "one\ntwo\n\nthree and more\n"), 1);
    assert_string_equal(read_all(path_of(7, 1)), "|one|two||three and more");
    /* Each attempt has a file of its own; nothing is written over. */
    assert_int_equal(write_journal(7, "again\n"), 2);
    assert_string_equal(read_all(path_of(7, 1)), "|one|two||three and more");
    assert_string_equal(read_all(path_of(7, 2)), "|again");
    int64_t task, attempt;
    assert_true(pl_journal_name("journal-7.2", &task, &attempt) && task == 7 && attempt == 2);
    assert_false(pl_journal_name("journal-7.2.part", &task, &attempt));
    assert_false(pl_journal_name("journal-07.2", &task, &attempt));
    assert_false(pl_journal_name("journal-7.0", &task, &attempt));
}

static void reading_goes_on_where_it_stopped(void **state)
{
    (void)state;
    struct pl_text all = {0};
    struct pl_journal_place place = {0};
    bool more;
    write_journal(0, "one\ntwo\nthree\n");
    assert_int_equal(pl_journal_read(path_of(0, 1), &place, 1 << 20, &more, stop_at_two, &all, &err), 0);
    assert_string_equal(pl_text(&all), "|one|two");
    assert_string_equal(read_from(path_of(0, 1), &place), "|three");
    assert_string_equal(read_from(path_of(0, 1), &place), "");
    pl_text_release(&all);
    assert_int_equal(pl_journal_read(path_of(5, 1), &place, 1, &more, keep, &all, &err), PL_EMISSING);
}

/* Whatever length a file was cut to: whole records are taken, and the rest when it is there. */
static void a_cut_end_is_ignored(void **state)
{
    (void)state;
    struct pl_text bytes = {0}, all = {0};
    write_journal(0, "first\nsecond record\n{\"run\":17}\nlast\n");
    assert_int_equal(pl_file_read(path_of(0, 1), 1 << 20, &bytes, &err), 0);
    struct pl_journal_place growing = {0};
    for (size_t length = 0; length <= bytes.length; length++) {
        replace_file(path_of(0, 1), pl_text(&bytes), length);
        struct pl_journal_place place = {0};
        const char *got = read_from(path_of(0, 1), &place);
        assert_int_equal(strncmp("|first|second record|{\"run\":17}|last", got, strlen(got)), 0);
        assert_true(place.bytes <= (int64_t)length);
        pl_text_add(&all, read_from(path_of(0, 1), &growing));
    }
    assert_string_equal(pl_text(&all), "|first|second record|{\"run\":17}|last");
    pl_text_release(&bytes);
    pl_text_release(&all);
}

/* Every byte changed, one at a time: what stands before it is taken, and nothing else. */
static void an_altered_record_ends_the_journal(void **state)
{
    (void)state;
    struct pl_text bytes = {0};
    write_journal(0, "first\nsecond\nthird\n");
    assert_int_equal(pl_file_read(path_of(0, 1), 1 << 20, &bytes, &err), 0);
    size_t each[] = {18 + 5 + 1, 18 + 6 + 1, 18 + 5 + 1};
    for (size_t i = 0; i < bytes.length; i++) {
        size_t whole = i < each[0] ? 0 : i < each[0] + each[1] ? 1 : 2;
        char before = bytes.text[i];
        bytes.text[i] ^= 1;
        replace_file(path_of(0, 1), pl_text(&bytes), bytes.length);
        assert_string_equal(read_all(path_of(0, 1)), whole == 0 ? "" : whole == 1 ? "|first" : "|first|second");
        bytes.text[i] = before;
    }
    pl_text_release(&bytes);
}

static void a_doubled_journal_counts_once(void **state)
{
    (void)state;
    struct pl_text bytes = {0};
    write_journal(0, "one\ntwo\n");
    assert_int_equal(pl_file_read(path_of(0, 1), 1 << 20, &bytes, &err), 0);
    size_t once = bytes.length;
    char *copy = pl_copy_bytes(pl_text(&bytes), once);
    pl_text_add_bytes(&bytes, copy, once);
    replace_file(path_of(0, 1), pl_text(&bytes), bytes.length);
    assert_string_equal(read_all(path_of(0, 1)), "|one|two");
    /* And one record that stands there twice. */
    pl_text_cut(&bytes, once);
    pl_text_add_bytes(&bytes, copy + once / 2, once - once / 2);
    replace_file(path_of(0, 1), pl_text(&bytes), bytes.length);
    assert_string_equal(read_all(path_of(0, 1)), "|one|two");
    free(copy);
    pl_text_release(&bytes);
}

static void zeros_at_the_end_are_ignored(void **state)
{
    (void)state;
    struct pl_text bytes = {0};
    write_journal(0, "one\ntwo\n");
    assert_int_equal(pl_file_read(path_of(0, 1), 1 << 20, &bytes, &err), 0);
    for (int i = 0; i < 5000; i++)
        pl_text_add_char(&bytes, '\0');
    replace_file(path_of(0, 1), pl_text(&bytes), bytes.length);
    assert_string_equal(read_all(path_of(0, 1)), "|one|two");
    pl_text_release(&bytes);
}

/* A place in one journal is no place in another. */
static void records_of_another_journal_are_not_taken(void **state)
{
    (void)state;
    struct pl_journal_place place = {0};
    struct pl_text other = {0};
    write_journal(0, "one\n");
    write_journal(1, "uno\ndue\ntre\n");
    read_from(path_of(0, 1), &place);
    assert_int_equal(pl_file_read(path_of(1, 1), 1 << 20, &other, &err), 0);
    replace_file(path_of(0, 1), pl_text(&other), other.length);
    assert_string_equal(read_from(path_of(0, 1), &place), "");
    pl_text_release(&other);
}

/* A record that is longer than what is read at a time, and more than is wanted at a time. */
static void long_records_come_whole(void **state)
{
    (void)state;
    struct pl_text line = {0}, all = {0};
    struct pl_journal_place place = {0};
    bool more = true;
    for (int i = 0; i < 700000; i++)
        pl_text_add_char(&line, (char)('a' + i % 26));
    pl_text_add(&line, "\nshort\n");
    write_journal(0, pl_text(&line));
    int reads = 0;
    for (; more; reads++)
        assert_int_equal(pl_journal_read(path_of(0, 1), &place, 1000, &more, keep, &all, &err), 0);
    assert_true(reads > 1);
    assert_int_equal(all.length, line.length);
    assert_int_equal(memcmp(all.text + 1, line.text, 700000), 0);
    pl_text_release(&line);
    pl_text_release(&all);
}

/* /dev/full stands for a disk that is: what was added is still there for the next time. */
static void a_full_disk_loses_nothing(void **state)
{
    (void)state;
    struct pl_journal *journal;
    int64_t attempt;
    assert_int_equal(pl_journal_create(pl_text(&folder), 0, &attempt, &journal, &err), 0);
    pl_journal_add(journal, "one\n", 4);
    assert_int_equal(pl_journal_sync(journal, &err), 0);
    struct pl_journal *full = journal;
    int fd = *(int *)full; /* its first member */
    int kept = dup(fd);
    FILE *device = fopen("/dev/full", "w");
    if (!device)
        skip();
    assert_true(dup2(fileno(device), fd) == fd);
    pl_journal_add(journal, "two\n", 4);
    assert_int_equal(pl_journal_sync(journal, &err), PL_EIO);
    assert_non_null(strstr(err.text, "No space left"));
    assert_true(pl_journal_waiting(journal) > 0);
    assert_true(dup2(kept, fd) == fd);
    assert_int_equal(pl_journal_sync(journal, &err), 0);
    assert_string_equal(read_all(path_of(0, 1)), "|one|two");
    close(kept);
    fclose(device);
    pl_journal_close(journal);
}

/* ---- order files ---- */

static const struct pl_order_head head = {.submission = "toy-1f",
                                          .owner = "ab \"c\"",
                                          .system = "slurm",
                                          .version = "1 (x)",
                                          .task = 3,
                                          .runs = 2,
                                          .workers = 4,
                                          .threads = 2,
                                          .requeues = 20,
                                          .timeout = 0.5,
                                          .warning = 60};

static void write_orders(struct pl_text *text)
{
    pl_order_file_begin(&head, text);
    pl_text_add(text, "{\"run\":1}\n{\"run\":2}\n");
    pl_order_file_end(text);
}

static const char *orders_path(void)
{
    static struct pl_text path;
    pl_text_clear(&path);
    pl_order_file_path(pl_text(&folder), 3, &path);
    return pl_text(&path);
}

static void orders_come_back(void **state)
{
    (void)state;
    struct pl_text text = {0};
    struct pl_order_file file;
    write_orders(&text);
    replace_file(orders_path(), pl_text(&text), text.length);
    assert_int_equal(pl_order_file_read(pl_text(&folder), 3, &file, &err), 0);
    assert_string_equal(file.head.submission, head.submission);
    assert_string_equal(file.head.owner, head.owner);
    assert_string_equal(file.head.system, head.system);
    assert_string_equal(file.head.version, head.version);
    assert_true(file.head.task == 3 && file.head.runs == 2 && file.head.workers == 4 && file.head.threads == 2 &&
                file.head.requeues == 20 && file.head.timeout == 0.5 && file.head.warning == 60);
    assert_string_equal(file.lines[0], "{\"run\":1}");
    assert_string_equal(file.lines[1], "{\"run\":2}");
    pl_order_file_release(&file);
    assert_int_equal(pl_order_file_read(pl_text(&folder), 4, &file, &err), PL_EMISSING);
    pl_text_release(&text);
}

static void cut_or_altered_orders_are_refused(void **state)
{
    (void)state;
    struct pl_text text = {0};
    struct pl_order_file file;
    write_orders(&text);
    for (size_t length = 0; length < text.length; length++) {
        replace_file(orders_path(), pl_text(&text), length);
        assert_int_equal(pl_order_file_read(pl_text(&folder), 3, &file, &err), PL_ECORRUPT);
    }
    for (size_t i = 0; i < text.length; i++) {
        text.text[i] ^= 1;
        replace_file(orders_path(), pl_text(&text), text.length);
        assert_int_equal(pl_order_file_read(pl_text(&folder), 3, &file, &err), PL_ECORRUPT);
        text.text[i] ^= 1;
    }
    pl_text_release(&text);
}

/* ---- records ---- */

static void records_of_tasks_come_back(void **state)
{
    (void)state;
    struct pl_text text = {0};
    struct pl_journal_head wrote = {.task = 3, .attempt = 2, .restarts = 1, .time = 17.5}, read;
    enum pl_task_over how;
    char reason[12];
    snprintf(wrote.submission, sizeof wrote.submission, "toy \"x\"");
    snprintf(wrote.job, sizeof wrote.job, "12_3");
    snprintf(wrote.node, sizeof wrote.node, "n1");
    pl_journal_head_write(&wrote, &text);
    assert_true(pl_journal_head_read(pl_text(&text), &read));
    assert_true(read.task == 3 && read.attempt == 2 && read.restarts == 1 && read.time == 17.5);
    assert_string_equal(read.submission, wrote.submission);
    assert_string_equal(read.job, "12_3");
    assert_string_equal(read.node, "n1");
    assert_false(pl_task_over_read(pl_text(&text), &how, reason, sizeof reason));
    for (int i = 0; i < PL_OVER_COUNT; i++) {
        pl_text_clear(&text);
        pl_task_over_write((enum pl_task_over)i, "a reason that is long", &text);
        assert_true(pl_task_over_read(pl_text(&text), &how, reason, sizeof reason) && (int)how == i);
        assert_string_equal(reason, "a reason th");
        assert_false(pl_journal_head_read(pl_text(&text), &read));
    }
    pl_text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(records_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_goes_on_where_it_stopped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cut_end_is_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_altered_record_ends_the_journal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_doubled_journal_counts_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(zeros_at_the_end_are_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(records_of_another_journal_are_not_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_records_come_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_loses_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(orders_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cut_or_altered_orders_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(records_of_tasks_come_back, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
