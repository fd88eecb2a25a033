/* Which runs of a sweep take larger steps than the convergence proof of TheoPouLa covers. */
#include "sweep/sweep.h"
#include "theory/theory.h"

#include <math.h>
#include <string.h>

/* The runs of a study beyond their bound. */
struct beyond {
    int64_t runs;
    double lambda;        /* the largest of theirs */
    double eta, r;        /* of the run that has it, the one with the smallest bound */
    long double ln_bound; /* and its lambda_max */
};

/* Without a regularisation, and for other optimizers, there is no bound. */
static bool has_bound(const struct pl_settings *settings)
{
    const char *optimizer = pl_settings_string(settings, "optimizer", "");
    return pl_has_word("theopoula tusla", optimizer) && pl_settings_real(settings, "eta", 0) > 0;
}

static void look_at(struct beyond *beyond, const struct pl_settings *settings, int64_t runs)
{
    double lambda = pl_settings_real(settings, "lambda", 0);
    double eta = pl_settings_real(settings, "eta", 0), r = pl_settings_real(settings, "r", 0);
    long double ln_bound;
    if (pl_theory_lambda_max(eta, r, &ln_bound, NULL) || logl(lambda) <= ln_bound)
        return;
    beyond->runs += runs;
    if (lambda > beyond->lambda || (lambda == beyond->lambda && ln_bound < beyond->ln_bound)) {
        beyond->lambda = lambda;
        beyond->eta = eta;
        beyond->r = r;
        beyond->ln_bound = ln_bound;
    }
}

static void add_note(const struct pl_study *study, const struct beyond *beyond, struct pl_text *notes)
{
    pl_text_addf(notes,
                 "%s: in %lld of %llu run%s the steps are larger than the proof of convergence allows: lambda is %s",
                 study->name, (long long)beyond->runs, (unsigned long long)study->runs, study->runs == 1 ? "" : "s",
                 beyond->runs == 1 ? "" : "up to ");
    pl_text_add_number(notes, beyond->lambda);
    pl_text_addf(notes, ", lambda_max(eta=%.6g, r=%.6g) is ", beyond->eta, beyond->r);
    pl_theory_write(beyond->ln_bound, false, notes);
    pl_text_add_char(notes, '\n');
}

void pl_sweep_proof_notes(const struct pl_study *study, struct pl_text *notes)
{
    struct beyond beyond = {0};
    if (study->waiting)
        return; /* its steps are not known */
    struct pl_walk *walk = pl_walk_new(study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    while (!pl_walk_next(walk, &settings, &seeds, &seed_count))
        if (has_bound(settings))
            look_at(&beyond, settings, (int64_t)seed_count);
    pl_walk_free(walk);
    if (beyond.runs)
        add_note(study, &beyond, notes);
}
