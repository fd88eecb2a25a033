/* The crew with workers that are no processes: their channels have no descriptors, and their words are made up here. */
#include "sweep/crew.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A worker that answers each order as it comes, and dies at the run that it is told to. */
struct actor {
    struct pl_channel channel;
    struct pl_text heard, words;
    bool closed, dead;
};

static int64_t deadly; /* the run at which workers die; 0: none */
static size_t actors;  /* that are there */
static const char ready[] = "{\"event\":\"ready\",\"protocol\":%d,\"version\":\"1\",\"host\":\"h\",\"cpu\":\"c\","
                            "\"isa\":\"base\",\"compiler\":\"cc\",\"libraries\":\"l\"}\n";

static void act_capacity(struct pl_capacity *capacity)
{
    *capacity = (struct pl_capacity){.slots = 3, .threads = 6, .memory = 4000, .accelerators = 2};
}

static void act_polls(const struct pl_channel *channel, struct pollfd polls[PL_POLL_COUNT])
{
    (void)channel;
    for (int i = 0; i < PL_POLL_COUNT; i++)
        polls[i] = (struct pollfd){.fd = -1};
}

/* Takes seven bytes at a time. */
static ssize_t act_send(struct pl_channel *channel, const char *bytes, size_t count)
{
    struct actor *actor = (struct actor *)channel;
    char *newline;
    count = count < 7 ? count : 7;
    if (actor->dead)
        return -1;
    pl_text_add_bytes(&actor->heard, bytes, count);
    while ((newline = strchr(pl_text(&actor->heard), '\n'))) {
        long long run = 0;
        if (sscanf(pl_text(&actor->heard), "run %lld", &run) == 1 && !actor->dead) {
            pl_text_addf(&actor->words, "{\"run\":%lld,\"event\":\"start\",\"time\":1}\n", run);
            actor->dead = run == deadly;
            if (!actor->dead)
                pl_text_addf(&actor->words,
                             "{\"run\":%lld,\"event\":\"end\",\"outcome\":\"finished\",\"seconds\":1,"
                             "\"values\":0,\"bad_epoch\":-1,\"exit_code\":-1,\"signal\":0}\n",
                             run);
        }
        size_t rest = actor->heard.length - (size_t)(newline + 1 - actor->heard.text);
        memmove(actor->heard.text, newline + 1, rest);
        pl_text_cut(&actor->heard, rest);
    }
    return (ssize_t)count;
}

/* Says eleven bytes at a time. */
static ssize_t act_receive(struct pl_channel *channel, enum pl_outlet outlet, char *block, size_t size)
{
    struct actor *actor = (struct actor *)channel;
    size_t n = outlet == PL_OUTLET_EVENTS ? actor->words.length : 0;
    n = n < 11 ? n : 11;
    assert_true(n <= size);
    if (!n)
        return actor->dead || actor->closed ? -1 : 0;
    memcpy(block, actor->words.text, n);
    memmove(actor->words.text, actor->words.text + n, actor->words.length - n);
    pl_text_cut(&actor->words, actor->words.length - n);
    return (ssize_t)n;
}

static void act_close(struct pl_channel *channel)
{
    ((struct actor *)channel)->closed = true;
}

static void act_kill(struct pl_channel *channel)
{
    ((struct actor *)channel)->dead = true;
}

static bool act_ended(struct pl_channel *channel, bool wait, struct pl_departure *departure)
{
    struct actor *actor = (struct actor *)channel;
    (void)wait;
    *departure = (struct pl_departure){.exit_code = -1, .how = "OUT_OF_MEMORY"};
    return actor->dead || actor->closed;
}

static void act_free(struct pl_channel *channel)
{
    struct actor *actor = (struct actor *)channel;
    pl_text_release(&actor->heard);
    pl_text_release(&actor->words);
    free(actor);
    actors--;
}

static const struct pl_executor stage;

static int act_start(const struct pl_sweep_options *options, struct pl_channel **channel, struct pl_error *err)
{
    struct actor *actor = pl_new(sizeof *actor);
    (void)options, (void)err;
    *actor = (struct actor){.channel = {&stage, (int64_t)++actors}};
    pl_text_addf(&actor->words, ready, PL_PROTOCOL_VERSION);
    *channel = &actor->channel;
    return 0;
}

static const struct pl_executor stage = {
    .name = "stage",
    .capacity = act_capacity,
    .start = act_start,
    .polls = act_polls,
    .send = act_send,
    .receive = act_receive,
    .close = act_close,
    .kill = act_kill,
    .ended = act_ended,
    .free = act_free,
};

/* ---- what is told upward ---- */

struct ears {
    struct pl_claimed_queue done, spare;
    size_t begun, left;
};

static void order(void *self, const struct pl_claimed *run, size_t slot, struct pl_text *out)
{
    (void)self;
    (void)slot;
    pl_text_addf(out, "run %lld\n", (long long)run->claim.run);
}

static bool meet(void *self, const struct pl_event *event, struct pl_worker_host **host)
{
    (void)self;
    *host = NULL;
    return !strcmp(event->worker.version, "1");
}

static void began(void *self, struct pl_claimed *run)
{
    (void)run;
    ((struct ears *)self)->begun++;
}

static void heard(void *self, size_t bytes)
{
    (void)self, (void)bytes;
}

static void ended(void *self, struct pl_claimed *run)
{
    pl_claimed_push(&((struct ears *)self)->done, run);
}

static void left(void *self, struct pl_claimed *run)
{
    struct ears *ears = self;
    ears->left++;
    pl_claimed_recycle(run, &ears->spare);
}

static void failed(void *self, const struct pl_error *err)
{
    (void)self;
    fail_msg("%s", err->text);
}

/* Twenty runs, of which the third is lost, by three workers. */
static void perform(struct ears *ears, struct pl_sweep_study *study)
{
    enum { RUNS = 20 };
    const struct pl_sweep_options options = {.executor = &stage, .jobs = 3};
    const struct pl_crew_above above = {.self = ears,
                                        .order = order,
                                        .ready = meet,
                                        .began = began,
                                        .heard = heard,
                                        .ended = ended,
                                        .left = left,
                                        .failed = failed};
    struct pl_claimed_queue source = {0};
    struct pl_crew crew;
    pl_crew_init(&crew, &options, &above, &source);
    for (int64_t number = 1; number <= RUNS; number++) {
        struct pl_claimed *run = pl_claimed_new(&ears->spare);
        run->claim = (struct pl_claim){.run = number, .attempt = 1};
        run->study = study;
        run->lost = number == 3;
        pl_claimed_push(&source, run);
    }
    for (int turn = 0; turn < 100000 && ears->done.count + ears->left < RUNS; turn++) {
        assert_false(pl_crew_wait(&crew, 0, false, -1));
        pl_crew_serve(&crew);
    }
    assert_int_equal(ears->done.count, RUNS - 1);
    assert_int_equal(ears->begun, RUNS - 1);
    assert_int_equal(ears->left, 1);
    assert_int_equal(source.count, 0);
    assert_int_equal(pl_crew_busy(&crew), 0);
    pl_crew_close(&crew);
    for (int turn = 0; turn < 1000 && pl_crew_alive(&crew); turn++)
        pl_crew_serve(&crew);
    assert_false(pl_crew_alive(&crew));
    pl_crew_release(&crew);
    assert_int_equal(actors, 0);
}

static size_t count_outcome(const struct ears *ears, enum pl_outcome outcome)
{
    size_t count = 0;
    for (const struct pl_claimed *run = ears->done.first; run; run = run->next)
        count += run->ending.outcome == outcome;
    return count;
}

static void release(struct ears *ears)
{
    pl_claimed_free_all(&ears->done);
    pl_claimed_free_all(&ears->spare);
}

static void workers_need_no_processes(void **state)
{
    (void)state;
    struct ears ears = {0};
    struct pl_sweep_study study = {0};
    deadly = 0;
    perform(&ears, &study);
    assert_int_equal(count_outcome(&ears, PL_FINISHED), 19);
    release(&ears);
}

/* The run that a worker was at fails with the executor's word; what it had in hand besides goes to others. */
static void a_death_costs_one_run(void **state)
{
    (void)state;
    struct ears ears = {0};
    struct pl_sweep_study study = {0};
    deadly = 7;
    perform(&ears, &study);
    assert_int_equal(count_outcome(&ears, PL_FINISHED), 18);
    for (const struct pl_claimed *run = ears.done.first; run; run = run->next)
        if (run->ending.outcome == PL_FAILED) {
            assert_int_equal(run->claim.run, 7);
            assert_string_equal(run->reason, "the worker ended with OUT_OF_MEMORY before the run had");
        }
    release(&ears);
}

static void room_is_the_executors(void **state)
{
    (void)state;
    struct pl_capacity capacity;
    struct pl_text message = {0};
    struct pl_error err = {0};
    int jobs = 3;
    pl_sweep_capacity(&stage, &capacity);
    assert_int_equal(capacity.slots, 3);
    assert_int_equal(pl_sweep_fit(&capacity, 1000, &jobs, &message, &err), 0);
    assert_int_equal(pl_sweep_fit(&capacity, 2000, &jobs, &message, &err), 1);
    assert_int_equal(jobs, 2);
    assert_int_equal(pl_sweep_fit(&capacity, 5000, &jobs, &message, &err), PL_EMEMORY);
    pl_text_release(&message);
}

size_t __wrap_pl_host_accelerators(struct pl_accelerator *list, size_t room);
size_t __wrap_pl_host_accelerators(struct pl_accelerator *list, size_t room)
{
    (void)list;
    assert_int_equal(room, 0);
    return 3;
}

static void room_here_is_this_machines(void **state)
{
    (void)state;
    struct pl_capacity capacity;
    pl_sweep_capacity(&pl_executor_local, &capacity);
    assert_int_equal(capacity.slots, pl_host_cores());
    assert_int_equal(capacity.threads, pl_host_cores());
    assert_true(capacity.memory > 0);
    assert_int_equal(capacity.accelerators, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_need_no_processes),
        cmocka_unit_test(a_death_costs_one_run),
        cmocka_unit_test(room_is_the_executors),
        cmocka_unit_test(room_here_is_this_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
