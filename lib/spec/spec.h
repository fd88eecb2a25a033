/* spec: a YAML sweep file as studies (lib/study), each a grid of checked settings (the only user of yaml.h).
 *
 * A spec is parsed and checked whole before anything runs: every problem found is reported with
 * file:line:column, the key, and what would be legal. The grid is never held in memory: a walk gives one
 * configuration after another, in document order, the last axis fastest, seeds inside configurations. */
#ifndef PL_SPEC_H
#define PL_SPEC_H

#include "base/base.h"
#include "study/published.h"
#include "study/study.h"
#include "train/train.h"

struct pl_spec;

/* Loads and checks a spec. On PL_EINPUT, problems holds every complaint, one per line, each starting
 * with "file:line:column: ". path "-" reads standard input. scale: the size in which every study is wanted, which
 * each must then have (docs/specs.md, "scale"; the studies are called NAME-SCALE); NULL: as written. */
int pl_spec_load(struct pl_spec **spec, const char *path, const char *scale, struct pl_text *problems,
                 struct pl_error *err);
/* The same from text (name is used in complaints). */
int pl_spec_parse(struct pl_spec **spec, const char *text, size_t length, const char *name, struct pl_text *problems,
                  struct pl_error *err);
int pl_spec_parse_scaled(struct pl_spec **spec, const char *text, size_t length, const char *name, const char *scale,
                         struct pl_text *problems, struct pl_error *err);
/* Only names, tables, figures, metrics and seeds, without walking the grid (configs and runs are 0): for
 * reports from a spec kept in the database. Every study is followed by itself in each of its scales. */
int pl_spec_parse_declarations(struct pl_spec **spec, const char *text, size_t length, const char *name,
                               struct pl_text *problems, struct pl_error *err);
void pl_spec_free(struct pl_spec *spec);

/* The value that a pick has in a run with these settings, of which those are left out that are picked or computed
 * themselves; every walk asks again, and must be told the same. Texts must live as long as the study is walked. Fails
 * where the table has chosen nothing for such a run. */
typedef int pl_pick_value(void *self, const struct pl_pick *pick, const struct pl_settings *settings,
                          struct pl_value *value, struct pl_error *err);
/* Gives a waiting study its values and checks the grid anew. From then on walks call value, and configs and runs are
 * exact. On PL_EINPUT problems has every complaint, and the study goes on waiting. */
int pl_spec_settle(struct pl_spec *spec, size_t index, pl_pick_value *value, void *self, struct pl_text *problems,
                   struct pl_error *err);

/* Makes it wait again, when its values are not to be asked for any more; one that was never settled is left alone. */
void pl_spec_unsettle(struct pl_spec *spec, size_t index);

const char *pl_spec_text(const struct pl_spec *spec); /* the file's text as read */
/* What looks like a slip in a study of a command, a line each: settings, axes and seeds that no word of the command
 * uses; with words, also those words that are empty in some runs. */
void pl_spec_notes(const struct pl_study *study, bool words, struct pl_text *notes);
/* A line for each metric that the study names and none of its tasks records, where no program is started. */
void pl_spec_unrecorded_notes(const struct pl_study *study, struct pl_text *notes);
/* A line that says which settings, and the seed, change nothing in some runs of a study (struct pl_setting, idle_when),
 * and how many runs are another one's training for that reason; nothing where there are none. Looks at the first
 * 100,000 runs. A waiting study is passed over. */
void pl_spec_idle_notes(const struct pl_study *study, struct pl_text *notes);
size_t pl_spec_study_count(const struct pl_spec *spec);
const struct pl_study *pl_spec_study(const struct pl_spec *spec, size_t index);

/* Loads a file of published numbers. Complaints as for a spec. */
int pl_published_load(struct pl_published **published, const char *path, struct pl_text *problems,
                      struct pl_error *err);

/* A walk over the configurations of a study. */
struct pl_walk;
struct pl_walk *pl_walk_new(const struct pl_study *study);
/* Points that were drawn again come again: a configuration comes as often as it was drawn, which statistics of a search
 * count. */
void pl_walk_with_repeats(struct pl_walk *walk);
/* The next configuration: complete checked settings (owned by the walk, valid until the next call) and
 * the seeds to run it with. Returns 1 at the end, 0 otherwise. */
int pl_walk_next(struct pl_walk *walk, const struct pl_settings **settings, const int64_t **seeds, size_t *seed_count);
/* Where the configuration that came last stands in a study that stops runs early: those of one group compete (seed by
 * seed), and index counts them (a point of a search keeps it when points are added). */
struct pl_walk_place {
    uint64_t group, index;
};
void pl_walk_where(const struct pl_walk *walk, struct pl_walk_place *place);
void pl_walk_free(struct pl_walk *walk);

#endif
