/* The worker processes as the supervisor sees them. */
#include "sweep/supervisor.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const double quick = 0.05;          /* a run shorter than this is worth queueing ahead */
static const double ahead_seconds = 0.15;  /* of work that a worker has in hand */
static const double recall_after = 0.25;   /* a run this long gets what is queued behind it called back */
static const double dismiss_within = 2;    /* seconds that idle workers have to leave */
static const double kill_after = 10;       /* seconds between a clean stop and the end of patience */
enum {
    MOST_AHEAD = 1000,
    MOST_BUFFERED = 256 << 20,  /* bytes of events in memory before workers have to wait */
    MOST_IDLE_DEATHS = 5,
};

size_t pl_crew_ahead(const struct pl_supervisor *s)
{
    if (isnan(s->mean) || s->mean > quick)
        return 1;
    double runs = ahead_seconds / (s->mean > 1e-6 ? s->mean : 1e-6);
    return runs < 1 ? 1 : runs > MOST_AHEAD ? MOST_AHEAD : (size_t)runs;
}

static bool alive(const struct pl_hand *hand)
{
    return hand->process.pid != 0;
}

bool pl_crew_alive(const struct pl_supervisor *s)
{
    for (size_t i = 0; i < s->hand_count; i++)
        if (alive(&s->hands[i]))
            return true;
    return false;
}

int pl_crew_busy(const struct pl_supervisor *s)
{
    int busy = 0;
    for (size_t i = 0; i < s->hand_count; i++)
        busy += s->hands[i].tasks.count > 0;
    return busy;
}

/* ---- handing out ---- */

static void send_orders(struct pl_hand *hand)
{
    while (hand->sent < hand->orders.length && hand->process.in >= 0) {
        ssize_t n = write(hand->process.in, hand->orders.text + hand->sent, hand->orders.length - hand->sent);
        if (n > 0)
            hand->sent += (size_t)n;
        else if (n < 0 && errno != EINTR)
            break; /* full, or the worker is gone, which its output will tell */
    }
    if (hand->sent == hand->orders.length) {
        pl_text_clear(&hand->orders);
        hand->sent = 0;
    }
}

static bool start_worker(struct pl_supervisor *s, struct pl_hand *hand)
{
    struct pl_error err = {0};
    if (s->executor->start(s->options->worker, s->options->threads, s->options->insist, &hand->process, &err)) {
        pl_sup_fail(s, &err);
        return false;
    }
    hand->recalled = hand->ended = hand->ready = false;
    hand->host = NULL;
    hand->verdict[0] = '\0';
    hand->sent = 0;
    pl_text_clear(&hand->orders);
    pl_text_clear(&hand->input);
    pl_text_clear(&hand->log);
    return true;
}

static void find_folder(struct pl_supervisor *s, const struct pl_claimed *task, struct pl_text *folder)
{
    unsigned char digest[PL_DIGEST_SIZE];
    char key[2 * PL_DIGEST_SIZE + 1];
    pl_text_addf(folder, "%s/%lld", s->options->folders, (long long)task->claim.run);
    size_t plain = folder->length;
    pl_text_add(folder, "-2");
    bool any = pl_file_exists(pl_text(folder));
    pl_text_cut(folder, plain);
    if (!any && !pl_file_exists(pl_text(folder)))
        return; /* as for nearly all runs, which come by the thousand a second */
    pl_run_key(task->settings->text, task->claim.seed, digest);
    pl_digest_hex(digest, sizeof digest, key);
    bool evaded = pl_run_folder(s->options->folders, s->owner, task->claim.run, key, task->claim.attempt > 1, folder);
    if (evaded && !s->folder_noted)
        pl_sup_note(s, "%s/%lld has files of another database or run, so this run's are kept in %s",
                    s->options->folders, (long long)task->claim.run, pl_text(folder));
    s->folder_noted = s->folder_noted || evaded;
}

static void hand_task(struct pl_supervisor *s, struct pl_hand *hand, struct pl_claimed *task)
{
    struct pl_text folder = {0};
    find_folder(s, task, &folder);
    struct pl_order order = {.run = task->claim.run, .seed = task->claim.seed, .threads = s->options->threads,
                             .settings = task->settings->text, .folder = pl_text(&folder), .owner = s->owner,
                             .reading = task->study->study->reading, .home = task->study->study->home,
                             .data = s->options->data_folder, .epochs = task->epochs, .continued = task->claim.attempt > 1};
    memcpy(order.kept, task->kept, sizeof order.kept);
    pl_order_write(&order, &hand->orders);
    pl_text_release(&folder);
    if (!hand->tasks.count)
        hand->since = pl_clock_steady();
    pl_claimed_push(&hand->tasks, task);
}

/* A round gives every worker at most one run, so that the work is spread evenly. */
static bool hand_round(struct pl_supervisor *s, size_t ahead)
{
    bool any = false;
    for (size_t i = 0; i < s->hand_count && s->backlog.count; i++) {
        struct pl_hand *hand = &s->hands[i];
        bool crowded = hand->tasks.count >= ahead || hand->recalled || hand->verdict[0] || hand->ended;
        bool long_run = hand->tasks.count && pl_clock_steady() - hand->since > recall_after;
        if (alive(hand) ? crowded || long_run : !start_worker(s, hand))
            continue;
        struct pl_claimed *task = pl_claimed_pop(&s->backlog);
        any = true;
        if (!task->lost) {
            hand_task(s, hand, task);
            continue;
        }
        s->outstanding--;
        pl_claimed_recycle(task, &s->spare);
    }
    return any;
}

static void hand_out(struct pl_supervisor *s)
{
    if (s->stopping || s->failure.code)
        return;
    size_t ahead = pl_crew_ahead(s);
    while (hand_round(s, ahead))
        ;
    for (size_t i = 0; i < s->hand_count; i++)
        send_orders(&s->hands[i]);
}

/* ---- deaths ---- */

void pl_crew_condemn(struct pl_supervisor *s, struct pl_hand *hand, const char *verdict)
{
    if (!hand->verdict[0])
        snprintf(hand->verdict, sizeof hand->verdict, "%s", verdict);
    s->executor->kill(&hand->process, SIGKILL);
}

static void close_pipe(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The run that a worker was training when it died. */
static void fail_first(struct pl_supervisor *s, struct pl_hand *hand, int status)
{
    struct pl_claimed *task = pl_claimed_pop(&hand->tasks);
    struct pl_ending *ending = &task->ending;
    if (task->lost) { /* nothing of it is ours to write */
        s->outstanding--;
        pl_claimed_recycle(task, &s->spare);
        return;
    }
    task->host = hand->host;
    ending->outcome = PL_FAILED;
    ending->seconds = pl_clock_steady() - hand->since;
    ending->worker = hand->process.pid;
    if (hand->verdict[0]) {
        snprintf(task->reason, sizeof task->reason, "%s", hand->verdict);
    } else if (s->stopping == PL_QUITTING) {
        ending->outcome = PL_INTERRUPTED;
        snprintf(task->reason, sizeof task->reason, "the sweep was stopped");
    } else if (WIFSIGNALED(status)) {
        ending->signal = WTERMSIG(status);
        snprintf(task->reason, sizeof task->reason, "the worker was killed by signal %d (%s)", ending->signal,
                 strsignal(ending->signal));
    } else {
        ending->exit_code = WEXITSTATUS(status);
        snprintf(task->reason, sizeof task->reason, "the worker ended with exit code %d before the run had",
                 ending->exit_code);
    }
    if (hand->log.length)
        pl_claimed_log(task, pl_text(&hand->log), hand->log.length);
    pl_ledger_end(s, task);
}

static void note_idle_death(struct pl_supervisor *s, struct pl_hand *hand, int status)
{
    if (s->stopping || ++s->idle_deaths < MOST_IDLE_DEATHS)
        return;
    struct pl_error err = {0};
    char how[100];
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "exit code %d", WEXITSTATUS(status));
    pl_fail(&err, PL_EIO, "workers (%s) end with %s before they begin a run%s%s", s->options->worker[0], how,
            hand->verdict[0] || hand->log.length ? ": " : "",
            hand->verdict[0] ? hand->verdict : pl_text(&hand->log));
    size_t length = strlen(err.text);
    if (length && err.text[length - 1] == '\n')
        err.text[length - 1] = '\0';
    pl_sup_fail(s, &err);
}

static void bury(struct pl_supervisor *s, struct pl_hand *hand, int status)
{
    /* What it had started may still be there: its group goes with it. */
    s->executor->kill(&hand->process, SIGKILL);
    if (hand->tasks.first && hand->tasks.first->started) {
        s->idle_deaths = 0;
        fail_first(s, hand, status);
    } else if (hand->tasks.count) {
        note_idle_death(s, hand, status);
    }
    pl_claimed_prepend(&s->backlog, &hand->tasks);
    close_pipe(&hand->process.in);
    close_pipe(&hand->process.out);
    close_pipe(&hand->process.log);
    hand->process.pid = 0;
}

/* ---- pipes ---- */

/* A worker that exits closes its output a moment before it can be reaped: without this moment its exit code
 * would be lost to our own signal. */
static bool reap_soon(struct pl_supervisor *s, struct pl_hand *hand, int *status)
{
    for (int i = 0; i < 20; i++) {
        if (s->executor->reap(&hand->process, false, status))
            return true;
        usleep(5000);
    }
    return false;
}

/* A worker whose output has ended is dead or as good as that. */
static void bury_ended(struct pl_supervisor *s)
{
    for (size_t i = 0; i < s->hand_count; i++) {
        struct pl_hand *hand = &s->hands[i];
        int status;
        if (!alive(hand))
            continue;
        if (!hand->ended) {
            if (!s->executor->reap(&hand->process, false, &status))
                continue;
            while (!hand->ended) { /* its last words; a stray child may keep the pipe open, so only what is there */
                size_t before = hand->tasks.count;
                pl_crew_listen(s, hand);
                if (before == hand->tasks.count)
                    break;
            }
        } else if (!reap_soon(s, hand, &status)) {
            s->executor->kill(&hand->process, SIGKILL);
            s->executor->reap(&hand->process, true, &status);
        }
        if (hand->process.log >= 0)
            pl_crew_read_log(hand);
        bury(s, hand, status);
    }
}

/* ---- time ---- */

/* When the run at hand is condemned; INFINITY where it has no time-out, was condemned, or was asked to stop before its
 * time was over: then it has the time that a stop gives. */
static double deadline(const struct pl_supervisor *s, const struct pl_hand *hand)
{
    if (!alive(hand) || hand->verdict[0] || !hand->tasks.count)
        return INFINITY;
    double limit = s->options->timeout > 0 ? s->options->timeout : hand->tasks.first->study->study->timeout;
    double end = limit > 0 ? hand->since + limit : INFINITY;
    return s->stopping && s->stop_since < end ? INFINITY : end;
}

static bool condemn_overdue(struct pl_supervisor *s, struct pl_hand *hand, double now)
{
    double end = deadline(s, hand);
    if (now < end)
        return false;
    char verdict[100], seconds[PL_NUMBER_SIZE];
    pl_number_write(s->options->timeout > 0 ? s->options->timeout : hand->tasks.first->study->study->timeout, seconds);
    snprintf(verdict, sizeof verdict, "timed out after %s s", seconds);
    hand->tasks.first->started = true; /* a worker that hangs before its first word hangs all the same */
    pl_crew_condemn(s, hand, verdict);
    return true;
}

static void check_time(struct pl_supervisor *s)
{
    double now = pl_clock_steady();
    for (size_t i = 0; i < s->hand_count; i++) {
        struct pl_hand *hand = &s->hands[i];
        if (!alive(hand) || hand->verdict[0] || !hand->tasks.count || condemn_overdue(s, hand, now))
            continue;
        if (now - hand->since > recall_after && hand->tasks.count > 1 && !hand->recalled) {
            hand->recalled = true;
            pl_text_add(&hand->orders, PL_RECALL_LINE);
            send_orders(hand);
        }
    }
    if (s->stopping == PL_FINISHING && now - s->stop_since > kill_after)
        pl_sup_stop(s, PL_QUITTING);
}

void pl_crew_stop(struct pl_supervisor *s)
{
    for (size_t i = 0; i < s->hand_count; i++) {
        struct pl_hand *hand = &s->hands[i];
        if (!alive(hand))
            continue;
        if (condemn_overdue(s, hand, s->stop_since))
            continue; /* its time was over before anybody asked it to stop */
        if (s->stopping == PL_QUITTING) {
            s->executor->kill(&hand->process, SIGKILL);
        } else {
            pl_text_add(&hand->orders, PL_STOP_LINE);
            send_orders(hand);
        }
    }
}

static void take_signals(struct pl_supervisor *s)
{
    struct signalfd_siginfo info;
    while (read(s->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            continue;
        s->stopped_by = (int)info.ssi_signo;
        pl_sup_stop(s, s->stopping ? PL_QUITTING : PL_FINISHING);
    }
}

static double next_deadline(const struct pl_supervisor *s, double now, double until)
{
    for (size_t i = 0; i < s->hand_count; i++) {
        const struct pl_hand *hand = &s->hands[i];
        if (!alive(hand) || !hand->tasks.count)
            continue;
        if (deadline(s, hand) < until)
            until = deadline(s, hand);
        if (hand->tasks.count > 1 && !hand->recalled && hand->since + recall_after < until)
            until = hand->since + recall_after;
    }
    return until > now ? until - now : 0;
}

void pl_crew_pump(struct pl_supervisor *s, double seconds)
{
    hand_out(s);
    enum { EACH = 3 };
    struct pollfd *fds = pl_new((EACH * s->hand_count + 1) * sizeof *fds);
    bool full = s->buffered > MOST_BUFFERED;
    for (size_t i = 0; i < s->hand_count; i++) {
        const struct pl_hand *hand = &s->hands[i];
        bool open = alive(hand);
        fds[EACH * i] = (struct pollfd){.fd = open && hand->sent < hand->orders.length ? hand->process.in : -1,
                                        .events = POLLOUT};
        fds[EACH * i + 1] = (struct pollfd){.fd = open && !full && !hand->ended ? hand->process.out : -1,
                                            .events = POLLIN};
        fds[EACH * i + 2] = (struct pollfd){.fd = open ? hand->process.log : -1, .events = POLLIN};
    }
    fds[EACH * s->hand_count] = (struct pollfd){.fd = s->signals, .events = POLLIN};
    double now = pl_clock_steady();
    double wait = next_deadline(s, now, now + seconds);
    poll(fds, EACH * s->hand_count + 1, (int)ceil(wait * 1000));
    if (fds[EACH * s->hand_count].revents)
        take_signals(s);
    for (size_t i = 0; i < s->hand_count; i++) {
        struct pl_hand *hand = &s->hands[i];
        if (fds[EACH * i].revents)
            send_orders(hand);
        if (fds[EACH * i + 1].revents)
            pl_crew_listen(s, hand);
        if (fds[EACH * i + 2].revents)
            pl_crew_read_log(hand);
    }
    free(fds);
    bury_ended(s);
    check_time(s);
    hand_out(s);
}

void pl_crew_dismiss(struct pl_supervisor *s)
{
    double patience = pl_clock_steady() + dismiss_within;
    for (size_t i = 0; i < s->hand_count; i++)
        close_pipe(&s->hands[i].process.in);
    while (pl_crew_alive(s) && pl_clock_steady() < patience)
        pl_crew_pump(s, 0.05);
}

void pl_crew_release(struct pl_supervisor *s)
{
    for (size_t i = 0; i < s->hand_count; i++) {
        struct pl_hand *hand = &s->hands[i];
        if (alive(hand)) {
            int status;
            s->executor->kill(&hand->process, SIGKILL);
            s->executor->reap(&hand->process, true, &status);
            close_pipe(&hand->process.in);
            close_pipe(&hand->process.out);
            close_pipe(&hand->process.log);
        }
        pl_claimed_free_all(&hand->tasks);
        pl_text_release(&hand->orders);
        pl_text_release(&hand->input);
        pl_text_release(&hand->log);
    }
    free(s->hands);
    pl_event_reader_release(&s->reader);
}
