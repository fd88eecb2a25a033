#include "sweep/batch/order_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char end_line[] = "{\"orders\":\"%08lx\"}\n"; /* the CRC-32 of everything before it */
enum { END_LENGTH = 22, FILE_MOST = 1 << 30 };

void pl_order_file_path(const char *folder, int64_t task, struct pl_text *path)
{
    pl_text_addf(path, "%s/orders-%" PRId64, folder, task);
}

void pl_order_file_begin(const struct pl_order_head *head, struct pl_text *out)
{
    pl_text_addf(out, "{\"task\":%" PRId64 ",\"runs\":%" PRId64 ",\"workers\":%" PRId64 ",\"threads\":%" PRId64,
                 head->task, head->runs, head->workers, head->threads);
    pl_text_addf(out, ",\"requeues\":%" PRId64 ",\"timeout\":", head->requeues);
    pl_text_add_number(out, head->timeout);
    pl_text_add(out, ",\"warning\":");
    pl_text_add_number(out, head->warning);
    pl_text_add(out, ",\"submission\":");
    pl_text_add_json(out, head->submission);
    pl_text_add(out, ",\"owner\":");
    pl_text_add_json(out, head->owner);
    pl_text_add(out, ",\"system\":");
    pl_text_add_json(out, head->system);
    pl_text_add(out, ",\"version\":");
    pl_text_add_json(out, head->version);
    pl_text_add(out, "}\n");
}

static unsigned long checksum(const char *text, size_t length)
{
    return (unsigned long)crc32_z(crc32(0, NULL, 0), (const Bytef *)text, length);
}

void pl_order_file_end(struct pl_text *out)
{
    pl_text_addf(out, end_line, checksum(pl_text(out), out->length));
}

static bool read_head(const char *line, struct pl_order_file *file)
{
    struct pl_order_head *head = &file->head;
    json_int_t task, runs, workers, threads, requeues;
    const char *submission, *owner, *system, *version;
    json_t *object = json_loads(line, 0, NULL);
    bool good = object && !json_unpack(object, "{s:I, s:I, s:I, s:I, s:I, s:F, s:F, s:s, s:s, s:s, s:s}", "task", &task,
                                       "runs", &runs, "workers", &workers, "threads", &threads, "requeues", &requeues,
                                       "timeout", &head->timeout, "warning", &head->warning, "submission", &submission,
                                       "owner", &owner, "system", &system, "version", &version);
    good = good && runs >= 0 && runs < FILE_MOST && workers >= 0 && threads >= 1 && threads <= 1 << 20;
    if (good) {
        head->task = task;
        head->runs = runs;
        head->workers = workers;
        head->threads = threads;
        head->requeues = requeues;
        head->submission = pl_pool_copy(&file->pool, submission);
        head->owner = pl_pool_copy(&file->pool, owner);
        head->system = pl_pool_copy(&file->pool, system);
        head->version = pl_pool_copy(&file->pool, version);
    }
    json_decref(object);
    return good;
}

/* Cuts the text into lines; false where there are not as many as the head says. */
static bool cut_lines(struct pl_order_file *file, char *at, char *stop)
{
    file->lines = pl_new(((size_t)file->head.runs + 1) * sizeof *file->lines);
    for (int64_t i = 0; i < file->head.runs; i++) {
        char *newline = memchr(at, '\n', (size_t)(stop - at));
        if (!newline)
            return false;
        *newline = '\0';
        file->lines[i] = at;
        at = newline + 1;
    }
    return at == stop;
}

static bool understand(struct pl_order_file *file)
{
    struct pl_text *text = &file->text;
    char expected[END_LENGTH + 8];
    if (text->length < END_LENGTH)
        return false;
    char *stop = text->text + text->length - END_LENGTH;
    snprintf(expected, sizeof expected, end_line, checksum(text->text, (size_t)(stop - text->text)));
    char *newline = memchr(text->text, '\n', (size_t)(stop - text->text));
    if (strcmp(stop, expected) || !newline)
        return false;
    *newline = '\0';
    return read_head(text->text, file) && cut_lines(file, newline + 1, stop);
}

int pl_order_file_read(const char *folder, int64_t task, struct pl_order_file *file, struct pl_error *err)
{
    struct pl_text path = {0};
    *file = (struct pl_order_file){0};
    pl_order_file_path(folder, task, &path);
    int status = pl_file_read(pl_text(&path), FILE_MOST, &file->text, err);
    if (!status && (!understand(file) || file->head.task != task))
        status = pl_fail(err, PL_ECORRUPT, "%s is not the orders of task %lld, or not whole", pl_text(&path),
                         (long long)task);
    if (status)
        pl_order_file_release(file);
    pl_text_release(&path);
    return status;
}

void pl_order_file_release(struct pl_order_file *file)
{
    free(file->lines);
    pl_text_release(&file->text);
    pl_pool_release(&file->pool);
    *file = (struct pl_order_file){0};
}
