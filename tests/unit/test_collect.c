/* Taking in journals: each record counts once, in whatever pieces they come and whoever takes them in. */
#include "store_fixture.h"

#include "sweep/batch/batch.h"
#include "sweep/batch/collect.h"
#include "sweep/batch/journal.h"
#include "sweep/batch/order_file.h"
#include "sweep/batch/record.h"
#include "sweep/protocol/protocol.h"

enum { RUNS = 8 };

/* A submission of one task with runs 1 to 8, and the folder of its journals. */
static struct pl_store *store;
static struct pl_submission submission;
static char jobs[300];
static struct pl_text lines; /* of the journal that is being made */

static void open_submission(void)
{
    struct pl_claim claims[RUNS];
    ok(pl_store_open(&store, path, PL_STORE_WRITE, &err));
    int64_t sweep = plan(store, "toy", "spec", 4, 2);
    snprintf(jobs, sizeof jobs, "%.*s/jobs", (int)(strrchr(path, '/') - path), path);
    ok(pl_folder_make(jobs, &err));
    submission = (struct pl_submission){.session = join(store),
                                        .sweep = sweep,
                                        .threads = 1,
                                        .name = "toy-1",
                                        .system = "slurm",
                                        .folder = jobs,
                                        .user = "me",
                                        .resources = "1 cpu"};
    ok(pl_store_submission_add(store, &submission, &submission.id, &err));
    ok(pl_store_task_add(store, submission.id, 0, &err));
    assert_int_equal(claim(store, submission.session, sweep, false, claims, RUNS), RUNS);
    for (int i = 0; i < RUNS; i++)
        ok(pl_store_task_run_add(store, submission.id, 0, &claims[i], 0, &err));
    ok(pl_store_submission_open(store, submission.id, 1, RUNS, &err));
}

static void close_submission(void)
{
    pl_store_close(store);
    store = NULL;
}

/* ---- journals ---- */

static void head(int64_t attempt, const char *name)
{
    struct pl_journal_head h = {.attempt = attempt, .time = 5};
    struct pl_provenance node = {
        .host = "node", .cpu = "c", .isa = "base", .version = "1", .compiler = "cc", .libraries = "l"};
    snprintf(h.submission, sizeof h.submission, "%s", name);
    snprintf(h.node, sizeof h.node, "n%d", (int)attempt);
    pl_journal_head_write(&h, &lines);
    pl_event_write_ready(&node, &lines);
}

static void start(int64_t run)
{
    pl_event_write_start(run, 1700000000 + (double)run, &lines);
}

/* Values at epochs from..to. */
static void values_of(const char *metric, int64_t run, int from, int to)
{
    struct pl_series_list list = {0};
    size_t number = pl_series_open(&list, metric, PL_BY_EPOCH);
    for (int i = from; i <= to; i++) {
        double epoch = i, value = (double)run / i;
        pl_series_append(&list.all[number], &epoch, &value, 1);
    }
    pl_event_write_points(run, &list, &lines);
    pl_series_release(&list);
}

static void points(int64_t run, int from, int to)
{
    values_of("loss", run, from, to);
}

static void close_run(int64_t run, enum pl_outcome outcome, int64_t values, const char *reason)
{
    struct pl_run_result result = {.outcome = outcome, .bad_epoch = outcome == PL_DIVERGED ? 2 : -1, .exit_code = -1};
    snprintf(result.reason, sizeof result.reason, "%s", reason);
    pl_event_write_end(run, &result, values, 0.5, &lines);
}

static void log_line(int64_t run, const char *line)
{
    pl_event_write_log(run, line, &lines);
}

/* The journal of an attempt, as its bytes. */
static void make_journal(int64_t attempt, struct pl_text *bytes)
{
    char name[400];
    struct pl_journal *journal;
    int64_t got;
    snprintf(name, sizeof name, "%s/made", jobs);
    ok(pl_folder_make(name, &err));
    ok(pl_journal_create(name, 0, &got, &journal, &err));
    pl_journal_add(journal, pl_text(&lines), lines.length);
    ok(pl_journal_sync(journal, &err));
    pl_journal_close(journal);
    snprintf(name, sizeof name, "%s/made/journal-0.%d", jobs, (int)got);
    ok(pl_file_read(name, 1 << 20, bytes, &err));
    pl_text_clear(&lines);
    (void)attempt;
}

static void put(int64_t attempt, const struct pl_text *bytes, size_t length)
{
    struct pl_text name = {0};
    pl_journal_path(jobs, 0, attempt, &name);
    FILE *file = fopen(pl_text(&name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(pl_text(bytes), 1, length, file), length);
    fclose(file);
    pl_text_release(&name);
}

/* Two attempts: the first finishes 1, diverges 2, fails 3, interrupts 4 and is killed in 5; the second finishes 4 and 5
 * (5 from its epoch 2 on), loses a value of 6, and leaves 7 and 8. */
static void make_story(struct pl_text first[1], struct pl_text second[1])
{
    head(1, "toy-1");
    start(1), points(1, 1, 3);
    start(2), points(2, 1, 2), close_run(2, PL_DIVERGED, 2, "loss is not finite");
    points(1, 4, 5), close_run(1, PL_FINISHED, 5, "");
    start(3), points(3, 1, 1), log_line(3, "Traceback"), log_line(3, "boom"),
        close_run(3, PL_FAILED, 1, "exited with code 1");
    start(4), points(4, 1, 2), close_run(4, PL_INTERRUPTED, 2, "stopped");
    start(5), points(5, 1, 3);
    make_journal(1, first);
    head(2, "toy-1");
    start(4), points(4, 1, 4), close_run(4, PL_FINISHED, 4, "");
    start(5), points(5, 2, 3), points(5, 4, 4), values_of("error", 5, 3, 4), close_run(5, PL_FINISHED, 5, "");
    start(6), points(6, 1, 2), close_run(6, PL_FINISHED, 3, "");
    pl_task_over_write(PL_OVER_LEFT, "it was told to end", &lines);
    make_journal(2, second);
}

static void collect_with(struct pl_store *with)
{
    struct pl_collected collected = {0};
    ok(pl_batch_collect(with, &submission, 0, &collected, &err));
}

static const char dump_sql[] =
    "SELECT group_concat(line, char(10)) FROM (SELECT line FROM ("
    "SELECT 'run ' || id || ' ' || status || ' ' || attempts || ' ' || coalesce(bad_epoch, '') || ' ' || (session IS "
    "NULL)"
    " AS line FROM run UNION ALL SELECT 'attempt ' || a.run || ' ' || a.number || ' ' || a.outcome || ' ' ||"
    " coalesce(a.reason, '') || ' ' || coalesce(a.log, '') || ' ' || coalesce(a.started, '') || ' ' || "
    "coalesce(h.name, '-')"
    " FROM attempt AS a LEFT JOIN host AS h ON h.id = a.host"
    " UNION ALL SELECT 'value ' || run || ' ' || epoch || ' ' || value FROM metric"
    " UNION ALL SELECT 'was ' || run || ' ' || number || ' ' || last || ' ' || last_epoch FROM attempt_result"
    " UNION ALL SELECT 'result ' || run || ' ' || last || ' ' || last_epoch FROM result"
    " UNION ALL SELECT 'task ' || over || ' ' || starts || ' ' || node FROM submission_task) ORDER BY line)";

static char *dump(void)
{
    sqlite3 *db;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, dump_sql, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    char *text = pl_copy((const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    sqlite3_close(db);
    return text;
}

/* What the story comes to, taken in at once. */
static char *expected(void)
{
    static char *whole;
    if (whole)
        return whole;
    struct pl_text first = {0}, second = {0};
    char kept[sizeof path];
    memcpy(kept, path, sizeof path);
    snprintf(path, sizeof path, "%s/whole/test.db", folder);
    open_submission();
    make_story(&first, &second);
    put(1, &first, first.length);
    put(2, &second, second.length);
    collect_with(store);
    whole = dump();
    close_submission();
    memcpy(path, kept, sizeof path);
    pl_text_release(&first);
    pl_text_release(&second);
    return whole;
}

static void a_story_comes_to_what_it_says(void **state)
{
    (void)state;
    const char *all = expected();
    static const char *const lines_of_it[] = {
        "run 1 2 1  1",
        "run 2 3 1 2 1",
        "run 3 4 1  1",
        "run 4 2 2  1",
        "run 5 2 2  1",
        "run 6 4 1  1",
        "run 7 0 0  1",
        "run 8 0 0  1",
        "attempt 3 1 4 exited with code 1 Traceback\nboom\n 1700000003.0 node",
        "attempt 4 1 5 stopped  1700000004.0 node",
        "attempt 4 2 2   1700000004.0 node",
        "attempt 5 1 5 its task was stopped without a warning, and was started again  1700000005.0 -",
        "attempt 6 1 4 the worker reported 3 values, but 2 arrived  1700000006.0 node",
        "value 1 5 0.2",
        "value 4 4 1.0",
        "value 5 1 5.0",
        "value 5 4 1.25",
        "was 5 1 1.66666666666667 3",
        "result 1 0.2 5",
        "result 5 1.25 4",
        "task 1 2 n2"};
    for (size_t i = 0; i < sizeof lines_of_it / sizeof *lines_of_it; i++)
        if (!strstr(all, lines_of_it[i]))
            fail_msg("no \"%s\" in\n%s", lines_of_it[i], all);
    assert_null(strstr(all, "value 7"));
    assert_null(strstr(all, "result 4 2.0"));
}

/* The story in pieces of so many bytes, taken in after each by one of two collectors in turns. */
static void in_pieces(size_t step)
{
    struct pl_text first = {0}, second = {0};
    struct pl_store *other;
    open_submission();
    make_story(&first, &second);
    ok(pl_store_open(&other, path, PL_STORE_WRITE, &err));
    int turn = 0;
    for (size_t length = 0; length < first.length + step; length += step) {
        put(1, &first, length < first.length ? length : first.length);
        collect_with(turn++ % 2 ? store : other);
    }
    for (size_t length = 0; length < second.length + step; length += step) {
        put(2, &second, length < second.length ? length : second.length);
        collect_with(turn++ % 3 ? store : other);
    }
    pl_store_close(other);
    char *all = dump();
    close_submission();
    if (strcmp(all, expected()) != 0)
        fail_msg("in pieces of %zu bytes:\n%s\nis not\n%s", step, all, expected());
    free(all);
    pl_text_release(&first);
    pl_text_release(&second);
}

static void pieces_come_to_the_same(void **state)
{
    (void)state;
    in_pieces(37);
    fresh(state);
    in_pieces(150);
}

static void every_cut_comes_to_the_same(void **state)
{
    (void)state;
    in_pieces(1);
}

/* A collector that is killed leaves what it had committed: the next one goes on. */
static void killed_collectors_lose_nothing(void **state)
{
    (void)state;
    struct pl_text first = {0}, second = {0};
    open_submission();
    make_story(&first, &second);
    put(1, &first, first.length);
    put(2, &second, second.length);
    close_submission();
    for (int i = 0; i < 12; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            struct pl_store *own;
            if (!pl_store_open(&own, path, PL_STORE_WRITE, &err))
                for (;;)
                    collect_with(own);
            _exit(1);
        }
        usleep((useconds_t)(i * 1500));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    ok(pl_store_open(&store, path, PL_STORE_WRITE, &err));
    collect_with(store);
    char *all = dump();
    assert_string_equal(all, expected());
    free(all);
    close_submission();
    pl_text_release(&first);
    pl_text_release(&second);
}

/* A journal of another submission in this one's place, or of another task, says nothing. */
static void foreign_journals_are_left_alone(void **state)
{
    (void)state;
    struct pl_text bytes = {0};
    open_submission();
    char *before = dump();
    head(1, "other-2");
    start(1), points(1, 1, 1), close_run(1, PL_FINISHED, 1, "");
    make_journal(1, &bytes);
    put(1, &bytes, bytes.length);
    collect_with(store);
    start(1), points(1, 1, 1), close_run(1, PL_FINISHED, 1, ""); /* no head */
    make_journal(2, &bytes);
    put(2, &bytes, bytes.length);
    collect_with(store);
    char *after = dump();
    assert_string_equal(before, after);
    free(before);
    free(after);
    close_submission();
    pl_text_release(&bytes);
}

/* What another version of poula reported is not taken for what it is not: it stays in its journal, and is said. */
static void journals_of_another_version_are_left_alone(void **state)
{
    (void)state;
    struct pl_text bytes = {0};
    struct pl_collected collected = {0};
    open_submission();
    struct pl_journal_head h = {.attempt = 1, .time = 5, .submission = "toy-1", .node = "n1"};
    pl_journal_head_write(&h, &lines);
    pl_text_addf(&lines, "{\"event\":\"ready\",\"protocol\":%d,\"of\":\"tomorrow\"}\n", PL_PROTOCOL_VERSION + 1);
    start(1), points(1, 1, 1), close_run(1, PL_FINISHED, 1, "");
    make_journal(1, &bytes);
    put(1, &bytes, bytes.length);
    ok(pl_batch_collect(store, &submission, 0, &collected, &err));
    assert_true(collected.ended == 0 && collected.broken == 1);
    assert_non_null(strstr(collected.example, "task 0 was worked at by another version of poula"));
    assert_true(number("SELECT count(*) FROM attempt") == 0 && number("SELECT count(*) FROM metric") == 0);
    close_submission();
    pl_text_release(&bytes);
}

/* A run that was given back meanwhile, and is somebody else's, is not written. */
static void runs_in_other_hands_are_left_alone(void **state)
{
    (void)state;
    struct pl_text bytes = {0};
    struct pl_claim claims[RUNS];
    int64_t failed, returned;
    open_submission();
    ok(pl_store_task_drop(store, submission.id, 0, PL_INTERRUPTED, "lost", &failed, &returned, &err));
    assert_true(failed == 0 && returned == RUNS);
    assert_int_equal(claim(store, join(store), submission.sweep, false, claims, 1), 1);
    head(1, "toy-1");
    start(1), points(1, 1, 1), close_run(1, PL_FINISHED, 1, "");
    make_journal(1, &bytes);
    put(1, &bytes, bytes.length);
    collect_with(store);
    assert_true(number("SELECT status FROM run WHERE id = 1") == PL_RUN_RUNNING);
    assert_true(number("SELECT count(*) FROM metric") == 0);
    close_submission();
    pl_text_release(&bytes);
}

/* The end of a task by the batch system's word: runs at work fail or are given back, the others are as they were. */
static void a_task_that_is_ended_fails_what_was_at_work(void **state)
{
    (void)state;
    struct pl_text bytes = {0};
    int64_t failed, returned;
    open_submission();
    head(1, "toy-1");
    start(1), points(1, 1, 3), close_run(1, PL_FINISHED, 3, "");
    start(2), points(2, 1, 2);
    make_journal(1, &bytes);
    put(1, &bytes, bytes.length);
    collect_with(store);
    assert_true(number("SELECT begun FROM run WHERE id = 2") == 1700000002);
    ok(pl_store_task_drop(store, submission.id, 0, PL_FAILED, "out of memory", &failed, &returned, &err));
    assert_true(failed == 1 && returned == RUNS - 2);
    assert_true(number("SELECT status FROM run WHERE id = 1") == PL_RUN_FINISHED);
    assert_true(number("SELECT status FROM run WHERE id = 2") == PL_RUN_FAILED);
    assert_true(number("SELECT count(*) FROM run WHERE status = 0 AND session IS NULL") == RUNS - 2);
    assert_true(number("SELECT count(*) FROM metric WHERE run = 2") == 2);
    close_submission();
    pl_text_release(&bytes);
}

/* A submission that is closed ends the attempt that is at work; runs that never began are as they were. */
static void closing_ends_what_is_at_work(void **state)
{
    (void)state;
    struct pl_text bytes = {0};
    open_submission();
    head(1, "toy-1");
    start(1), points(1, 1, 3), close_run(1, PL_FINISHED, 3, "");
    start(2), points(2, 1, 2);
    make_journal(1, &bytes);
    put(1, &bytes, bytes.length);
    collect_with(store);
    behind("PRAGMA ignore_check_constraints = ON; UPDATE run SET status = 2 WHERE id = 2"); /* damage, met for ever */
    assert_int_equal(pl_store_submission_close(store, submission.id, "it was cancelled", &err), PL_ECORRUPT);
    behind("UPDATE run SET status = 1 WHERE id = 2");
    ok(pl_store_submission_close(store, submission.id, "it was cancelled", &err));
    assert_true(number("SELECT count(*) FROM attempt") == 2);
    assert_true(number("SELECT outcome FROM attempt WHERE run = 2 AND reason = 'it was cancelled'") ==
                PL_RUN_INTERRUPTED);
    assert_true(number("SELECT count(*) FROM run WHERE status = 0 AND attempts = 0 AND session IS NULL") == RUNS - 2);
    assert_true(number("SELECT state FROM submission") == PL_SUBMISSION_CLOSED);
    close_submission();
    pl_text_release(&bytes);
}

/* The session of an open submission has no process to be judged by; that of one which is being written has. */
static void open_submissions_outlive_their_process(void **state)
{
    (void)state;
    int64_t recovered = 0;
    open_submission();
    behind("UPDATE session SET process = 'another boot', ended = NULL");
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, 0);
    behind("UPDATE submission SET state = 0");
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, RUNS);
    assert_true(number("SELECT state FROM submission") == PL_SUBMISSION_CLOSED);
    close_submission();
}

/* Orders of task 0 in the submission's folder, as those of a submission of a database. */
static void give_orders(const char *name, const char *owner)
{
    struct pl_order_head of = {.submission = name, .owner = owner, .system = "slurm", .version = "1", .threads = 1};
    struct pl_text text = {0}, file = {0};
    pl_order_file_begin(&of, &text);
    pl_order_file_end(&text);
    pl_order_file_path(jobs, 0, &file);
    ok(pl_file_write(pl_text(&file), pl_text(&text), text.length, &err));
    pl_text_release(&text);
    pl_text_release(&file);
}

/* The folder that a database names is removed when it has the orders of this submission and this database, not when it
 * is any other: the database may come from elsewhere. */
static void only_its_own_folder_goes(void **state)
{
    (void)state;
    char token[PL_STORE_TOKEN_SIZE], relative[] = "jobs";
    open_submission();
    ok(pl_store_token(store, token, &err));
    ok(pl_store_task_over(store, submission.id, 0, NULL, &err));
    for (int i = 0; i < 5; i++) {
        if (i > 1)
            give_orders(i == 2 ? "toy-2" : "toy-1", i == 3 ? "00000000000000000000000000000000" : token);
        submission.folder = i == 1 ? relative : jobs;
        behind("UPDATE submission SET state = 1");
        assert_int_equal(pl_batch_close(store, &submission, &err), 1);
        assert_int_equal(pl_file_exists(jobs), i < 4);
    }
    close_submission();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_story_comes_to_what_it_says, fresh),
        cmocka_unit_test_setup(pieces_come_to_the_same, fresh),
        cmocka_unit_test_setup(every_cut_comes_to_the_same, fresh),
        cmocka_unit_test_setup(killed_collectors_lose_nothing, fresh),
        cmocka_unit_test_setup(foreign_journals_are_left_alone, fresh),
        cmocka_unit_test_setup(journals_of_another_version_are_left_alone, fresh),
        cmocka_unit_test_setup(runs_in_other_hands_are_left_alone, fresh),
        cmocka_unit_test_setup(a_task_that_is_ended_fails_what_was_at_work, fresh),
        cmocka_unit_test_setup(closing_ends_what_is_at_work, fresh),
        cmocka_unit_test_setup(open_submissions_outlive_their_process, fresh),
        cmocka_unit_test_setup(only_its_own_folder_goes, fresh),
    };
    int failures = cmocka_run_group_tests(tests, make_folder, remove_folder);
    pl_text_release(&lines);
    return failures;
}
