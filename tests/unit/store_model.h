/* The model of test_store_model.c, and what supervisors do to it and to the store at once. */
#ifndef PL_TEST_STORE_MODEL_H
#define PL_TEST_STORE_MODEL_H

#include "store_fixture.h"

enum {
    CONFIGS = 4,
    SEEDS = 3,
    RUNS = CONFIGS * SEEDS,
    SUPERVISORS = 4,
    SWEEPS = 2, /* configurations 0, 1, 2 and 1, 2, 3: two of them are held by both */
    EPOCHS = 6,
    SERIES = 2,
    MOST_SESSIONS = 1000,
    MOST_CLAIMS = 64, /* that a supervisor remembers, old ones too */
    SEQUENCES = 12,
    STEPS = 400
};

struct model_run {
    enum pl_status status;
    int64_t id, token, attempts;
    int64_t holder; /* session, or 0 */
    double values[SERIES][EPOCHS];
    bool written[SERIES][EPOCHS];
    bool tried[MOST_SESSIONS]; /* an attempt of this session has ended */
    bool placed[SWEEPS];       /* the sweep holds it */
    bool forgotten;            /* since its last attempt ended */
};

struct supervisor {
    struct pl_store *store;
    int64_t session; /* 0: none */
    bool dead;
    struct pl_claim claims[MOST_CLAIMS];
    int64_t sessions[MOST_CLAIMS]; /* in which they were made: after a death, a ghost goes on with them */
    size_t claim_count;
};

/* All that a rollback undoes. */
struct model {
    struct model_run runs[RUNS];
    int64_t last; /* the largest number that a run has had */
    bool dead[MOST_SESSIONS], open[MOST_SESSIONS];
    struct supervisor supervisors[SUPERVISORS];
};

static struct {
    struct model now, before;
    uint64_t seed, state, step;
    bool trace;
    int64_t sweeps[SWEEPS], series[SERIES];
    size_t answers[2]; /* how many writes were of the newest claim, and of an older one */
    char doing[200];
} w;

#define require(condition, ...)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("seed %llu, step %llu: %s\n", (unsigned long long)w.seed, (unsigned long long)w.step,          \
                        w.doing);                                                                                      \
            fail_msg(__VA_ARGS__);                                                                                     \
        }                                                                                                              \
    } while (0)

static inline uint64_t draw(uint64_t below)
{
    w.state += 0x9e3779b97f4a7c15u;
    uint64_t z = w.state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static void doing(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline void doing(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w.doing, sizeof w.doing, format, arguments);
    va_end(arguments);
    if (w.trace)
        print_message("%llu: %s\n", (unsigned long long)w.step, w.doing);
}

/* ---- the world */

static inline bool in_grid(int sweep, int run)
{
    const int config = run / SEEDS;
    return config >= sweep && config < sweep + 3;
}

static inline bool holds(int sweep, int run)
{
    return w.now.runs[run].placed[sweep];
}

/* NULL: it was deleted. */
static inline struct model_run *run_of(int64_t id)
{
    for (int i = 0; i < RUNS; i++)
        if (w.now.runs[i].id == id)
            return &w.now.runs[i];
    if (id <= w.now.last)
        return NULL;
    fail_msg("seed %llu, step %llu: the store speaks of run %lld, which nobody planned", (unsigned long long)w.seed,
             (unsigned long long)w.step, (long long)id);
    return NULL;
}

/* Plans a sweep, whose runs may exist. */
static inline void plan_sweep(struct pl_store *store, int sweep)
{
    struct pl_sweep_info info = {
        .study = sweep ? "b" : "a", .path = "a.yaml", .spec = sweep ? "b" : "a", .seeds = SEEDS};
    int64_t launch = 0;
    ok(pl_store_put_sweep(store, &info, &launch, &w.sweeps[sweep], &err));
    for (int i = 0; i < RUNS; i++) {
        if (!in_grid(sweep, i))
            continue;
        struct pl_settings settings = {0};
        struct pl_text canonical = {0};
        unsigned char key[PL_DIGEST_SIZE];
        int64_t config, run;
        enum pl_status status;
        pl_settings_set_real(&settings, "lambda", i / SEEDS + 1);
        pl_settings_write(&settings, &canonical);
        ok(pl_store_put_config(store, &settings, pl_text(&canonical), &config, &err));
        run_key(pl_text(&canonical), i % SEEDS + 1, key);
        ok(pl_store_put_run(store, w.sweeps[sweep], config, i % SEEDS + 1, key, &run, &status, &err));
        if (!w.now.runs[i].id) {
            require(run > w.now.last, "a new run has got the number %lld of another one", (long long)run);
            w.now.runs[i].id = w.now.last = run;
        }
        w.now.runs[i].placed[sweep] = true;
        require(w.now.runs[i].id == run, "run %d has got another number", i);
        require(status == w.now.runs[i].status, "run %lld is %s, but must be %s", (long long)run,
                pl_status_name(status), pl_status_name(w.now.runs[i].status));
        pl_text_release(&canonical);
        pl_settings_release(&settings);
    }
}

static inline void start(void)
{
    memset(&w.now, 0, sizeof w.now);
    memset(w.sweeps, 0, sizeof w.sweeps);
    for (int i = 0; i < SUPERVISORS; i++)
        w.now.supervisors[i].store = open_new();
    struct pl_store *store = w.now.supervisors[0].store;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        plan_sweep(store, sweep);
    w.series[0] = series(store, "loss");
    w.series[1] = series(store, "test_accuracy");
}

/* ---- steps */

static inline bool is_current(const struct pl_claim *claim)
{
    const struct model_run *run = run_of(claim->run);
    return run && run->status == PL_RUN_RUNNING && run->token == claim->token;
}

static inline void expect_answer(int got, const struct pl_claim *claim)
{
    const bool current = is_current(claim);
    w.answers[!current]++;
    require(got == !current, "the answer was %d, but must be %d: %s", got, !current, err.text);
}

static inline void join_session(struct supervisor *s)
{
    doing("supervisor %d joins", (int)(s - w.now.supervisors));
    s->session = join(s->store);
    require(s->session > 0 && s->session < MOST_SESSIONS && !w.now.open[s->session], "session %lld",
            (long long)s->session);
    s->dead = false;
    w.now.open[s->session] = true;
}

static inline bool may_take(const struct model_run *run, int64_t session, bool retry)
{
    return run->status == PL_RUN_PLANNED || run->status == PL_RUN_INTERRUPTED ||
           (retry && run->status == PL_RUN_FAILED && !run->tried[session]);
}

static inline void claim_runs(struct supervisor *s)
{
    const size_t most = 1 + draw(3);
    const int sweep = (int)draw(SWEEPS);
    const bool retry = draw(2);
    struct pl_claim claims[4];
    size_t possible = 0, taken;
    doing("supervisor %d claims up to %zu of sweep %d%s", (int)(s - w.now.supervisors), most, sweep,
          retry ? ", failed ones too" : "");
    for (int i = 0; i < RUNS; i++)
        possible += holds(sweep, i) && may_take(&w.now.runs[i], s->session, retry);
    ok(pl_store_claim(s->store, s->session, &w.sweeps[sweep], 1, retry ? "" : NULL, claims, most, &taken, &err));
    require(taken == (possible < most ? possible : most), "%zu runs were taken of %zu possible", taken, possible);
    for (size_t i = 0; i < taken; i++) {
        struct model_run *run = run_of(claims[i].run);
        require(holds(sweep, (int)(run - w.now.runs)), "run %lld is not of this sweep", (long long)run->id);
        require(may_take(run, s->session, retry), "run %lld was taken, which is %s", (long long)run->id,
                pl_status_name(run->status));
        require(claims[i].token > run->token, "the token of run %lld did not grow", (long long)run->id);
        require(claims[i].attempt == run->attempts + 1, "attempt %lld of run %lld", (long long)claims[i].attempt,
                (long long)run->id);
        run->status = PL_RUN_RUNNING;
        run->holder = s->session;
        run->token = claims[i].token;
        if (s->claim_count == MOST_CLAIMS) {
            memmove(s->claims, s->claims + 1, --s->claim_count * sizeof *s->claims);
            memmove(s->sessions, s->sessions + 1, s->claim_count * sizeof *s->sessions);
        }
        s->sessions[s->claim_count] = s->session;
        s->claims[s->claim_count++] = claims[i];
    }
}

/* One of the claims that a supervisor remembers, most often a late one. */
static const struct pl_claim *some_claim(const struct supervisor *s)
{
    if (!s->claim_count)
        return NULL;
    const size_t back = draw(3) ? draw(4) : draw(s->claim_count);
    return &s->claims[s->claim_count - 1 - (back < s->claim_count ? back : s->claim_count - 1)];
}

static inline void report(struct supervisor *s, const struct pl_claim *claim)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 1e300};
    const size_t count = 1 + draw(3), which = draw(SERIES);
    double epochs[3], values[3];
    doing("supervisor %d reports %zu values of run %lld with token %lld", (int)(s - w.now.supervisors), count,
          (long long)claim->run, (long long)claim->token);
    for (size_t i = 0; i < count; i++) {
        epochs[i] = (double)(1 + draw(EPOCHS));
        values[i] = draw(5) ? (double)draw(1000) / 8 : odd[draw(sizeof odd / sizeof *odd)];
    }
    expect_answer(pl_store_points(s->store, claim, w.series[which], epochs, values, count, &err), claim);
    for (size_t i = 0; i < count && is_current(claim); i++) {
        run_of(claim->run)->values[which][(int)epochs[i] - 1] = values[i];
        run_of(claim->run)->written[which][(int)epochs[i] - 1] = true;
    }
}

static inline void forget_values(struct supervisor *s, const struct pl_claim *claim)
{
    const int from = (int)draw(EPOCHS);
    doing("supervisor %d forgets run %lld from epoch %d on", (int)(s - w.now.supervisors), (long long)claim->run,
          from + 1);
    expect_answer(pl_store_forget_points(s->store, claim, PL_BY_EPOCH, from ? from + 1 : -INFINITY, &err), claim);
    for (int k = 0; k < SERIES && is_current(claim); k++)
        for (int e = from; e < EPOCHS; e++)
            run_of(claim->run)->written[k][e] = false;
}

static inline void end_attempt(struct model_run *run, enum pl_status status, int64_t session)
{
    run->status = status;
    run->holder = 0;
    run->attempts++;
    run->tried[session] = true;
    run->forgotten = false;
}

static inline void end_run(struct supervisor *s, const struct pl_claim *claim)
{
    static const enum pl_outcome outcomes[] = {PL_FINISHED, PL_FINISHED, PL_DIVERGED,
                                               PL_FAILED,   PL_FAILED,   PL_INTERRUPTED};
    static const enum pl_status after[] = {[PL_FINISHED] = PL_RUN_FINISHED,
                                           [PL_DIVERGED] = PL_RUN_DIVERGED,
                                           [PL_FAILED] = PL_RUN_FAILED,
                                           [PL_INTERRUPTED] = PL_RUN_INTERRUPTED};
    const enum pl_outcome outcome = outcomes[draw(sizeof outcomes / sizeof *outcomes)];
    const int64_t session = s->sessions[claim - s->claims];
    struct pl_ending ending = {.session = session,
                               .outcome = outcome,
                               .bad_epoch = outcome == PL_DIVERGED ? 2 : -1,
                               .exit_code = -1,
                               .started = 1000,
                               .seconds = 1,
                               .threads = 1,
                               .worker = 9};
    doing("supervisor %d ends run %lld with token %lld as %s", (int)(s - w.now.supervisors), (long long)claim->run,
          (long long)claim->token, pl_status_name(after[outcome]));
    expect_answer(pl_store_end(s->store, claim, &ending, &err), claim);
    if (is_current(claim))
        end_attempt(run_of(claim->run), after[outcome], session);
}

/* Puts a run back to what the attempt before had made of it. */
static inline void unclaim(struct supervisor *s, const struct pl_claim *claim)
{
    struct model_run *run = run_of(claim->run);
    doing("supervisor %d hands run %lld back", (int)(s - w.now.supervisors), (long long)claim->run);
    ok(pl_store_unclaim(s->store, claim, &err));
    if (!is_current(claim))
        return;
    char sql[120];
    int64_t before = run->attempts && !run->forgotten ? -1 : PL_RUN_PLANNED;
    snprintf(sql, sizeof sql, "SELECT status FROM run WHERE id = %lld", (long long)run->id);
    int64_t status;
    ok(pl_store_query(s->store, sql, NULL, take_token, &status, &err));
    require(before == -1 || (run->forgotten && status != PL_RUN_PLANNED)
                ? status == PL_RUN_FAILED || status == PL_RUN_INTERRUPTED
                : status == before,
            "run %lld became %lld", (long long)run->id, (long long)status);
    run->status = (enum pl_status)status;
    run->holder = 0;
}

static inline void give_back(int64_t session)
{
    for (int i = 0; i < RUNS; i++)
        if (w.now.runs[i].holder == session)
            end_attempt(&w.now.runs[i], PL_RUN_INTERRUPTED, session);
    w.now.open[session] = false;
}

static inline void leave(struct supervisor *s)
{
    doing("supervisor %d leaves", (int)(s - w.now.supervisors));
    ok(pl_store_leave(s->store, s->session, &err));
    give_back(s->session);
    s->session = 0;
}

/* To all others its process is gone; its connection and its claims stay, as those of a supervisor that was only thought
 * dead would. */
static inline void kill_supervisor(struct supervisor *s)
{
    char sql[200];
    doing("supervisor %d dies", (int)(s - w.now.supervisors));
    snprintf(sql, sizeof sql, "UPDATE session SET pid = 2147483646, process = 'gone:2147483646:1' WHERE id = %lld",
             (long long)s->session);
    behind(sql);
    w.now.dead[s->session] = s->dead = true;
}

static inline void recover(struct supervisor *s)
{
    int64_t held = 0, recovered;
    doing("supervisor %d recovers", (int)(s - w.now.supervisors));
    for (int i = 0; i < RUNS; i++)
        held += w.now.runs[i].holder && w.now.dead[w.now.runs[i].holder];
    ok(pl_store_recover(s->store, &recovered, &err));
    require(recovered == held, "%lld runs were recovered, not %lld", (long long)recovered, (long long)held);
    for (int64_t session = 1; session < MOST_SESSIONS; session++)
        if (w.now.open[session] && w.now.dead[session])
            give_back(session);
}

/* Somebody deletes two runs, which those who have claimed them need not know. Nothing goes where one is at work. */
static inline void delete_runs(struct supervisor *s)
{
    struct model_run *chosen[2] = {&w.now.runs[draw(RUNS)], &w.now.runs[draw(RUNS)]};
    int64_t runs[2] = {chosen[0]->id, chosen[1]->id};
    const bool works = chosen[0]->status == PL_RUN_RUNNING || chosen[1]->status == PL_RUN_RUNNING;
    struct pl_deleted deleted = {0};
    doing("runs %lld and %lld are deleted", (long long)runs[0], (long long)runs[1]);
    const int status = pl_store_delete_runs(s->store, runs, 2, &deleted, &err);
    require(status == (works ? PL_EINPUT : 0), "deleting gave %d: %s", status, err.text);
    for (int k = 0; k < 2 && !works; k++)
        *chosen[k] = (struct model_run){0};
}

/* Somebody wants a run anew. */
static inline void forget_run(struct supervisor *s)
{
    struct model_run *run = &w.now.runs[draw(RUNS)];
    if (!run->id)
        return;
    const bool left = run->status == PL_RUN_RUNNING || run->status == PL_RUN_PLANNED;
    doing("run %lld is forgotten", (long long)run->id);
    const int status = pl_store_forget(s->store, run->id, &err);
    require(status == left, "forgetting gave %d: %s", status, err.text);
    if (left)
        return;
    run->status = PL_RUN_PLANNED;
    run->forgotten = true;
    memset(run->written, 0, sizeof run->written);
}

/* A copy is merged: into the database itself, where it changes nothing, and into an empty one, which has the results
 * then. */
static inline void merge_copy(struct supervisor *s)
{
    char copy[260], fresh_path[260];
    struct pl_merged merged;
    struct pl_store *made;
    int64_t ended = 0, known = 0, counts[3];
    doing("a copy is merged");
    snprintf(copy, sizeof copy, "%s.copy", path);
    snprintf(fresh_path, sizeof fresh_path, "%s.fresh", path);
    ok(pl_store_backup(s->store, copy, &err));
    ok(pl_store_merge(s->store, copy, NULL, &merged, &err));
    for (int i = 0; i < RUNS; i++) {
        known += w.now.runs[i].id != 0;
        ended += w.now.runs[i].status == PL_RUN_FINISHED || w.now.runs[i].status == PL_RUN_DIVERGED;
    }
    require(!merged.added && !merged.replaced && !merged.kept && !merged.ended, "a copy changed the database");
    require(merged.equal == ended, "%lld runs are equal, not %lld", (long long)merged.equal, (long long)ended);
    ok(pl_store_open(&made, fresh_path, PL_STORE_WRITE, &err));
    ok(pl_store_merge(made, copy, NULL, &merged, &err));
    require(merged.added == known, "%lld runs were new, not %lld", (long long)merged.added, (long long)known);
    assert_whole(made);
    ok(pl_store_query(made,
                      "SELECT count(*) FROM run WHERE status IN (2, 3)"
                      " AND (SELECT count(*) FROM attempt WHERE run = run.id) = attempts",
                      NULL, take_token, &counts[0], &err));
    require(counts[0] == ended, "%lld runs have ended, not %lld", (long long)counts[0], (long long)ended);
    ok(pl_store_query(made, "SELECT count(*) FROM metric", NULL, take_token, &counts[1], &err));
    ok(pl_store_query(s->store, "SELECT count(*) FROM metric", NULL, take_token, &counts[2], &err));
    require(counts[1] == counts[2], "%lld values came, not %lld", (long long)counts[1], (long long)counts[2]);
    pl_store_close(made);
    unlink(copy);
    unlink(fresh_path);
}

/* A new connection, as of a program that is started again. */
static inline void reopen(struct supervisor *s)
{
    doing("supervisor %d opens the database again", (int)(s - w.now.supervisors));
    pl_store_close(s->store);
    s->store = open_new();
}

#endif
