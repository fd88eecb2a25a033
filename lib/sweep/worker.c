/* The worker's side. One thread reads what the supervisor says, so that orders can be called back and a stop is
 * noticed in the middle of a long run; the calling thread trains one run after another.
 *
 * Events are buffered and written at the end of every run, so that a worker that dies has told of every run that
 * it finished before; within a run they are written when they are 100 ms old. */
#include "sweep/protocol/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const double flush_after = 0.05; /* seconds that a value may wait */
static const double stop_grace = 2;     /* seconds that a run may go on after a stop was asked for */
enum { MOST_PENDING = 1 << 16 };        /* values that may wait */

/* An order that was not begun. */
struct waiting {
    struct waiting *next;
    int64_t run;
    size_t length;
    char line[];
};

struct worker {
    int in, out, signals; /* signals: a signalfd */
    /* Between the two threads. */
    pthread_mutex_t lock; /* of the queue */
    pthread_cond_t more;
    struct waiting *first, **end;
    bool closed;             /* no more orders will come */
    struct pl_error problem; /* why, when the supervisor did not say so */
    pthread_mutex_t out_lock;
    atomic_bool stop, broken; /* broken: nobody reads the events */
    /* Of the training thread. */
    struct pl_text events;
    struct pl_run_values run_values;
    struct pl_sink memory; /* fills them */
    struct pl_order_reader reader;
    struct pl_settings filled;          /* the settings of the last order, with what it lacked, if it lacked anything */
    const struct pl_settings *settings; /* those, or the order's own */
    int64_t completed;                  /* of which the reader has changed since: reads */
    int64_t run, values, pending;
    double flushed, stop_since;
    double begun, limit; /* of the run */
};

static void write_text(struct worker *w, struct pl_text *text)
{
    pthread_mutex_lock(&w->out_lock);
    const char *bytes = pl_text(text);
    size_t left = text->length;
    while (left && !w->broken) {
        ssize_t n = write(w->out, bytes, left);
        if (n >= 0) {
            bytes += n;
            left -= (size_t)n;
        } else if (errno != EINTR) {
            w->broken = true;
        }
    }
    pthread_mutex_unlock(&w->out_lock);
    pl_text_clear(text);
}

/* ---- the reading thread ---- */

/* Takes back every order that was not begun and says which. */
static void recall(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    struct waiting *dropped = w->first;
    w->first = NULL;
    w->end = &w->first;
    pthread_mutex_unlock(&w->lock);
    struct pl_text text = {0};
    pl_text_add(&text, "{\"event\":\"dropped\",\"runs\":[");
    for (const char *comma = ""; dropped; comma = ",") {
        struct waiting *next = dropped->next;
        pl_text_addf(&text, "%s%lld", comma, (long long)dropped->run);
        free(dropped);
        dropped = next;
    }
    pl_text_add(&text, "]}\n");
    write_text(w, &text);
    pl_text_release(&text);
}

static void close_queue(struct worker *w, const struct pl_error *problem)
{
    pthread_mutex_lock(&w->lock);
    w->closed = true;
    if (problem)
        w->problem = *problem;
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
}

static void stop_soon(struct worker *w)
{
    recall(w);
    w->stop = true;
    close_queue(w, NULL);
}

static int take_line(struct worker *w, const char *line, size_t length, struct pl_error *err)
{
    enum pl_message kind;
    int64_t run;
    if (pl_message_read(line, length, &kind, &run, err))
        return err->code;
    if (kind == PL_MESSAGE_RECALL) {
        recall(w);
    } else if (kind == PL_MESSAGE_STOP) {
        stop_soon(w);
    } else {
        struct waiting *order = pl_new(sizeof *order + length + 1);
        memcpy(order->line, line, length);
        order->length = length;
        order->run = run;
        pthread_mutex_lock(&w->lock);
        *w->end = order;
        w->end = &order->next;
        pthread_cond_signal(&w->more);
        pthread_mutex_unlock(&w->lock);
    }
    return 0;
}

static int read_input(struct worker *w, struct pl_text *text, struct pl_error *err)
{
    char block[1 << 16];
    ssize_t n = read(w->in, block, sizeof block);
    if (n == 0)
        return 1;
    if (n < 0)
        return errno == EINTR ? 0 : pl_fail(err, PL_EIO, "cannot read the next order: %s", strerror(errno));
    pl_text_add_bytes(text, block, (size_t)n);
    char *start = text->text, *stop = text->text + text->length, *newline;
    int status = 0;
    while (!status && (newline = memchr(start, '\n', (size_t)(stop - start)))) {
        *newline = '\0';
        status = take_line(w, start, (size_t)(newline - start), err);
        start = newline + 1;
    }
    memmove(text->text, start, (size_t)(stop - start));
    pl_text_cut(text, (size_t)(stop - start));
    return status;
}

static int read_more(struct worker *w, struct pl_text *text, struct pl_error *err)
{
    struct pollfd waiting[] = {{w->in, POLLIN, 0}, {w->signals, POLLIN, 0}};
    struct signalfd_siginfo signal;
    int before, status = 0;
    if (poll(waiting, 2, -1) < 0)
        return errno == EINTR ? 0 : pl_fail(err, PL_EIO, "cannot wait for the next order: %s", strerror(errno));
    /* What was taken is served without being interrupted: cancelled is only the wait. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    if (waiting[1].revents && read(w->signals, &signal, sizeof signal) == sizeof signal)
        stop_soon(w); /* pkill poula: at a clean point, as the supervisor would say */
    if (waiting[0].revents)
        status = read_input(w, text, err);
    pthread_setcancelstate(before, NULL);
    return status;
}

static void release_text(void *text)
{
    pl_text_release(text);
}

static void *read_orders(void *self)
{
    struct worker *w = self;
    struct pl_text text = {0};
    struct pl_error err = {0};
    pthread_cleanup_push(release_text, &text);
    int status;
    while (!(status = read_more(w, &text, &err)))
        ;
    close_queue(w, status < 0 ? &err : NULL);
    pthread_cleanup_pop(1);
    return NULL;
}

/* ---- the training thread ---- */

static void write_events(struct worker *w)
{
    if (w->events.length)
        write_text(w, &w->events);
    w->flushed = pl_clock_steady();
}

static void gather_points(struct worker *w)
{
    if (w->pending)
        w->values += pl_event_write_points(w->run, &w->run_values.series, &w->events);
    w->pending = 0;
    for (size_t i = 0; i < w->run_values.series.count; i++)
        w->run_values.series.all[i].count = 0;
}

static int sink_series(void *self, const char *metric, enum pl_series_axis axis)
{
    struct worker *w = self;
    return w->memory.series(w->memory.self, metric, axis);
}

static void sink_value(void *self, int series, double epoch, double value)
{
    struct worker *w = self;
    w->memory.value(w->memory.self, series, epoch, value);
    if (++w->pending >= MOST_PENDING) {
        gather_points(w);
        write_events(w);
    }
}

static void sink_log(void *self, const char *line)
{
    struct worker *w = self;
    pl_event_write_log(w->run, line, &w->events);
}

static bool sink_stop(void *self)
{
    struct worker *w = self;
    double now = pl_clock_steady();
    if (now - w->flushed > flush_after) {
        gather_points(w);
        write_events(w);
    }
    if (w->stop && !w->stop_since)
        w->stop_since = now;
    return w->broken || (w->stop && now - w->stop_since > stop_grace);
}

/* A run that was asked to stop in time has the time of a stop. */
static double sink_late(void *self)
{
    struct worker *w = self;
    return w->limit > 0 && !w->stop && pl_clock_steady() - w->begun >= w->limit ? w->limit : 0;
}

/* Runs of one configuration follow each other: its defaults are filled in once. What is wrong with them is said by each
 * run. */
static void complete(struct worker *w)
{
    if (w->settings && w->completed == w->reader.reads)
        return;
    pl_settings_release(&w->filled);
    w->settings = &w->reader.settings;
    w->completed = w->reader.reads;
    if (pl_train_complete(&w->settings, &w->filled, NULL))
        w->settings = &w->reader.settings;
}

static void train(struct worker *w, const struct pl_order *order)
{
    complete(w);
    struct pl_sink sink = {
        .self = w, .series = sink_series, .value = sink_value, .log = sink_log, .stop = sink_stop, .late = sink_late};
    struct pl_run_request request = {.settings = w->settings,
                                     .given = &w->reader.settings,
                                     .seed = order->seed,
                                     .threads = order->threads,
                                     .slot = order->slot,
                                     .same_isa = order->same_isa,
                                     .grace = order->grace,
                                     .folder = order->folder,
                                     .reading = order->reading,
                                     .home = order->home,
                                     .data = order->data,
                                     .owner = order->owner,
                                     .epochs = order->epochs,
                                     .until = order->until,
                                     .restart = order->restart,
                                     .kept = order->continued ? order->kept : NULL};
    struct pl_run_result result = {.bad_epoch = -1, .exit_code = -1};
    struct pl_error err = {0};
    w->run = order->run;
    w->values = w->pending = 0;
    pl_run_values_clear(&w->run_values);
    pl_event_write_start(order->run, pl_clock(), &w->events);
    write_events(w);
    w->limit = order->limit;
    w->begun = pl_clock_steady();
    if (pl_train_run(&request, &sink, &result, &err)) {
        result.outcome = PL_FAILED;
        snprintf(result.reason, sizeof result.reason, "%.*s", (int)sizeof result.reason - 1, err.text);
    }
    double seconds = pl_clock_steady() - w->begun;
    gather_points(w);
    pl_event_write_end(order->run, &result, w->values, seconds, &w->events);
}

/* The next order, or NULL at the end. Everything done so far is told before a wait. */
static struct waiting *next_order(struct worker *w)
{
    struct waiting *order = NULL;
    pthread_mutex_lock(&w->lock);
    if (!w->first && w->events.length) {
        pthread_mutex_unlock(&w->lock);
        write_events(w);
        pthread_mutex_lock(&w->lock);
    }
    while (!w->first && !w->closed)
        pthread_cond_wait(&w->more, &w->lock);
    if (w->first && !w->stop && !w->broken) {
        order = w->first;
        w->first = order->next;
        if (!w->first)
            w->end = &w->first;
    }
    pthread_mutex_unlock(&w->lock);
    return order;
}

static int work(struct worker *w, struct pl_error *err)
{
    int status = 0;
    struct waiting *waiting;
    while (!status && (waiting = next_order(w))) {
        struct pl_order order;
        status = pl_order_read(waiting->line, waiting->length, &w->reader, &order, err);
        if (!status)
            train(w, &order);
        free(waiting);
    }
    write_events(w);
    return status;
}

/* Takes the signals that ask a program to end away from every thread, for the reading one to see. */
static int watch_signals(sigset_t *before)
{
    sigset_t asking;
    sigemptyset(&asking);
    sigaddset(&asking, SIGTERM);
    sigaddset(&asking, SIGINT);
    sigaddset(&asking, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &asking, before);
    return signalfd(-1, &asking, SFD_NONBLOCK | SFD_CLOEXEC);
}

int pl_worker_loop(int in, int out, struct pl_error *err)
{
    sigset_t before;
    struct worker w = {.in = in,
                       .out = out,
                       .lock = PTHREAD_MUTEX_INITIALIZER,
                       .out_lock = PTHREAD_MUTEX_INITIALIZER,
                       .more = PTHREAD_COND_INITIALIZER};
    w.end = &w.first;
    w.signals = watch_signals(&before);
    w.memory = pl_run_values_sink(&w.run_values);
    struct pl_provenance self;
    struct pl_pool texts = {0};
    pl_sweep_provenance(&self, 1, 1, true, &texts);
    pl_event_write_ready(&self, &w.events);
    pl_pool_release(&texts);
    pthread_t reader;
    int problem = pthread_create(&reader, NULL, read_orders, &w);
    if (problem) /* the process is at its end */
        return pl_fail(err, PL_EIO, "cannot start the thread that reads orders: %s", strerror(problem));
    int status = work(&w, err);
    pthread_cancel(reader);
    pthread_join(reader, NULL);
    close(w.signals);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!status && w.problem.code)
        status = pl_fail(err, w.problem.code, "%s", w.problem.text);
    while (w.first) {
        struct waiting *next = w.first->next;
        free(w.first);
        w.first = next;
    }
    pl_settings_release(&w.filled);
    pl_order_reader_release(&w.reader);
    pl_run_values_release(&w.run_values);
    pl_text_release(&w.events);
    return status;
}

/* Moves a standard descriptor out of the reach of libraries and child processes. */
static int set_aside(int standard, int replacement)
{
    int moved = fcntl(standard, F_DUPFD_CLOEXEC, 3);
    if (moved >= 0 && dup2(replacement, standard) < 0) {
        close(moved);
        moved = -1;
    }
    return moved;
}

int pl_worker_enter(int *in, int *out, struct pl_error *err)
{
    prctl(PR_SET_NAME, "poula-worker"); /* it was started as /proc/self/exe, which says nothing to a reader of top */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* It may have died before that line. Its number would not tell: this may be another space of process numbers. */
    struct pollfd reader = {STDOUT_FILENO, POLLOUT, 0};
    if (poll(&reader, 1, 0) > 0 && reader.revents & POLLERR)
        return pl_fail(err, PL_EIO, "the supervisor is gone");
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0)
        return pl_fail(err, PL_EIO, "cannot open /dev/null: %s", strerror(errno));
    *in = set_aside(STDIN_FILENO, null);
    *out = set_aside(STDOUT_FILENO, STDERR_FILENO);
    close(null);
    if (*in < 0 || *out < 0)
        return pl_fail(err, PL_EIO, "cannot set standard input and output aside: %s", strerror(errno));
    return 0;
}
