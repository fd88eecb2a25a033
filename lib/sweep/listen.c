#include "sweep/crew.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void end_run(struct pl_crew *crew, struct pl_hand *hand, const struct pl_event *event)
{
    struct pl_claimed *run = pl_claimed_pop(&hand->runs);
    run->host = hand->host;
    run->ending.worker = hand->channel->number;
    pl_claimed_end(run, event);
    crew->idle_deaths = 0;
    crew->mean = isnan(crew->mean) ? event->seconds : 0.9 * crew->mean + 0.1 * event->seconds;
    hand->since = pl_clock_steady();
    pl_text_clear(&hand->log); /* what it said so far is of no concern to the next run */
    crew->above->ended(crew->above->self, run);
}

static bool give_back(struct pl_crew *crew, struct pl_hand *hand, const struct pl_event *event)
{
    struct pl_claimed_queue kept = {0}, returned = {0};
    struct pl_claimed *run;
    size_t found = 0;
    while ((run = pl_claimed_pop(&hand->runs))) {
        bool given = found < event->count && event->runs[found] == run->claim.run && !run->started;
        found += given;
        pl_claimed_push(given ? &returned : &kept, run);
    }
    hand->runs = kept;
    hand->recalled = false;
    pl_claimed_prepend(crew->source, &returned);
    return found == event->count;
}

/* Returns false when it introduced itself before. */
static bool introduce(struct pl_crew *crew, struct pl_hand *hand, const struct pl_event *event)
{
    if (hand->ready)
        return false;
    hand->ready = crew->above->ready(crew->above->self, event, &hand->host);
    return true;
}

static const char *const event_names[] = {"ready", "start", "points", "log", "end", "dropped"};

/* Returns false when the event cannot be: the worker is not to be trusted. */
static bool take_event(struct pl_crew *crew, struct pl_hand *hand, const struct pl_event *event)
{
    struct pl_claimed *run = hand->runs.first;
    if (event->kind == PL_EVENT_READY)
        return introduce(crew, hand, event);
    if (!hand->ready)
        return false;
    if (event->kind == PL_EVENT_DROPPED)
        return give_back(crew, hand, event);
    if (!run || run->claim.run != event->run || (event->kind != PL_EVENT_START) != run->started)
        return false;
    switch (event->kind) {
    case PL_EVENT_START:
        run->started = true;
        if (run->lost)
            pl_crew_condemn(hand, pl_lost_verdict);
        run->ending.started = event->time;
        crew->above->began(crew->above->self, run);
        break;
    case PL_EVENT_POINTS:
        pl_claimed_points(run, event);
        break;
    case PL_EVENT_LOG:
        pl_claimed_log(run, event->line, strlen(event->line));
        break;
    default:
        end_run(crew, hand, event);
        break;
    }
    return true;
}

static void take_line(struct pl_crew *crew, struct pl_hand *hand, char *line, size_t length)
{
    struct pl_event event;
    struct pl_error err = {0};
    char verdict[sizeof hand->verdict];
    if (hand->verdict[0])
        return; /* it is being killed; nothing it says counts any more */
    if (pl_event_read(&crew->reader, line, length, &event, &err)) {
        snprintf(verdict, sizeof verdict, "the worker was killed: %.250s", err.text);
        pl_crew_condemn(hand, verdict);
    } else if (!take_event(crew, hand, &event)) {
        snprintf(verdict, sizeof verdict, "the worker was killed: it wrote the event %s of run %lld out of order",
                 event_names[event.kind], (long long)event.run);
        pl_crew_condemn(hand, verdict);
    }
    crew->above->heard(crew->above->self, length);
}

static void take_bytes(struct pl_crew *crew, struct pl_hand *hand, char *bytes, size_t count)
{
    char *stop = bytes + count, *newline;
    while ((newline = memchr(bytes, '\n', (size_t)(stop - bytes)))) {
        if (hand->input.length) {
            pl_text_add_bytes(&hand->input, bytes, (size_t)(newline - bytes));
            take_line(crew, hand, hand->input.text, hand->input.length);
            pl_text_clear(&hand->input);
        } else {
            *newline = '\0';
            take_line(crew, hand, bytes, (size_t)(newline - bytes));
        }
        bytes = newline + 1;
    }
    pl_text_add_bytes(&hand->input, bytes, (size_t)(stop - bytes));
    if (hand->input.length > PL_LINE_LIMIT)
        pl_crew_condemn(hand, "the worker was killed: it wrote a line without an end");
}

void pl_crew_listen(struct pl_crew *crew, struct pl_hand *hand)
{
    char block[1 << 17];
    ssize_t n = 1;
    for (int i = 0; i < 8 && n > 0; i++) {
        n = hand->channel->executor->receive(hand->channel, PL_OUTLET_EVENTS, block, sizeof block);
        if (n > 0)
            take_bytes(crew, hand, block, (size_t)n);
    }
    hand->ended = n < 0;
}

void pl_crew_read_log(struct pl_hand *hand)
{
    char block[4096];
    ssize_t n = 0;
    while (!hand->silent &&
           (n = hand->channel->executor->receive(hand->channel, PL_OUTLET_LOG, block, sizeof block)) > 0) {
        pl_text_add_bytes(&hand->log, block, (size_t)n);
        pl_log_keep_end(&hand->log);
    }
    hand->silent = hand->silent || n < 0;
}
