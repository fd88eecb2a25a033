#include "data/data.h"

const char *pl_split_name(enum pl_split split)
{
    static const char *const names[PL_SPLIT_COUNT] = {"train", "valid", "test"};
    return names[split];
}

const char *pl_data_state_name(enum pl_data_state state)
{
    static const char *const names[] = {"built in", "ready", "unchecked", "missing", "broken"};
    return names[state];
}
