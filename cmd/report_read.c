/* poula report: its options. */
#include "cmd_results.h"
#include "report_parts.h"

#include "base/share.h"

#include <string.h>

/* --compare, --claims and --level. A name without a slash that is no file here stands for a file that is installed. */
static bool read_published(struct pl_report *r)
{
    bool claims = pl_args_has(r->args, "claims");
    const char *given = pl_args_get(r->args, "compare", claims ? "published" : NULL);
    struct pl_text path = {0}, problems = {0};
    struct pl_error err = {0};
    if (!pl_args_real(r->args, "level", 0.01, 0.9999, 0.95, &r->level))
        return false;
    if (!given)
        return true;
    int status = 0;
    if (!strcmp(given, "published"))
        status = pl_share_find("experiments/paper/published.yaml", &path, &err);
    else
        pl_text_add(&path, given);
    if (!status)
        status = pl_published_load(&r->published, pl_text(&path), &problems, &err);
    if (problems.length)
        pl_cmd_lines(stderr, pl_text(&problems));
    else if (status)
        pl_cmd_fail(r->args, &err);
    if (!status && claims && !r->published->claim_count) {
        pl_cmd_note("poula report: %s has no claims", pl_text(&path));
        status = PL_EINPUT;
    }
    pl_text_release(&path);
    pl_text_release(&problems);
    return !status;
}

/* Options that a listing has no use for are refused, and not ignored. */
static bool read_kind(struct pl_report *r)
{
    static const char *const kinds[] = {"pairs", "ranks", "profile", "tuning", "claims"};
    static const struct {
        const char *option, *listings;
    } useless[] = {
        {"caption", "pairs ranks profile tuning claims"},
        {"label", "pairs ranks profile tuning claims"},
        {"digits", "ranks profile claims"},
        {"cell", "tuning claims"},
        {"best", "tuning claims"},
        {"over", "tuning claims"},
        {"by", "tuning claims"},
        {"unit", "claims"},
        {"labels", "claims"},
    };
    size_t asked = 0;
    for (int i = 0; i < 5; i++)
        if (pl_args_has(r->args, kinds[i])) {
            r->kind = PL_REPORT_PAIRS + i;
            asked++;
        }
    if (asked > 1) {
        pl_cmd_usage_error(r->args, "--pairs, --ranks, --profile, --tuning and --claims exclude each other");
        return false;
    }
    for (size_t i = 0; asked && i < sizeof useless / sizeof *useless; i++)
        if (pl_args_has(r->args, useless[i].option) && strstr(useless[i].listings, kinds[r->kind - PL_REPORT_PAIRS])) {
            pl_cmd_usage_error(r->args, "--%s has no effect on --%s", useless[i].option,
                               kinds[r->kind - PL_REPORT_PAIRS]);
            return false;
        }
    return true;
}

/* --test, --correct and --level, which act on declared tables as well. */
static bool read_tests(struct pl_report *r)
{
    struct pl_test_spec *compare = &r->own.compare;
    const char *test = pl_args_get(r->args, "test", NULL), *correct = pl_args_get(r->args, "correct", NULL);
    *compare = (struct pl_test_spec){.wanted = test, .confidence = r->level};
    if (test)
        compare->test = (enum pl_test_kind)pl_cmd_word_of(test, pl_test_names, PL_TEST_COUNT);
    if (correct)
        compare->correct = (enum pl_correction)pl_cmd_word_of(correct, pl_correction_names, PL_CORRECTION_COUNT);
    bool has_level = pl_args_has(r->args, "level"), asked = r->kind != PL_REPORT_TABLES;
    const char *wrong = r->published && (test || (asked && r->kind != PL_REPORT_CLAIMS))
                            ? "--compare goes with no test and no other listing"
                        : correct && !test && r->kind != PL_REPORT_PAIRS ? "--correct is for --test and --pairs"
                        : has_level && !test && !r->published && (!asked || r->kind == PL_REPORT_PROFILE)
                            ? "--level is for --compare, --test, --pairs, --ranks and --tuning"
                        : pl_args_has(r->args, "tau-max") && r->kind != PL_REPORT_PROFILE ? "--tau-max is for --profile"
                        : pl_args_has(r->args, "band") && r->kind != PL_REPORT_TUNING     ? "--band is for --tuning"
                                                                                          : NULL;
    if (!pl_args_real(r->args, "tau-max", 1.000001, 1e9, 4, &r->tau_max))
        return false;
    r->band = (enum pl_band_kind)pl_cmd_word_of(pl_args_get(r->args, "band", "ld"), pl_band_names, PL_BAND_COUNT);
    if (wrong)
        pl_cmd_usage_error(r->args, "%s", wrong);
    return !wrong;
}

bool pl_report_read(struct pl_report *r)
{
    const char *value = pl_args_get(r->args, "value", NULL);
    const char *metric = NULL;
    int64_t digits;
    if (value && !pl_select_read(value, &r->own.select, &metric)) {
        pl_cmd_usage_error(r->args, "--value is '%s', but must be a metric, as in \"loss\" or \"last loss\"", value);
        return false;
    }
    r->any_select = metric && metric != value;
    if (pl_args_has(r->args, "select")) {
        pl_cmd_read_select(r->args, &r->own.select);
        r->any_select = true;
    }
    if (!pl_args_integer(r->args, "digits", 0, 15, -1, &digits))
        return false;
    r->any_digits = digits >= 0;
    r->own.digits = (int)digits;
    r->own.metric = pl_copy(metric);
    r->own.cell = pl_copy(pl_args_get(r->args, "cell", NULL));
    if (!pl_cmd_read_look(r->args, &r->own, &r->any_unit))
        return false;
    pl_names_read(pl_args_get(r->args, "rows", NULL), &r->own.rows);
    pl_names_read(pl_args_get(r->args, "columns", NULL), &r->own.columns);
    if (!pl_cmd_read_choice(r->args, &r->own.choose))
        return false;
    r->ad_hoc = r->own.rows.count || r->own.columns.count || metric;
    if (r->ad_hoc && (pl_args_has(r->args, "compare") || pl_args_has(r->args, "claims"))) {
        pl_cmd_usage_error(
            r->args, "--compare and --claims take tables that the spec declares: no --rows, --columns or --value");
        return false;
    }
    return read_kind(r) && read_published(r) && read_tests(r) && pl_cmd_read_target(r->args, &r->target) &&
           pl_cmd_read_where(r->args, &r->own.where, &r->own.where_count);
}
