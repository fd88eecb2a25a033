/* The registry, which meson.build fills. */
#include "problem/problem_priv.h"

#define PL_PROBLEM(name) extern const struct pl_problem pl_problem_##name;
#include "problem_list.h"
#undef PL_PROBLEM

static const void *const problems[] = {
#define PL_PROBLEM(name) &pl_problem_##name,
#include "problem_list.h"
#undef PL_PROBLEM
};

const struct pl_registry pl_problem_registry = PL_REGISTRY("problem", problems, struct pl_problem, name);

size_t pl_problem_count(void)
{
    return pl_problem_registry.count;
}

const struct pl_problem *pl_problem_at(size_t index)
{
    return problems[index];
}

const struct pl_problem *pl_problem_find(const char *name)
{
    return pl_registry_find(&pl_problem_registry, name);
}
