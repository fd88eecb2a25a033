/* How programs that are not poula's own are told their number of threads: by the variables that OpenMP and the BLAS
 * libraries read. */
#include "sweep/sweep.h"

#include <stdlib.h>

static const char *const variables[] = {"OMP_NUM_THREADS",  "OPENBLAS_NUM_THREADS",   "MKL_NUM_THREADS",
                                        "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"};
enum { VARIABLE_COUNT = sizeof variables / sizeof *variables };

static const char *given(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

const char *pl_threads_variable(size_t index, bool insist)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if ((insist || !given(variables[i])) && !index--)
            return variables[i];
    return NULL;
}

void pl_threads_given(struct pl_text *out)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if (given(variables[i]))
            pl_text_addf(out, "%s%s=%s", out->length ? " " : "", variables[i], given(variables[i]));
}
