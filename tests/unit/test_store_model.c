/* The store against a small model: several supervisors, each with a connection of its own, plan, claim, report, end,
 * die, come back as ghosts that still write, and are recovered from, in random order. After every step the model says
 * what the call had to answer, and from time to time what every run must look like: a claim that is not the newest
 * writes nothing, what is finished or diverged never changes, every attempt is ended once, and a transaction that was
 * rolled back has left no trace.
 *
 * A failure names its seed and step: $POULA_MODEL_SEED=N runs that seed alone, $POULA_MODEL_STEPS=N no more steps than
 * that, and $POULA_MODEL_TRACE=1 prints each step. */
#include "store_model.h"

/* ---- looking */

static int take_point(void *self, double epoch, double value)
{
    double(*points)[2] = self;
    points[(int)epoch - 1][0] = 1;
    points[(int)epoch - 1][1] = value;
    return 0;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void look_at_run(struct pl_store *store, int i)
{
    static const char *const names[SERIES] = {"loss", "test_accuracy"};
    const struct model_run *run = &w.now.runs[i];
    struct pl_run_info info;
    char name[24];
    snprintf(name, sizeof name, "%lld", (long long)run->id);
    if (!run->id) /* it was deleted */
        return;
    ok(pl_store_run_info(store, name, &info, &err));
    require(info.status == run->status, "run %s is %s, but must be %s", name, pl_status_name(info.status),
            pl_status_name(run->status));
    require(info.attempts == run->attempts, "run %s has %lld attempts, not %lld", name, (long long)info.attempts,
            (long long)run->attempts);
    pl_run_info_release(&info);
    for (int k = 0; k < SERIES; k++) {
        double points[EPOCHS][2] = {{0}};
        ok(pl_store_each_point(store, run->id, names[k], take_point, points, &err));
        for (int e = 0; e < EPOCHS; e++) {
            require((points[e][0] != 0) == run->written[k][e], "run %s, %s, epoch %d: %s", name, names[k], e + 1,
                    run->written[k][e] ? "a value was lost" : "a value that nobody may have written");
            require(!run->written[k][e] || same(points[e][1], run->values[k][e]), "run %s, %s, epoch %d: %g, not %g",
                    name, names[k], e + 1, points[e][1], run->values[k][e]);
        }
    }
}

/* One row: lowest and highest finite value, and the last one unless that is not finite. */
static int take_result(void *self, const struct pl_cell *cells, size_t count)
{
    double *result = self;
    for (size_t i = 0; i < count; i++)
        result[i] = cells[i].kind == PL_CELL_NULL ? NAN : cells[i].real;
    result[count]++;
    return 0;
}

static void look_at_result(struct pl_store *store, int i)
{
    const struct model_run *run = &w.now.runs[i];
    const bool ended = run->status == PL_RUN_FINISHED || run->status == PL_RUN_DIVERGED;
    for (int k = 0; k < SERIES; k++) {
        double want[3] = {NAN, NAN, NAN}, got[4] = {NAN, NAN, NAN, 0};
        bool any = false;
        char sql[200];
        for (int e = 0; e < EPOCHS && ended; e++) {
            const double v = run->values[k][e];
            if (!run->written[k][e])
                continue;
            any = true;
            want[2] = isfinite(v) ? v : NAN;
            want[0] = isfinite(v) && !(want[0] <= v) ? v : want[0];
            want[1] = isfinite(v) && !(want[1] >= v) ? v : want[1];
        }
        snprintf(sql, sizeof sql,
                 "SELECT lowest, highest, last FROM result"
                 " WHERE run = %lld AND series = %lld",
                 (long long)run->id, (long long)w.series[k]);
        ok(pl_store_query(store, sql, NULL, take_result, got, &err));
        require(got[3] == any, "run %lld has %g results of series %d, not %d", (long long)run->id, got[3], k, any);
        for (int c = 0; c < 3 && any; c++)
            require(same(got[c], want[c]), "run %lld, series %d: result %d is %g, not %g", (long long)run->id, k, c,
                    got[c], want[c]);
    }
}

static void look(struct pl_store *store)
{
    int64_t counts[PL_STATUS_COUNT];
    for (int i = 0; i < RUNS; i++) {
        look_at_run(store, i);
        look_at_result(store, i);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        int64_t want[PL_STATUS_COUNT] = {0};
        for (int i = 0; i < RUNS; i++)
            want[w.now.runs[i].status] += holds(sweep, i);
        ok(pl_store_counts(store, w.sweeps[sweep], counts, &err));
        for (int status = 0; status < PL_STATUS_COUNT; status++)
            require(counts[status] == want[status], "sweep %d has %lld %s runs, not %lld", sweep,
                    (long long)counts[status], pl_status_name((enum pl_status)status), (long long)want[status]);
    }
    assert_whole(store);
}

/* ---- sequences */

static void act(struct supervisor *s)
{
    const struct pl_claim *claim = some_claim(s);
    const uint64_t what = draw(100);
    if (!s->session)
        join_session(s);
    else if (claim && what < 35)
        report(s, claim);
    else if (claim && what < 55)
        end_run(s, claim);
    else if (claim && what < 60)
        forget_values(s, claim);
    else if (claim && what < 65)
        unclaim(s, claim);
    else if (s->dead)
        join_session(s); /* what it had claimed before is remembered: a ghost's */
    else if (what < 85)
        claim_runs(s);
    else if (what < 92)
        recover(s);
    else if (what < 96)
        ok(pl_store_beat(s->store, s->session, &err));
    else
        leave(s);
}

/* Some steps of one supervisor in a transaction that is kept, or is not. */
static void transact(struct supervisor *s)
{
    const bool kept = draw(2);
    w.before = w.now;
    ok(pl_store_begin(s->store, &err));
    for (uint64_t i = 1 + draw(4); i > 0; i--)
        act(s);
    if (kept) {
        ok(pl_store_commit(s->store, &err));
        return;
    }
    doing("supervisor %d rolls back", (int)(s - w.now.supervisors));
    pl_store_rollback(s->store);
    w.now = w.before;
}

static void run_sequence(uint64_t seed, uint64_t steps)
{
    w.seed = w.state = seed;
    start();
    for (w.step = 1; w.step <= steps; w.step++) {
        struct supervisor *s = &w.now.supervisors[draw(SUPERVISORS)];
        const uint64_t what = draw(100);
        if (what < 4 && s->session && !s->dead)
            kill_supervisor(s);
        else if (what < 6)
            reopen(s);
        else if (what < 9)
            plan_sweep(s->store, (int)draw(SWEEPS));
        else if (what < 11)
            delete_runs(s);
        else if (what < 13)
            forget_run(s);
        else if (what < 14 && !draw(3))
            merge_copy(s);
        else if (what < 22)
            transact(s);
        else
            act(s);
        if (w.step % 20 == 0 || w.step == steps)
            look(w.now.supervisors[draw(SUPERVISORS)].store);
        look_at_run(s->store, (int)draw(RUNS));
    }
    for (int i = 0; i < SUPERVISORS; i++)
        pl_store_close(w.now.supervisors[i].store);
}

static void supervisors_and_the_model_agree(void **state)
{
    const char *seed = getenv("POULA_MODEL_SEED"), *most = getenv("POULA_MODEL_STEPS"), *slow = getenv("SLOW");
    uint64_t sequences = slow && !strcmp(slow, "1") ? SEQUENCES / 3 : SEQUENCES; /* under sanitizers, a part of them */
    int64_t only = 0, steps = STEPS;
    if (seed)
        assert_true(pl_count_read(seed, &only));
    if (most)
        assert_true(pl_count_read(most, &steps));
    w.trace = getenv("POULA_MODEL_TRACE") != NULL;
    for (uint64_t i = 1; i <= (seed ? 1 : sequences); i++) {
        fresh(state);
        run_sequence(seed ? (uint64_t)only : i, (uint64_t)steps);
    }
    /* A test that never met an old claim would have shown little. */
    if (!seed && !most)
        assert_true(w.answers[0] > 200 && w.answers[1] > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {each(supervisors_and_the_model_agree)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
