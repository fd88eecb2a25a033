/* How fast the database takes and gives back runs, through the calls that a sweep and a report use:
 *   bench-store FILE CONFIGS SEEDS METRICS POINTS
 * FILE must not exist. Prints rates and sizes; exits 1 on any error. */
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static struct pl_error err;

static void must(int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench-store: %s\n", err.text);
    exit(1);
}

static void plan(struct pl_store *store, int64_t sweep, int64_t configs, int64_t seeds)
{
    struct pl_text canonical = {0};
    for (int64_t c = 0; c < configs; c++) {
        struct pl_settings settings = {0};
        pl_settings_set_string(&settings, "optimizer", "theopoula");
        pl_settings_set_string(&settings, "problem", "theta30");
        pl_settings_set_integer(&settings, "iterations", 200);
        pl_settings_set_integer(&settings, "record", 20);
        pl_settings_set_integer(&settings, "dimension", 1);
        pl_settings_set_real(&settings, "start", 5);
        pl_settings_set_real(&settings, "r", 0);
        pl_settings_set_real(&settings, "eta", 0);
        pl_settings_set_string(&settings, "variant", "paper");
        pl_settings_set_real(&settings, "epsilon", 0.01 * (double)(c % 5 + 1));
        pl_settings_set_real(&settings, "beta", 1e8 * (double)(c / 5 % 5 + 1));
        pl_settings_set_real(&settings, "lambda", 0.001 * (double)(c / 25 + 1));
        pl_text_clear(&canonical);
        pl_settings_write(&settings, &canonical);
        int64_t config;
        must(pl_store_put_config(store, &settings, pl_text(&canonical), &config, &err));
        for (int64_t seed = 1; seed <= seeds; seed++) {
            unsigned char key[PL_DIGEST_SIZE];
            pl_text_addf(&canonical, " ");
            pl_digest(pl_text(&canonical), canonical.length, key);
            must(pl_store_put_run(store, sweep, config, seed, key, NULL, NULL, &err));
        }
        pl_settings_release(&settings);
    }
    pl_text_release(&canonical);
}

static void run_all(struct pl_store *store, int64_t sweep, int metrics, int64_t points)
{
    static const char *const names[] = {"loss", "theta", "test_accuracy", "valid_loss"};
    struct pl_provenance provenance = {.cpu = "bench", .isa = "base", .version = PL_VERSION, .jobs = 1, .threads = 1};
    int64_t session;
    double *epochs = pl_new((size_t)points * sizeof *epochs);
    double *values = pl_new((size_t)points * sizeof *values);
    must(pl_store_join(store, &provenance, &session, &err));
    struct pl_claim claims[256];
    size_t taken;
    do {
        must(pl_store_begin(store, &err));
        must(pl_store_claim(store, session, &sweep, 1, NULL, claims, 256, &taken, &err));
        must(pl_store_commit(store, &err));
        must(pl_store_begin(store, &err));
        for (size_t i = 0; i < taken; i++) {
            for (int m = 0; m < metrics; m++) {
                int64_t series;
                must(pl_store_series(store, names[m], PL_BY_EPOCH, &series, &err));
                for (int64_t p = 0; p < points; p++) {
                    epochs[p] = 10 * (p + 1);
                    values[p] = sin((double)(claims[i].run * 31 + p * 7 + m));
                }
                must(pl_store_points(store, &claims[i], series, epochs, values, (size_t)points, &err));
            }
            struct pl_ending ending = {.session = session,
                                       .outcome = PL_FINISHED,
                                       .bad_epoch = -1,
                                       .exit_code = -1,
                                       .started = pl_clock(),
                                       .seconds = 0.00123,
                                       .threads = 1,
                                       .worker = 4711};
            must(pl_store_end(store, &claims[i], &ending, &err));
        }
        must(pl_store_commit(store, &err));
    } while (taken);
    must(pl_store_leave(store, session, &err));
    free(epochs);
    free(values);
}

static int count_row(void *self, const struct pl_result *result)
{
    *(int64_t *)self += result->has_value;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 6 || pl_file_exists(argv[1])) {
        fprintf(stderr, "usage: bench-store NEWFILE CONFIGS SEEDS METRICS POINTS\n");
        return 1;
    }
    int64_t configs = atoll(argv[2]), seeds = atoll(argv[3]), points = atoll(argv[5]);
    double runs = (double)(configs * seeds);
    struct pl_store *store;
    struct pl_sweep_info info = {.study = "bench", .path = "bench.yaml", .spec = "study: bench\n", .seeds = seeds};
    int64_t launch = 0, sweep = 0, values = 0;
    must(pl_store_open(&store, argv[1], PL_STORE_WRITE, &err));
    double start = pl_clock_steady();
    must(pl_store_begin(store, &err));
    must(pl_store_put_sweep(store, &info, &launch, &sweep, &err));
    plan(store, sweep, configs, seeds);
    must(pl_store_commit(store, &err));
    double planned = pl_clock_steady();
    run_all(store, sweep, atoi(argv[4]), points);
    double ran = pl_clock_steady();
    must(pl_store_each_result(store, sweep, "loss", PL_SELECT_BEST, count_row, &values, &err));
    double read = pl_clock_steady();
    pl_store_close(store);
    double closed = pl_clock_steady();
    struct stat file;
    if (stat(argv[1], &file) || values != configs * seeds) {
        fprintf(stderr, "bench-store: %lld results for %.0f runs\n", (long long)values, runs);
        return 1;
    }
    printf("plan %.0f runs/s, record %.0f runs/s, together %.0f runs/s, read %.3f s, close %.3f s, %.2f MB\n",
           runs / (planned - start), runs / (ran - planned), runs / (ran - start), read - ran, closed - read,
           (double)file.st_size / 1e6);
    return 0;
}
