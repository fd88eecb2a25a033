/* The lines between supervisor and workers. An odd first byte: what a worker says, to a supervisor that has given it three
 * runs. Else: what a worker is told. */
#include "fuzz.h"
#include "sweep/supervisor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- what a worker says */

static void kill_nothing(const struct pl_process *process, int signal)
{
    (void)process, (void)signal;
}

static const struct pl_executor executor = {.name = "fuzz", .kill = kill_nothing};

static struct pl_claimed *new_task(struct pl_supervisor *s, struct pl_sweep_study *study, int64_t run)
{
    struct pl_claimed *task = pl_claimed_new(&s->spare);
    task->claim = (struct pl_claim){.run = run, .config = 1, .seed = run, .attempt = 1};
    task->study = study;
    return task;
}

static void check_ended(const struct pl_claimed_queue *done)
{
    for (const struct pl_claimed *task = done->first; task; task = task->next) {
        MUST(task->ended && task->started);
        MUST(task->ending.outcome >= PL_FINISHED && task->ending.outcome <= PL_INTERRUPTED);
        MUST(strlen(task->reason) < sizeof task->reason);
        int64_t values = 0;
        for (size_t i = 0; i < task->series_count; i++) {
            MUST(strlen(task->series[i].metric) < PL_METRIC_SIZE);
            values += (int64_t)task->series[i].count;
        }
        MUST(values == task->received);
        for (const struct pl_claimed *other = task->next; other; other = other->next)
            MUST(other->claim.run != task->claim.run);
    }
}

static void listen_to(const uint8_t *data, size_t size)
{
    enum { RUNS = 3 };
    static const char *const worker[] = {"worker", NULL};
    struct pl_sweep_options options = {.worker = worker};
    struct pl_sweep_study study = {0};
    struct pl_hand hand = {0};
    struct pl_supervisor s = {.options = &options, .executor = &executor, .hands = &hand, .hand_count = 1, .mean = NAN,
                              .outstanding = RUNS};
    s.self = (struct pl_provenance){.version = "1", .host = "h", .cpu = "c", .isa = "base", .compiler = "cc", .libraries = "l"};
    for (int64_t run = 1; run <= RUNS; run++)
        pl_claimed_push(&hand.tasks, new_task(&s, &study, run));
    hand.process.out = memfd_create("events", MFD_CLOEXEC);
    MUST(hand.process.out >= 0 && write(hand.process.out, data, size) == (ssize_t)size);
    MUST(!lseek(hand.process.out, 0, SEEK_SET));
    while (!hand.ended)
        pl_crew_listen(&s, &hand);
    check_ended(&s.done);
    MUST(hand.tasks.count + s.done.count + s.backlog.count == RUNS && s.outstanding == RUNS - s.done.count);
    close(hand.process.out);
    pl_claimed_free_all(&hand.tasks);
    pl_claimed_free_all(&s.done);
    pl_claimed_free_all(&s.backlog);
    pl_claimed_free_all(&s.spare);
    pl_text_release(&hand.input);
    pl_text_release(&hand.log);
    pl_event_reader_release(&s.reader);
    pl_pool_release(&s.texts);
}

/* ---- what a worker is told */

static void read_order(struct pl_order_reader *reader, char *line, size_t length)
{
    struct pl_order order, again;
    struct pl_order_reader other = {0};
    struct pl_text written = {0};
    struct pl_error err = {0};
    int status = pl_order_read(line, length, reader, &order, &err);
    fuzz_must_say(status, &err);
    if (status)
        return;
    MUST(order.threads > 0);
    size_t bad;
    if (!order.folder || pl_utf8_valid(order.folder, strlen(order.folder), &bad)) { /* written, it reads back */
        pl_order_write(&order, &written);
        MUST(!pl_order_read(written.text, written.length - 1, &other, &again, &err));
        MUST(again.run == order.run && again.seed == order.seed && again.threads == order.threads);
        MUST(!strcmp(again.folder ? again.folder : "", order.folder ? order.folder : ""));
        struct pl_text a = {0}, b = {0};
        pl_settings_write(&reader->settings, &a);
        pl_settings_write(&other.settings, &b);
        MUST(!strcmp(pl_text(&a), pl_text(&b)));
        pl_text_release(&a);
        pl_text_release(&b);
    }
    pl_order_reader_release(&other);
    pl_text_release(&written);
}

static void read_orders(const uint8_t *data, size_t size)
{
    struct pl_order_reader reader = {0};
    char *copy = pl_copy_bytes((const char *)data, size), *line = copy, *end = copy + size;
    while (line < end) {
        char *newline = memchr(line, '\n', (size_t)(end - line)), *stop = newline ? newline : end;
        enum pl_message kind;
        int64_t run;
        struct pl_error err = {0};
        *stop = '\0';
        int status = pl_message_read(line, (size_t)(stop - line), &kind, &run, &err);
        fuzz_must_say(status, &err);
        if (!status && kind == PL_MESSAGE_ORDER)
            read_order(&reader, line, (size_t)(stop - line));
        line = stop + 1;
    }
    pl_order_reader_release(&reader);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && *data & 1)
        listen_to(data + 1, size - 1);
    else if (size)
        read_orders(data + 1, size - 1);
    return 0;
}
