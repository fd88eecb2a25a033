/* What tasks of a cluster leave, and what Slurm's commands print. The first byte says which: a journal as it is, lines
 * that are made a journal first (read back, and taken in by a database that has their submission), an order file, or a
 * text of Slurm. */
#include "fuzz.h"

#include "store/submission.h"
#include "sweep/batch/batch.h"
#include "sweep/batch/collect.h"
#include "sweep/batch/journal.h"
#include "sweep/batch/order_file.h"
#include "sweep/batch/past.h"
#include "sweep/batch/record.h"
#include "sweep/batch/slurm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 4 };

/* ---- journals ---- */

struct heard {
    uint64_t hash, records;
};

static int hear(void *self, char *text, size_t length, const struct pl_journal_place *behind)
{
    struct heard *heard = self;
    MUST(text[length] == '\0' && behind->bytes >= (int64_t)length);
    for (size_t i = 0; i < length; i++)
        heard->hash = (heard->hash ^ (unsigned char)text[i]) * 1099511628211u;
    heard->hash ^= ++heard->records;
    return 0;
}

static struct heard read_journal(const char *path, size_t most, int64_t *end)
{
    struct heard heard = {0};
    struct pl_journal_place place = {0};
    struct pl_error err = {0};
    for (bool more = true; more;) {
        int status = pl_journal_read(path, &place, most, &more, hear, &heard, &err);
        fuzz_must_say(status, &err);
        MUST(!status);
    }
    *end = place.bytes;
    return heard;
}

/* In whatever pieces it is read, a journal says the same. */
static void try_raw(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("journal-0.1", data, size);
    int64_t end, other;
    struct heard whole = read_journal(path, 1 << 20, &end), pieces = read_journal(path, 1, &other);
    MUST(whole.hash == pieces.hash && whole.records == pieces.records && end == other && end <= (int64_t)size);
}

/* A database with a submission of one task, made once; each input gets a copy. */
static void make_database(void)
{
    struct pl_store *store;
    struct pl_error err = {0};
    struct pl_sweep_info info = {.study = "s", .path = "s.yaml", .spec = "s", .seeds = RUNS};
    struct pl_settings settings = {0};
    struct pl_text canonical = {0};
    struct pl_provenance self = {.cpu = "c", .isa = "base", .version = "1", .jobs = 1, .threads = 1};
    struct pl_submission submission = {
        .threads = 1, .name = "s-1", .system = "slurm", .folder = fuzz_folder(), .user = "u", .resources = ""};
    struct pl_claim claims[RUNS];
    int64_t launch = 0, config, run;
    size_t taken = 0;
    enum pl_status status;
    MUST(!pl_store_open(&store, fuzz_path("made.db"), PL_STORE_WRITE, &err));
    MUST(!pl_store_put_sweep(store, &info, &launch, &submission.sweep, &err));
    pl_settings_set_string(&settings, "optimizer", "sgd");
    pl_settings_write(&settings, &canonical);
    MUST(!pl_store_put_config(store, &settings, pl_text(&canonical), &config, &err));
    for (int64_t seed = 1; seed <= RUNS; seed++) {
        unsigned char key[PL_DIGEST_SIZE] = {(unsigned char)seed};
        MUST(!pl_store_put_run(store, submission.sweep, config, seed, key, &run, &status, &err));
    }
    MUST(!pl_store_join(store, &self, &submission.session, &err));
    MUST(!pl_store_submission_add(store, &submission, &submission.id, &err));
    MUST(!pl_store_task_add(store, submission.id, 0, &err));
    MUST(!pl_store_claim(store, submission.session, &submission.sweep, 1, NULL, claims, RUNS, &taken, &err));
    for (size_t i = 0; i < taken; i++)
        MUST(!pl_store_task_run_add(store, submission.id, 0, &claims[i], 0, &err));
    MUST(!pl_store_submission_open(store, submission.id, 1, RUNS, &err));
    MUST(!pl_store_backup(store, fuzz_path("start.db"), &err));
    pl_store_close(store);
    pl_settings_release(&settings);
    pl_text_release(&canonical);
}

static void collect(void)
{
    struct pl_store *store;
    struct pl_error err = {0};
    struct pl_text start = {0}, problems = {0};
    struct pl_collected first = {0}, second = {0};
    MUST(!pl_file_read(fuzz_path("start.db"), 1 << 24, &start, &err));
    fuzz_remove(fuzz_path("now.db-wal"));
    fuzz_remove(fuzz_path("now.db-shm"));
    fuzz_file("now.db", start.text, start.length);
    MUST(!pl_store_open(&store, fuzz_path("now.db"), PL_STORE_WRITE, &err));
    MUST(!pl_batch_collect_all(store, 0, &first, &err));
    MUST(!pl_batch_collect_all(store, 0, &second, &err) && !second.ended); /* each record counts once */
    MUST(first.ended <= RUNS);
    MUST(!pl_store_check(store, &problems, &err) && !problems.length);
    pl_store_close(store);
    pl_text_release(&start);
    pl_text_release(&problems);
}

/* What a later attempt at the task makes of such a journal. */
static void look_back(void)
{
    const struct pl_order_head head = {
        .submission = "s-1", .owner = "", .system = "slurm", .version = "1", .runs = RUNS, .workers = 1, .threads = 1};
    struct pl_order_file file;
    struct pl_past past;
    struct pl_error err = {0};
    struct pl_text text = {0};
    pl_order_file_begin(&head, &text);
    for (int64_t run = 1; run <= RUNS; run++) {
        const struct pl_order order = {.run = run, .seed = run, .threads = 1, .settings = "{\"optimizer\":\"sgd\"}"};
        pl_order_write(&order, &text);
    }
    pl_order_file_end(&text);
    fuzz_file("orders-0", text.text, text.length);
    MUST(!pl_order_file_read(fuzz_folder(), 0, &file, &err));
    MUST(!pl_past_read(fuzz_folder(), &file, 2, &past, &err) && past.count == RUNS && past.restarts <= 1);
    for (size_t i = 0; i < past.count; i++) {
        MUST(past.runs[i].run == (int64_t)i + 1);
        for (int axis = 0; axis < PL_AXIS_COUNT; axis++) {
            const struct pl_kept *kept = &past.runs[i].kept[axis];
            MUST(isnan(kept->first) == isnan(kept->last) && !(kept->first > kept->last));
        }
    }
    pl_past_release(&past);
    pl_order_file_release(&file);
    pl_text_release(&text);
}

/* The lines as records behind the head that they need. */
static void try_lines(const uint8_t *data, size_t size)
{
    struct pl_journal *journal;
    struct pl_error err = {0};
    struct pl_text lines = {0};
    const struct pl_journal_head head = {.attempt = 1, .submission = "s-1", .node = "n"};
    int64_t attempt, end;
    size_t newlines = 0;
    if (!pl_file_exists(fuzz_path("start.db")))
        make_database();
    fuzz_remove(fuzz_path("journal-0.1"));
    pl_journal_head_write(&head, &lines);
    pl_text_add_bytes(&lines, (const char *)data, size);
    for (size_t i = 0; i < lines.length; i++)
        newlines += lines.text[i] == '\n';
    MUST(!pl_journal_create(fuzz_folder(), 0, &attempt, &journal, &err) && attempt == 1);
    pl_journal_add(journal, lines.text, lines.length);
    MUST(!pl_journal_sync(journal, &err));
    pl_journal_close(journal);
    MUST(read_journal(fuzz_path("journal-0.1"), 1 << 20, &end).records == newlines);
    collect();
    look_back();
    pl_text_release(&lines);
}

/* ---- order files ---- */

static void try_orders(const uint8_t *data, size_t size)
{
    struct pl_order_file file;
    struct pl_past past;
    struct pl_error err = {0};
    struct pl_text text = {0};
    fuzz_file("orders-0", data, size); /* as it is: nearly always refused */
    int status = pl_order_file_read(fuzz_folder(), 0, &file, &err);
    fuzz_must_say(status, &err);
    if (!status)
        pl_order_file_release(&file);
    pl_text_add_bytes(&text, (const char *)data, size); /* with a last line that fits */
    pl_order_file_end(&text);
    fuzz_file("orders-0", text.text, text.length);
    err = (struct pl_error){0};
    status = pl_order_file_read(fuzz_folder(), 0, &file, &err);
    fuzz_must_say(status, &err);
    if (!status) {
        MUST(file.head.task == 0 && file.head.threads >= 1);
        status = pl_past_read(fuzz_folder(), &file, 1, &past, &err);
        fuzz_must_say(status, &err);
        if (!status)
            pl_past_release(&past);
        pl_order_file_release(&file);
    }
    pl_text_release(&text);
}

/* ---- what Slurm prints ---- */

static void take_report(void *self, const struct pl_task_report *report)
{
    size_t *length = self;
    MUST(report->index >= 0 && report->state >= 0 && report->state < PL_TASK_STATE_COUNT);
    *length += strlen(report->id) + strlen(report->word) + strlen(report->reason) + strlen(report->node);
}

static void try_slurm(const uint8_t *data, size_t size)
{
    size_t length = 0;
    const struct pl_slurm_hearer hearer = {&length, take_report};
    for (int which = 0; which < 3; which++) {
        struct pl_text text = {0};
        struct pl_error err = {0};
        pl_text_add_bytes(&text, (const char *)data, size);
        int status = which == 0   ? pl_slurm_read_squeue(&text, PL_SLURM_ALIVE, &hearer, &err)
                     : which == 1 ? pl_slurm_read_jobs(&text, &hearer, &err)
                                  : pl_slurm_read_sacct(&text, &hearer, &err);
        fuzz_must_say(status, &err);
        pl_text_release(&text);
    }
    char *text = pl_copy_bytes((const char *)data, size), id[PL_ARRAY_ID_SIZE], value[16];
    if (pl_slurm_read_submitted(text, id))
        MUST(*id && strlen(id) < sizeof id);
    pl_slurm_read_name(text, "s-1.0", id);
    pl_slurm_read_job_name(text, "s-1.0", id);
    if (pl_slurm_value(text, "MaxArraySize", value, sizeof value))
        MUST(strlen(value) < sizeof value);
    MUST(pl_slurm_read_time(text) >= 0);
    pl_slurm_smallest(text);
    pl_slurm_refusal(text);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tries[])(const uint8_t *data, size_t size) = {try_raw, try_lines, try_orders, try_slurm};
    struct fuzz_bytes bytes = {data, size};
    uint64_t which = fuzz_take(&bytes, 1) % 4;
    tries[which](bytes.at, bytes.left);
    return 0;
}
