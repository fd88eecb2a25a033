/* Numbers as text, the same in every locale. */
#ifndef PL_BASE_NUMBER_H
#define PL_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_NUMBER_SIZE = 32 };

/* Writes the shortest decimal spelling that reads back to the same double ("0.1", "1e-08", "inf",
 * "-inf", "nan"; -0.0 is "-0") and returns its length. */
size_t pl_number_write(double value, char spelling[PL_NUMBER_SIZE]);

/* Reads a number in every spelling that a spec may use: 1e-3, 1E-3, .001, +1e-3, 5., .inf, -.Inf,
 * inf. Refuses what YAML versions disagree about (010, 1:30, 1_000, 0x10) and anything else.
 * Returns whether text is such a number. NaN is never one. A finite spelling that overflows (1e999)
 * is refused; one that underflows gives zero or a subnormal. */
bool pl_number_read(const char *text, double *value);

/* A whole number within int64, in plain digits with an optional sign (no leading zero). */
bool pl_integer_read(const char *text, int64_t *value);

/* Counts such as 10M, 1.5k, 2G (powers of 1,000) as commands take them. */
bool pl_count_read(const char *text, int64_t *value);

#endif
