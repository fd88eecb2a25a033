/* The lines between supervisor and workers. An odd first byte: what a worker says, to a supervisor that has given it
 * three runs. Else: what a worker is told. */
#include "fuzz.h"
#include "sweep/crew.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a worker says */

/* A channel that says what it is given, and what is told upward. */
struct channel {
    struct pl_channel channel;
    const uint8_t *data;
    size_t size;
};

struct ears {
    struct pl_hosts hosts;
    struct pl_claimed_queue done, spare;
    size_t begun, bytes;
};

static void kill_nothing(struct pl_channel *channel)
{
    (void)channel;
}

static ssize_t receive(struct pl_channel *channel, enum pl_outlet outlet, char *block, size_t size)
{
    struct channel *c = (struct channel *)channel;
    size_t n = outlet == PL_OUTLET_EVENTS ? c->size : 0;
    n = n < size ? n : size;
    if (!n)
        return -1;
    memcpy(block, c->data, n);
    c->data += n;
    c->size -= n;
    return (ssize_t)n;
}

static const struct pl_executor executor = {.name = "fuzz", .receive = receive, .kill = kill_nothing};

static bool meet(void *self, const struct pl_event *event, struct pl_worker_host **host)
{
    struct ears *ears = self;
    if (event->protocol != PL_PROTOCOL_VERSION || strcmp(event->worker.version, ears->hosts.self.version))
        return false;
    *host = pl_hosts_find(&ears->hosts, &event->worker, true);
    return true;
}

static void began(void *self, struct pl_claimed *run)
{
    MUST(run->started && !run->ended);
    ((struct ears *)self)->begun++;
}

static void heard(void *self, size_t bytes)
{
    ((struct ears *)self)->bytes += bytes;
}

static void ended(void *self, struct pl_claimed *run)
{
    run->ended = true;
    pl_claimed_push(&((struct ears *)self)->done, run);
}

static struct pl_claimed *new_run(struct ears *ears, struct pl_sweep_study *study, int64_t number)
{
    struct pl_claimed *run = pl_claimed_new(&ears->spare);
    run->claim = (struct pl_claim){.run = number, .config = 1, .seed = number, .attempt = 1};
    run->study = study;
    return run;
}

static void check_ended(const struct pl_claimed_queue *done)
{
    for (const struct pl_claimed *run = done->first; run; run = run->next) {
        MUST(run->ended && run->started);
        MUST(run->ending.outcome >= PL_FINISHED && run->ending.outcome <= PL_INTERRUPTED);
        MUST(strlen(run->reason) < sizeof run->reason);
        int64_t values = 0;
        for (size_t i = 0; i < run->series.count; i++) {
            MUST(strlen(run->series.all[i].metric) < PL_METRIC_SIZE);
            values += (int64_t)run->series.all[i].count;
        }
        MUST(values == run->received);
        for (const struct pl_claimed *other = run->next; other; other = other->next)
            MUST(other->claim.run != run->claim.run);
    }
}

static void listen_to(const uint8_t *data, size_t size)
{
    enum { RUNS = 3 };
    const struct pl_sweep_options options = {.executor = &executor, .jobs = 1};
    struct pl_sweep_study study = {0};
    struct ears ears = {0};
    const struct pl_crew_above above = {.self = &ears, .ready = meet, .began = began, .heard = heard, .ended = ended};
    struct channel channel = {{&executor, 1}, data, size};
    struct pl_claimed_queue source = {0};
    struct pl_crew crew;
    pl_crew_init(&crew, &options, &above, &source);
    ears.hosts.self = (struct pl_provenance){
        .version = "1", .host = "h", .cpu = "c", .isa = "base", .compiler = "cc", .libraries = "l"};
    struct pl_hand *hand = &crew.hands[0];
    hand->channel = &channel.channel;
    for (int64_t run = 1; run <= RUNS; run++)
        pl_claimed_push(&hand->runs, new_run(&ears, &study, run));
    while (!hand->ended)
        pl_crew_listen(&crew, hand);
    check_ended(&ears.done);
    MUST(hand->runs.count + ears.done.count + source.count == RUNS && ears.begun <= RUNS && ears.bytes <= size);
    MUST(ears.done.count <= ears.begun);
    hand->channel = NULL;
    pl_crew_release(&crew);
    pl_claimed_free_all(&source);
    pl_claimed_free_all(&ears.done);
    pl_claimed_free_all(&ears.spare);
    pl_hosts_release(&ears.hosts);
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
        MUST(again.run == order.run && again.seed == order.seed && again.threads == order.threads &&
             again.slot == order.slot);
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
