#include "spec/grid/compete.h"

#include "spec/grid/part.h"
#include "spec/grid/walk.h"
#include "spec/spec.h"
#include "train/train.h"

/* Does a field of the dimension say that its runs are not to be compared, or is it named? */
static bool competes(const struct part *part, size_t dimension, const struct pl_names *over)
{
    bool any = false, named = false, apart = false;
    for (size_t f = 0; f < part->field_count; f++) {
        const struct field *field = &part->fields[f];
        if (field->dimension != (int)dimension)
            continue;
        any = true;
        named = named || (over && pl_names_have(over, field->key));
        apart = apart || pl_train_roles(field->key) & (PL_CHOOSES | PL_SAYS_TASK);
    }
    if (over)
        return named;
    return part->drawn_count ? part->dimensions[dimension].drawn : any && !apart;
}

uint64_t pl_compete(struct pl_study_grid *grid, const struct pl_names *over)
{
    uint64_t most = 0;
    for (size_t p = 0; p < grid->part_count; p++) {
        struct part *part = &grid->parts[p];
        uint64_t count = 1;
        for (size_t i = 0; i < part->dimension_count; i++) {
            part->dimensions[i].competes = competes(part, i, over);
            count *= part->dimensions[i].competes ? part->dimensions[i].count : 1;
        }
        most = count > most ? count : most;
    }
    return most;
}

void pl_walk_where(const struct pl_walk *walk, struct pl_walk_place *place)
{
    const struct pl_study_grid *grid = walk->grid;
    *place = (struct pl_walk_place){0};
    for (size_t p = 0; p <= walk->position.part; p++) {
        const struct part *part = &grid->parts[p];
        uint64_t groups = 1, group = 0, others = 1, other = 0, drawn = 0;
        for (size_t i = 0; i < part->dimension_count; i++) {
            const struct dimension *dimension = &part->dimensions[i];
            size_t at = walk->position.at[i];
            if (dimension->competes && dimension->drawn) {
                drawn = at;
            } else if (dimension->competes) {
                others *= dimension->count;
                other = other * dimension->count + at;
            } else {
                groups *= dimension->count;
                group = group * dimension->count + at;
            }
        }
        place->group += p == walk->position.part ? group : groups;
        place->index = drawn * others + other; /* points that are added come behind all others */
    }
}
