#include "sweep/crew.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double quick = 0.05;         /* a run shorter than this is worth queueing ahead */
static const double ahead_seconds = 0.15; /* of work that a worker has in hand */
static const double own_patience = 2;     /* after its time a command's worker may tell what it had reported */
static const double recall_after = 0.25;  /* a run this long gets what is queued behind it called back */
static const double kill_after = 10;      /* seconds between a clean stop and the end of patience, as a rule */
enum { MOST_AHEAD = 1000, MOST_IDLE_DEATHS = 5 };

const char pl_lost_verdict[] = "the run is in the hands of another sweep";

static size_t runs_ahead(const struct pl_crew *crew)
{
    if (isnan(crew->mean) || crew->mean > quick)
        return 1;
    double runs = ahead_seconds / (crew->mean > 1e-6 ? crew->mean : 1e-6);
    return runs < 1 ? 1 : runs > MOST_AHEAD ? MOST_AHEAD : (size_t)runs;
}

struct pl_pace pl_crew_pace(const struct pl_crew *crew)
{
    return (struct pl_pace){.workers = crew->hand_count,
                            .ahead = runs_ahead(crew),
                            .mean = crew->mean,
                            .stopping = crew->stopping != PL_GOING};
}

static bool alive(const struct pl_hand *hand)
{
    return hand->channel;
}

bool pl_crew_alive(const struct pl_crew *crew)
{
    for (size_t i = 0; i < crew->hand_count; i++)
        if (alive(&crew->hands[i]))
            return true;
    return false;
}

int pl_crew_busy(const struct pl_crew *crew)
{
    int busy = 0;
    for (size_t i = 0; i < crew->hand_count; i++)
        busy += crew->hands[i].runs.count > 0;
    return busy;
}

void pl_crew_init(struct pl_crew *crew, const struct pl_sweep_options *options, const struct pl_crew_above *above,
                  struct pl_claimed_queue *source)
{
    *crew = (struct pl_crew){
        .options = options, .above = above, .source = source, .mean = NAN, .hand_count = (size_t)options->jobs};
    crew->memory_kills = pl_host_memory_kills();
    crew->hands = pl_new(crew->hand_count * sizeof *crew->hands);
    crew->polls = pl_new((PL_POLL_COUNT * crew->hand_count + 1) * sizeof *crew->polls);
}

/* ---- handing out ---- */

static void send_orders(struct pl_hand *hand)
{
    ssize_t n = 1;
    while (hand->sent < hand->orders.length && n > 0) { /* full, or the worker is gone, which its events will tell */
        n = hand->channel->executor->send(hand->channel, hand->orders.text + hand->sent,
                                          hand->orders.length - hand->sent);
        hand->sent += n > 0 ? (size_t)n : 0;
    }
    if (hand->sent == hand->orders.length) {
        pl_text_clear(&hand->orders);
        hand->sent = 0;
    }
}

static bool start_worker(struct pl_crew *crew, struct pl_hand *hand)
{
    struct pl_error err = {0};
    if (crew->options->executor->start(crew->options, &hand->channel, &err)) {
        crew->above->failed(crew->above->self, &err);
        return false;
    }
    hand->recalled = hand->ended = hand->silent = hand->ready = hand->charged = false;
    hand->host = NULL;
    hand->verdict[0] = '\0';
    hand->sent = 0;
    pl_text_clear(&hand->orders);
    pl_text_clear(&hand->input);
    pl_text_clear(&hand->log);
    return true;
}

/* A round gives every worker at most one run, so that the work is spread evenly. */
static bool hand_round(struct pl_crew *crew, size_t ahead)
{
    bool any = false;
    for (size_t i = 0; i < crew->hand_count && crew->source->count; i++) {
        struct pl_hand *hand = &crew->hands[i];
        bool crowded = hand->runs.count >= ahead || hand->recalled || hand->verdict[0] || hand->ended;
        bool long_run = hand->runs.count && pl_clock_steady() - hand->since > recall_after;
        if (alive(hand) ? crowded || long_run : !start_worker(crew, hand))
            continue;
        struct pl_claimed *run = pl_claimed_pop(crew->source);
        any = true;
        if (run->lost) {
            crew->above->left(crew->above->self, run);
            continue;
        }
        crew->above->order(crew->above->self, run, i, &hand->orders);
        if (!hand->runs.count)
            hand->since = pl_clock_steady();
        pl_claimed_push(&hand->runs, run);
    }
    return any;
}

static void hand_out(struct pl_crew *crew)
{
    if (crew->stopping)
        return;
    size_t ahead = runs_ahead(crew);
    while (hand_round(crew, ahead))
        ;
    for (size_t i = 0; i < crew->hand_count; i++)
        if (alive(&crew->hands[i]))
            send_orders(&crew->hands[i]);
}

/* ---- deaths ---- */

void pl_crew_condemn(struct pl_hand *hand, const char *verdict)
{
    if (!hand->verdict[0])
        snprintf(hand->verdict, sizeof hand->verdict, "%s", verdict);
    hand->channel->executor->kill(hand->channel);
}

void pl_crew_drop_lost(struct pl_crew *crew)
{
    for (size_t i = 0; i < crew->hand_count; i++) {
        struct pl_hand *hand = &crew->hands[i];
        if (alive(hand) && hand->runs.first && hand->runs.first->started && hand->runs.first->lost)
            pl_crew_condemn(hand, pl_lost_verdict);
    }
}

/* The run that a worker was training when it died. */
static void fail_first(struct pl_crew *crew, struct pl_hand *hand, const struct pl_departure *departure)
{
    struct pl_claimed *run = pl_claimed_pop(&hand->runs);
    struct pl_ending *ending = &run->ending;
    if (run->lost) { /* nothing of it is ours to write */
        crew->above->left(crew->above->self, run);
        return;
    }
    run->host = hand->host;
    ending->outcome = PL_FAILED;
    ending->seconds = pl_clock_steady() - hand->since;
    ending->worker = hand->channel->number;
    if (hand->verdict[0]) {
        snprintf(run->reason, sizeof run->reason, "%s", hand->verdict);
    } else if (crew->stopping == PL_QUITTING) {
        ending->outcome = PL_INTERRUPTED;
        snprintf(run->reason, sizeof run->reason, "the sweep was stopped");
    } else if (departure->signal) {
        uint64_t kills = departure->signal == SIGKILL ? pl_host_memory_kills() : 0;
        ending->signal = departure->signal;
        snprintf(run->reason, sizeof run->reason, "the worker was killed by %s%s", departure->how,
                 kills > crew->memory_kills ? ", because memory was over (OUT_OF_MEMORY)" : "");
        crew->memory_kills = kills > crew->memory_kills ? kills : crew->memory_kills;
    } else {
        ending->exit_code = departure->exit_code;
        snprintf(run->reason, sizeof run->reason, "the worker ended with %s before the run had", departure->how);
    }
    if (hand->log.length)
        pl_claimed_log(run, pl_text(&hand->log), hand->log.length);
    crew->above->ended(crew->above->self, run);
}

static void note_idle_death(struct pl_crew *crew, struct pl_hand *hand, const struct pl_departure *departure)
{
    if (crew->stopping || ++crew->idle_deaths < MOST_IDLE_DEATHS)
        return;
    struct pl_error err = {0};
    pl_fail(&err, PL_EIO, "workers (%s) end with %s before they begin a run%s%s", crew->options->worker[0],
            departure->how, hand->verdict[0] || hand->log.length ? ": " : "",
            hand->verdict[0] ? hand->verdict : pl_text(&hand->log));
    size_t length = strlen(err.text);
    if (length && err.text[length - 1] == '\n')
        err.text[length - 1] = '\0';
    crew->above->failed(crew->above->self, &err);
}

static void bury(struct pl_crew *crew, struct pl_hand *hand, const struct pl_departure *departure)
{
    /* What it had started may still be there: it goes with it. */
    hand->channel->executor->kill(hand->channel);
    if (hand->runs.first && (hand->runs.first->started || hand->charged)) {
        crew->idle_deaths = 0;
        fail_first(crew, hand, departure);
    } else if (hand->runs.count) {
        note_idle_death(crew, hand, departure);
    }
    pl_claimed_prepend(crew->source, &hand->runs);
    hand->channel->executor->free(hand->channel);
    hand->channel = NULL;
}

/* A worker that exits closes its output a moment before it is gone: without this moment its exit code would be lost to
 * our own signal. */
static bool gone_soon(struct pl_hand *hand, struct pl_departure *departure)
{
    for (int i = 0; i < 20; i++) {
        if (hand->channel->executor->ended(hand->channel, false, departure))
            return true;
        usleep(5000);
    }
    return false;
}

/* A worker whose events have ended is dead or as good as that. */
static void bury_ended(struct pl_crew *crew)
{
    for (size_t i = 0; i < crew->hand_count; i++) {
        struct pl_hand *hand = &crew->hands[i];
        struct pl_departure departure;
        if (!alive(hand))
            continue;
        if (!hand->ended) {
            if (!hand->channel->executor->ended(hand->channel, false, &departure))
                continue;
            while (!hand->ended) { /* its last words; a stray child may keep the pipe open, so only what is there */
                size_t before = hand->runs.count;
                pl_crew_listen(crew, hand);
                if (before == hand->runs.count)
                    break;
            }
        } else if (!gone_soon(hand, &departure)) {
            hand->channel->executor->kill(hand->channel);
            hand->channel->executor->ended(hand->channel, true, &departure);
        }
        pl_crew_read_log(hand);
        bury(crew, hand, &departure);
    }
}

/* ---- time ---- */

/* When the run at hand is condemned; INFINITY where it has no time-out, was condemned, or was asked to stop before its
 * time was over: then it has the time that a stop gives. */
static double deadline(const struct pl_crew *crew, const struct pl_hand *hand)
{
    if (!alive(hand) || hand->verdict[0] || !hand->runs.count)
        return INFINITY;
    double limit = hand->runs.first->limit, own = hand->runs.first->is_command ? own_patience : 0;
    double end = limit > 0 ? hand->since + limit + own : INFINITY;
    return crew->stopping && crew->stop_since < end ? INFINITY : end;
}

static bool condemn_overdue(const struct pl_crew *crew, struct pl_hand *hand, double now)
{
    double end = deadline(crew, hand);
    if (now < end)
        return false;
    char verdict[100], seconds[PL_NUMBER_SIZE];
    pl_number_write(hand->runs.first->limit, seconds);
    snprintf(verdict, sizeof verdict, "timed out after %s s", seconds);
    hand->charged = true; /* a worker that hangs before its first word hangs all the same */
    pl_crew_condemn(hand, verdict);
    return true;
}

static void check_time(struct pl_crew *crew)
{
    double now = pl_clock_steady();
    for (size_t i = 0; i < crew->hand_count; i++) {
        struct pl_hand *hand = &crew->hands[i];
        if (!alive(hand) || hand->verdict[0] || !hand->runs.count || condemn_overdue(crew, hand, now))
            continue;
        if (now - hand->since > recall_after && hand->runs.count > 1 && !hand->recalled) {
            hand->recalled = true;
            pl_text_add(&hand->orders, PL_RECALL_LINE);
            send_orders(hand);
        }
    }
}

bool pl_crew_is_overdue(const struct pl_crew *crew)
{
    double grace = crew->options->grace > 0 ? crew->options->grace : kill_after;
    return crew->stopping == PL_FINISHING && pl_clock_steady() - crew->stop_since > grace;
}

void pl_crew_stop(struct pl_crew *crew, enum pl_stopping how)
{
    if (!crew->stopping)
        crew->stop_since = pl_clock_steady();
    crew->stopping = how;
    for (size_t i = 0; i < crew->hand_count; i++) {
        struct pl_hand *hand = &crew->hands[i];
        if (!alive(hand))
            continue;
        if (condemn_overdue(crew, hand, crew->stop_since))
            continue; /* its time was over before anybody asked it to stop */
        if (how == PL_QUITTING) {
            hand->channel->executor->kill(hand->channel);
        } else {
            pl_text_add(&hand->orders, PL_STOP_LINE);
            send_orders(hand);
        }
    }
}

static double next_deadline(const struct pl_crew *crew, double now, double until)
{
    for (size_t i = 0; i < crew->hand_count; i++) {
        const struct pl_hand *hand = &crew->hands[i];
        if (!alive(hand) || !hand->runs.count)
            continue;
        if (deadline(crew, hand) < until)
            until = deadline(crew, hand);
        if (hand->runs.count > 1 && !hand->recalled && hand->since + recall_after < until)
            until = hand->since + recall_after;
    }
    return until > now ? until - now : 0;
}

/* ---- waiting ---- */

/* What of a hand is waited for; a bit for each PL_POLL_. */
static unsigned wishes(const struct pl_hand *hand, bool full)
{
    if (!alive(hand))
        return 0;
    return (hand->sent < hand->orders.length ? 1u << PL_POLL_ORDERS : 0) |
           (!full && !hand->ended ? 1u << PL_POLL_EVENTS : 0) | (!hand->silent ? 1u << PL_POLL_LOG : 0);
}

bool pl_crew_wait(struct pl_crew *crew, double seconds, bool full, int wake)
{
    hand_out(crew);
    struct pollfd *last = &crew->polls[PL_POLL_COUNT * crew->hand_count];
    for (size_t i = 0; i < crew->hand_count; i++) {
        struct pl_hand *hand = &crew->hands[i];
        struct pollfd *polls = &crew->polls[PL_POLL_COUNT * i];
        if (alive(hand))
            hand->channel->executor->polls(hand->channel, polls);
        hand->wished = wishes(hand, full);
        for (int k = 0; k < PL_POLL_COUNT; k++)
            if (!(hand->wished & 1u << k))
                polls[k] = (struct pollfd){.fd = -1};
    }
    *last = (struct pollfd){.fd = wake, .events = POLLIN};
    double now = pl_clock_steady();
    double wait = next_deadline(crew, now, now + seconds);
    poll(crew->polls, PL_POLL_COUNT * crew->hand_count + 1, (int)ceil(wait * 1000));
    return last->revents;
}

/* Is there something to do? Where no descriptor tells, one has to look. */
static bool is_due(const struct pl_hand *hand, const struct pollfd *polls, int which)
{
    return alive(hand) && (polls[which].fd < 0 ? (hand->wished & 1u << which) != 0 : polls[which].revents != 0);
}

void pl_crew_serve(struct pl_crew *crew)
{
    for (size_t i = 0; i < crew->hand_count; i++) {
        struct pl_hand *hand = &crew->hands[i];
        const struct pollfd *polls = &crew->polls[PL_POLL_COUNT * i];
        if (is_due(hand, polls, PL_POLL_ORDERS))
            send_orders(hand);
        if (is_due(hand, polls, PL_POLL_EVENTS))
            pl_crew_listen(crew, hand);
        if (is_due(hand, polls, PL_POLL_LOG))
            pl_crew_read_log(hand);
    }
    bury_ended(crew);
    check_time(crew);
    hand_out(crew);
}

void pl_crew_close(struct pl_crew *crew)
{
    for (size_t i = 0; i < crew->hand_count; i++)
        if (alive(&crew->hands[i]))
            crew->hands[i].channel->executor->close(crew->hands[i].channel);
}

void pl_crew_release(struct pl_crew *crew)
{
    for (size_t i = 0; i < crew->hand_count; i++) {
        struct pl_hand *hand = &crew->hands[i];
        struct pl_departure departure;
        if (alive(hand)) {
            hand->channel->executor->kill(hand->channel);
            hand->channel->executor->ended(hand->channel, true, &departure);
            hand->channel->executor->free(hand->channel);
        }
        pl_claimed_free_all(&hand->runs);
        pl_text_release(&hand->orders);
        pl_text_release(&hand->input);
        pl_text_release(&hand->log);
    }
    free(crew->hands);
    free(crew->polls);
    pl_event_reader_release(&crew->reader);
}
