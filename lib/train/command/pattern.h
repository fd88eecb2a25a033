/* Patterns of the user's own for lines that no rule foresees (PCRE2). */
#ifndef PL_TRAIN_PATTERN_H
#define PL_TRAIN_PATTERN_H

#include "train/command/line.h"

struct pl_pattern;

/* Compiles a pattern. Named groups are metrics, or positions (epoch, step, ...); a group `name` has the name of the
 * metric whose number the group `value` has. Fails with PL_EINPUT, and says where. */
int pl_pattern_new(struct pl_pattern **pattern, const char *text, struct pl_error *err);
/* Reads all matches of the pattern in a clean line into lines (one line, which replaces what was there). Returns
 * whether there is a match; a pattern without named groups only passes over its lines. */
bool pl_pattern_read(const struct pl_pattern *pattern, const char *text, struct pl_lines *lines);
void pl_pattern_free(struct pl_pattern *pattern);

#endif
