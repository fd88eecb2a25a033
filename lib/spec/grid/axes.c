/* Which settings of a study vary. */
#include "spec/grid/axes.h"

#include "spec/grid/grid.h"
#include "spec/grid/part.h"
#include "spec/grid/pick.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

#include <string.h>

/* Does the key take one value in one part and another elsewhere? */
static bool differs(const struct pl_study_grid *grid, const struct field *field)
{
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t f = 0; f < grid->parts[p].field_count; f++) {
            const struct field *other = &grid->parts[p].fields[f];
            if (strcmp(other->key, field->key))
                continue;
            const struct node *a = pl_field_value(field, 0), *b = pl_field_value(other, 0);
            if (a != b && a && b && (a->kind != NODE_SCALAR || b->kind != NODE_SCALAR || strcmp(a->text, b->text)))
                return true;
        }
    return false;
}

void pl_axes_read(struct reader *reader, struct pl_study *study)
{
    const struct pl_study_grid *grid = study->grid;
    size_t most = 0;
    for (size_t p = 0; p < grid->part_count; p++)
        most += grid->parts[p].field_count;
    study->axes = pl_pool_new(reader->pool, most, sizeof *study->axes);
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t f = 0; f < grid->parts[p].field_count; f++) {
            const struct field *field = &grid->parts[p].fields[f];
            bool known = false;
            for (size_t i = 0; i < study->axis_count && !known; i++)
                known = !strcmp(study->axes[i], field->key);
            bool picked = field->drawn || pl_is_pick(pl_field_value(field, 0));
            if (!known && (field->count > 1 || picked || differs(grid, field)))
                study->axes[study->axis_count++] = (char *)field->key;
        }
}
