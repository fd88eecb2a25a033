/* The registry, which meson.build fills. */
#include "problem/problem_priv.h"

#include <string.h>

#define PL_PROBLEM(name) extern const struct pl_problem pl_problem_##name;
#include "problem_list.h"
#undef PL_PROBLEM

static const struct pl_problem *const problems[] = {
#define PL_PROBLEM(name) &pl_problem_##name,
#include "problem_list.h"
#undef PL_PROBLEM
};

size_t pl_problem_count(void)
{
    return sizeof problems / sizeof *problems;
}

const struct pl_problem *pl_problem_at(size_t index)
{
    return problems[index];
}

const struct pl_problem *pl_problem_find(const char *name)
{
    for (size_t i = 0; i < pl_problem_count(); i++)
        if (!strcmp(problems[i]->name, name))
            return problems[i];
    return NULL;
}
