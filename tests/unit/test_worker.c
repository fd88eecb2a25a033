/* A worker: orders in, events out, whatever a run does to its outlets. */
#include "sweep/claimed.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* A worker in a thread, between two pipes. */
struct bench_worker {
    int in[2], out[2], status;
    pthread_t thread;
};

static void *run_worker(void *self)
{
    struct bench_worker *w = self;
    struct pl_error err = {0};
    w->status = pl_worker_loop(w->in[0], w->out[1], &err);
    close(w->out[1]);
    return NULL;
}

static void start_worker(struct bench_worker *w)
{
    assert_int_equal(pipe(w->in), 0);
    assert_int_equal(pipe(w->out), 0);
    assert_int_equal(pthread_create(&w->thread, NULL, run_worker, w), 0);
}

static void send_text(struct bench_worker *w, const char *text)
{
    assert_int_equal(write(w->in[1], text, strlen(text)), (ssize_t)strlen(text));
}

static void end_worker(struct bench_worker *w, struct pl_text *said)
{
    char block[4096];
    ssize_t n;
    close(w->in[1]);
    while ((n = read(w->out[0], block, sizeof block)) > 0)
        pl_text_add_bytes(said, block, (size_t)n);
    pthread_join(w->thread, NULL);
    close(w->in[0]);
    close(w->out[0]);
}

static const char toy[] = ",\"seed\":1,\"threads\":1,\"settings\":{\"problem\":\"quadratic\",\"condition\":100,"
                          "\"dimension\":10,\"noise\":0,\"start\":1,\"optimizer\":\"sgd\","
                          "\"momentum\":0,\"dampening\":0,\"weight_decay\":0,\"nesterov\":false,\"average\":\"off\","
                          "\"average_after\":5,\"decay\":1,\"floor\":0,\"every\":0,\"warmup\":0,\"anneal\":\"none\","
                          "\"milestones\":\"[]\",\"lambda\":0.1,\"iterations\":20,\"record\":4}}\n";

static size_t times(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

static void a_worker_runs_orders_until_the_end(void **state)
{
    (void)state;
    struct bench_worker w;
    struct pl_text said = {0}, orders = {0};
    start_worker(&w);
    for (int i = 1; i <= 3; i++)
        pl_text_addf(&orders, "{\"run\":%d%s", i, toy);
    send_text(&w, pl_text(&orders));
    end_worker(&w, &said);
    assert_int_equal(w.status, 0);
    assert_int_equal(times(pl_text(&said), "\"event\":\"ready\""), 1);
    assert_int_equal(times(pl_text(&said), "\"event\":\"start\""), 3);
    assert_int_equal(times(pl_text(&said), "\"outcome\":\"finished\""), 3);
    pl_text_release(&said);
    pl_text_release(&orders);
}

static void a_worker_refuses_rubbish(void **state)
{
    (void)state;
    struct bench_worker w;
    struct pl_text said = {0};
    start_worker(&w);
    send_text(&w, "rubbish\n");
    end_worker(&w, &said);
    assert_int_equal(w.status, PL_ECORRUPT);
    pl_text_release(&said);
}

/* The first run takes a while; what is queued behind it is given back at once, and what was given back is not run. */
static void a_worker_gives_orders_back(void **state)
{
    (void)state;
    struct bench_worker w;
    struct pl_text said = {0};
    static const char slow[] = "{\"run\":1,\"seed\":1,\"threads\":1,\"settings\":{\"command\":"
                               "\"[\\\"sh\\\",\\\"-c\\\",\\\"sleep 0.5; echo loss=1\\\"]\",\"directory\":\".\"}}\n";
    char order[sizeof toy + 20];
    start_worker(&w);
    send_text(&w, slow);
    /* wait for its start, so that it is not given back itself */
    char block[1024];
    while (!strstr(pl_text(&said), "\"event\":\"start\""))
        pl_text_add_bytes(&said, block, (size_t)read(w.out[0], block, sizeof block));
    for (int i = 2; i <= 4; i++) {
        snprintf(order, sizeof order, "{\"run\":%d%s", i, toy);
        send_text(&w, order);
    }
    send_text(&w, PL_RECALL_LINE);
    while (!strstr(pl_text(&said), "\"event\":\"dropped\""))
        pl_text_add_bytes(&said, block, (size_t)read(w.out[0], block, sizeof block));
    assert_non_null(strstr(pl_text(&said), "\"runs\":[2,3,4]"));
    assert_null(strstr(pl_text(&said), "\"event\":\"end\""));
    end_worker(&w, &said);
    assert_int_equal(times(pl_text(&said), "\"event\":\"start\""), 1);
    assert_int_equal(times(pl_text(&said), "\"outcome\":\"finished\""), 1);
    pl_text_release(&said);
}

/* What libraries print to standard output must not come between the events. */
static void stray_output_stays_out(void **state)
{
    (void)state;
    int in[2], out[2];
    struct pl_text said = {0};
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct pl_error err = {0};
        int from, to;
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        int status = pl_worker_enter(&from, &to, &err);
        printf("stray\n");
        fflush(stdout);
        _exit(status || pl_worker_loop(from, to, &err) ? 1 : 0);
    }
    close(in[0]);
    close(out[1]);
    char order[sizeof toy + 20], block[4096];
    int length = snprintf(order, sizeof order, "{\"run\":1%s", toy);
    assert_int_equal(write(in[1], order, (size_t)length), length);
    close(in[1]);
    ssize_t n;
    while ((n = read(out[0], block, sizeof block)) > 0)
        pl_text_add_bytes(&said, block, (size_t)n);
    close(out[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_null(strstr(pl_text(&said), "stray"));
    assert_int_equal(times(pl_text(&said), "\"outcome\":\"finished\""), 1);
    pl_text_release(&said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_runs_orders_until_the_end),
        cmocka_unit_test(a_worker_refuses_rubbish),
        cmocka_unit_test(a_worker_gives_orders_back),
        cmocka_unit_test(stray_output_stays_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
