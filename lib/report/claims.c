/* What was claimed of published numbers, judged on these numbers and on ours. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What two samples say of a claim; from NOT_PRINTED on there is nothing to judge. */
enum word { SUPPORTED, CONTRADICTED, UNDECIDED, NO_NUMBER, WORD_COUNT };
static const char *const words[WORD_COUNT] = {"supported", "contradicted", "undecided", ""};

/* One pair of lines in one column, on one set of numbers. */
struct judged {
    enum word word;
    bool ahead;      /* the mean of the first is the better one */
    const char *why; /* a pair cannot be decided; "" */
    struct pl_interval interval;
    int64_t n; /* the fewer runs of both */
};

struct pair {
    const char *a, *b, *in;
    struct judged printed, ours;
};

/* A number of one side: a sample, or the word for what there is instead. */
struct side {
    struct pl_sample sample;
    bool diverged; /* every run that ended did */
    const char *missing;
};

static struct side printed_side(const struct pl_published_line *line, const char *in)
{
    const struct pl_published_cell *cell = pl_published_cell_of(line, in);
    struct side side = {.sample = {NAN, NAN, 0}, .missing = cell ? "not printed" : "no such cell"};
    if (!cell || isnan(cell->mean))
        return side;
    side.sample = (struct pl_sample){cell->mean, cell->deviation, line->table->runs};
    side.missing = NULL;
    return side;
}

/* What one of our studies has for the cell of a line. */
static const struct pl_compared_cell *our_cell(const struct pl_published_line *line, const char *in,
                                               const struct pl_comparison *ours)
{
    const struct pl_published_cell *printed = pl_published_cell_of(line, in);
    return printed && ours->published == line->table ? &ours->cells[printed - line->table->cells] : NULL;
}

static struct side side_of(const struct pl_compared_cell *cell)
{
    struct side side = {.sample = {NAN, NAN, 0}, .missing = "no run"};
    if (!cell || !cell->summary.planned)
        return side;
    if (cell->ours.n)
        return (struct side){.sample = cell->ours};
    side.diverged = cell->summary.diverged && !cell->summary.missing && !cell->summary.failed;
    side.missing = side.diverged ? "diverged" : "no value";
    return side;
}

/* The first of our studies that has a value for the cell, else the last that has anything. */
static struct side our_side(const struct pl_published_line *line, const char *in, struct pl_comparison *const *ours,
                            size_t count)
{
    struct side side = side_of(NULL);
    for (size_t i = 0; i < count && side.missing; i++) {
        struct side other = side_of(our_cell(line, in, ours[i]));
        if (!other.missing || strcmp(other.missing, "no run"))
            side = other;
    }
    return side;
}

/* Ours for both lines of a pair, of networks and trainings of one size, in one study or two: those that both have a
 * value, else the first. Where there are none of one size, numbers and divergence are no pair. */
static void our_sides(const struct pl_published_line *x, const struct pl_published_line *y, const char *in,
                      struct pl_comparison *const *ours, size_t count, struct side own[2])
{
    bool alike = false;
    for (size_t i = 0; i < count; i++) {
        const struct pl_compared_cell *a = our_cell(x, in, ours[i]);
        for (size_t k = 0; a && a->summary.planned && k < count; k++) {
            const struct pl_compared_cell *b = our_cell(y, in, ours[k]);
            if (!b || !b->summary.planned || strcmp(a->amount, b->amount) || (alike && !(a->ours.n && b->ours.n)))
                continue;
            alike = true;
            own[0] = side_of(a);
            own[1] = side_of(b);
            if (a->ours.n && b->ours.n)
                return;
        }
    }
    if (alike)
        return;
    own[0] = our_side(x, in, ours, count);
    own[1] = our_side(y, in, ours, count);
    if ((!own[0].missing || own[0].diverged) && (!own[1].missing || own[1].diverged))
        own[0] = own[1] = (struct side){.sample = {NAN, NAN, 0}, .missing = "trained otherwise"};
}

static struct judged judge_alike(const struct judged *j)
{
    struct judged judged = *j;
    if (!isnan(j->interval.low))
        judged.word = j->interval.low > 0 || j->interval.high < 0 ? CONTRADICTED : UNDECIDED;
    return judged;
}

static struct judged judge(const struct pl_published_claim *claim, const struct side *a, const struct side *b,
                           double level)
{
    struct judged j = {.word = NO_NUMBER, .why = "", .interval = {NAN, NAN, NAN, NAN}};
    if (a->diverged != b->diverged && (a->diverged ? b : a)->sample.n) { /* what diverges is worse than any number */
        j.ahead = b->diverged;
        j.word = claim->alike || a->diverged ? CONTRADICTED : SUPPORTED;
        j.why = "diverged";
        return j;
    }
    if (a->missing || b->missing) {
        j.why = a->missing ? a->missing : b->missing;
        return j;
    }
    pl_welch(&a->sample, &b->sample, level, &j.interval);
    j.n = a->sample.n < b->sample.n ? a->sample.n : b->sample.n;
    j.ahead = claim->lower ? j.interval.difference < 0 : j.interval.difference > 0;
    j.word = UNDECIDED;
    if (isnan(j.interval.low))
        j.why = j.n < 2 ? "n = 1" : "no deviation";
    if (claim->alike)
        return judge_alike(&j);
    double better = claim->lower ? -j.interval.high : j.interval.low,
           worse = claim->lower ? -j.interval.low : j.interval.high;
    if (better > 0)
        j.word = SUPPORTED;
    else if (worse < 0)
        j.word = CONTRADICTED;
    return j;
}

/* All pairs of a claim in all columns that it is about. */
static struct pair *find_pairs(const struct pl_published_claim *claim, struct pl_comparison *const *ours,
                               size_t ours_count, double level, size_t *count)
{
    size_t behind = claim->alike ? claim->ahead_count : claim->behind_count;
    struct pair *pairs = pl_new((claim->ahead_count * behind * claim->among_count + 1) * sizeof *pairs);
    *count = 0;
    for (size_t a = 0; a < claim->ahead_count; a++)
        for (size_t b = claim->alike ? a + 1 : 0; b < behind; b++)
            for (size_t k = 0; k < claim->among_count; k++) {
                const struct pl_published_line *x = &claim->ahead[a],
                                               *y = claim->alike ? &claim->ahead[b] : &claim->behind[b];
                const char *in = claim->among[k];
                struct side printed[] = {printed_side(x, in), printed_side(y, in)};
                struct side own[2];
                our_sides(x, y, in, ours, ours_count, own);
                pairs[(*count)++] = (struct pair){pl_published_line_name(x), pl_published_line_name(y), in,
                                                  judge(claim, &printed[0], &printed[1], level),
                                                  judge(claim, &own[0], &own[1], level)};
            }
    return pairs;
}

/* ---- what a claim comes to ---- */

struct verdict {
    size_t counts[WORD_COUNT], ahead;
    bool all; /* no pair is without a number */
};

static struct verdict add_up(const struct pair *pairs, size_t count, bool of_ours)
{
    struct verdict v = {0};
    for (size_t i = 0; i < count; i++) {
        const struct judged *j = of_ours ? &pairs[i].ours : &pairs[i].printed;
        v.counts[j->word]++;
        v.ahead += j->word != NO_NUMBER && j->ahead;
    }
    return v;
}

/* A claim about many pairs is supported where each is, and contradicted where one is. */
static const char *verdict_word(const struct verdict *v)
{
    size_t judged = v->counts[SUPPORTED] + v->counts[CONTRADICTED] + v->counts[UNDECIDED];
    return !judged                          ? "no numbers"
           : v->counts[CONTRADICTED]        ? words[CONTRADICTED]
           : v->counts[SUPPORTED] == judged ? words[SUPPORTED]
                                            : words[UNDECIDED];
}

static void add_verdict(struct pl_listing *l, const struct verdict *v)
{
    for (int w = 0; w < NO_NUMBER; w++)
        pl_listing_integer(l, (int64_t)v->counts[w]);
}

static void add_sentence(struct pl_text *out, const char *whose, const struct pl_published_claim *claim,
                         const struct verdict *v)
{
    size_t judged = v->counts[SUPPORTED] + v->counts[CONTRADICTED] + v->counts[UNDECIDED];
    pl_text_addf(out, "%s: %s", whose, verdict_word(v));
    if (judged) {
        pl_text_addf(out, ". Of %zu pair%s", judged, judged == 1 ? "" : "s");
        if (!claim->alike)
            pl_text_addf(out, " the first is better in %zu,", v->ahead);
        pl_text_addf(out, " %zu supported, %zu contradicted, %zu undecided", v->counts[SUPPORTED],
                     v->counts[CONTRADICTED], v->counts[UNDECIDED]);
    }
    if (v->counts[NO_NUMBER])
        pl_text_addf(out, "%s %zu without a number", judged ? ";" : ".", v->counts[NO_NUMBER]);
    pl_text_add(out, ".\n");
}

/* ---- what is listed ---- */

/* People see all but the last, which stands above. */
static const char *const pair_names[] = {
    "first",       "second",       "in",        "printed",         "ours",     "difference_printed",
    "low_printed", "high_printed", "n_printed", "difference_ours", "low_ours", "high_ours",
    "n_ours",      "claim",
};

static void add_word(struct pl_listing *l, const struct judged *j)
{
    struct pl_text word = {0};
    pl_text_add(&word, words[j->word]);
    if (*j->why)
        pl_text_addf(&word, *words[j->word] ? " (%s)" : "%s", j->why);
    pl_listing_text(l, pl_text(&word));
    pl_text_release(&word);
}

static void add_numbers(struct pl_listing *l, const struct judged *j, int digits)
{
    pl_listing_real(l, j->interval.difference, digits);
    pl_listing_real(l, j->interval.low, digits);
    pl_listing_real(l, j->interval.high, digits);
    if (j->n)
        pl_listing_integer(l, j->n);
    else
        pl_listing_real(l, NAN, 0);
}

static int digits_of(const struct pl_published_table *table)
{
    int digits = 2;
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        digits = table->cells[i].mean_digits > digits ? table->cells[i].mean_digits : digits;
    return digits;
}

static struct pl_listing *list_pairs(const struct pl_published_claim *claim, const char *source,
                                     const struct pair *pairs, size_t count, double level,
                                     const struct verdict *printed, const struct verdict *ours)
{
    struct pl_listing *l = pl_listing_new("pairs", source, pair_names, sizeof pair_names / sizeof *pair_names, 5);
    int digits = digits_of(claim->ahead[0].table);
    for (size_t i = 0; i < count; i++) {
        pl_listing_text(l, pairs[i].a);
        pl_listing_text(l, pairs[i].b);
        pl_listing_text(l, pairs[i].in);
        add_word(l, &pairs[i].printed);
        add_word(l, &pairs[i].ours);
        add_numbers(l, &pairs[i].printed, digits);
        add_numbers(l, &pairs[i].ours, digits);
        pl_listing_text(l, claim->name);
    }
    l->shown--;
    pl_text_addf(&l->caption, "%s: \"%s\" (%s%s%s)", claim->name, claim->sentence, source, claim->place ? ", " : "",
                 claim->place ? claim->place : "");
    if (claim->alike)
        pl_text_add(&l->notes, "All are said to be alike."); /* which way is better is not asked, and may not be told */
    else
        pl_text_addf(&l->notes, "The first is said to be better than the second; %s is better.",
                     claim->lower ? "lower" : "higher");
    pl_text_addf(&l->notes, " low and high: the %.4g%% interval of the difference (Welch).\n", 100 * level);
    add_sentence(&l->notes, "Printed numbers", claim, printed);
    add_sentence(&l->notes, "Ours", claim, ours);
    if (claim->note)
        pl_text_addf(&l->notes, "%s\n", claim->note);
    return l;
}

/* People see all but the last two. */
static const char *const claim_names[] = {
    "claim",
    "printed",
    "ours",
    "supported_printed",
    "contradicted_printed",
    "undecided_printed",
    "supported_ours",
    "contradicted_ours",
    "undecided_ours",
    "without_number_printed",
    "without_number_ours",
};

struct pl_listing **pl_claims_list(const struct pl_published *published, struct pl_comparison *const *ours,
                                   size_t ours_count, double level, size_t *count)
{
    struct pl_listing **listings = pl_new((published->claim_count + 1) * sizeof *listings);
    struct pl_listing *all = pl_listing_new("claims", published->name, claim_names,
                                            sizeof claim_names / sizeof *claim_names, 3);
    pl_text_addf(&all->caption, "What %s claims, on its numbers and on ours", published->name);
    pl_text_addf(
        &all->notes,
        "A pair is supported (or contradicted) where the %.4g%% interval of the difference lies on the side that is "
        "claimed (on the other), else undecided: chance makes such a difference, too. That two are alike is never "
        "shown by this. A claim is contradicted where one of its pairs is, and supported where all are that "
        "have numbers.\n",
        100 * level);
    all->shown -= 2;
    listings[0] = all;
    for (size_t i = 0; i < published->claim_count; i++) {
        const struct pl_published_claim *claim = &published->claims[i];
        size_t pair_count;
        struct pair *pairs = find_pairs(claim, ours, ours_count, level, &pair_count);
        struct verdict printed = add_up(pairs, pair_count, false), own = add_up(pairs, pair_count, true);
        pl_listing_text(all, claim->name);
        pl_listing_text(all, verdict_word(&printed));
        pl_listing_text(all, verdict_word(&own));
        add_verdict(all, &printed);
        add_verdict(all, &own);
        pl_listing_integer(all, (int64_t)printed.counts[NO_NUMBER]);
        pl_listing_integer(all, (int64_t)own.counts[NO_NUMBER]);
        listings[1 + i] = list_pairs(claim, published->name, pairs, pair_count, level, &printed, &own);
        free(pairs);
    }
    *count = 1 + published->claim_count;
    return listings;
}
