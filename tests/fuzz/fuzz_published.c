/* Published numbers: a file is refused with reasons, or all of its tables can be looked at. */
#include "fuzz.h"
#include "spec/spec.h"

#include <math.h>
#include <string.h>

static void look_at(const struct pl_published_table *table)
{
    MUST(table->name && *table->name && table->runs > 0 && table->unit > 0);
    for (size_t i = 0; i < table->row_count; i++)
        MUST(table->rows[i] && *table->rows[i]);
    for (size_t i = 0; i < table->column_count; i++)
        MUST(table->columns[i] && *table->columns[i]);
    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        const struct pl_published_cell *cell = &table->cells[i];
        MUST(!isinf(cell->mean) && !(cell->deviation < 0));
        MUST(isnan(cell->mean) ? isnan(cell->deviation) : cell->mean_digits >= 0);
        for (size_t k = 0; k < cell->where_count; k++)
            MUST(cell->where[k].key && cell->where[k].count == 1 &&
                 pl_condition_admits(&cell->where[k], &cell->where[k].values[0]));
    }
}

static void look_at_lines(const struct pl_published *published, const struct pl_published_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        MUST(lines[i].table >= published->tables && lines[i].table < published->tables + published->count);
        MUST(*pl_published_line_name(&lines[i]) && lines[i].is_column == lines[0].is_column);
    }
}

static void look_at_claim(const struct pl_published *published, const struct pl_published_claim *claim)
{
    MUST(claim->name && claim->sentence && claim->ahead_count && (claim->alike || claim->behind_count));
    look_at_lines(published, claim->ahead, claim->ahead_count);
    look_at_lines(published, claim->behind, claim->behind_count);
    for (size_t i = 0; i < claim->among_count; i++)
        MUST(pl_published_cell_of(claim->ahead, claim->among[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pl_published *published = NULL;
    struct pl_text problems = {0};
    struct pl_error err = {0};
    int status = pl_published_load(&published, fuzz_file("p.yaml", data, size), &problems, &err);
    fuzz_must_say(status, &err);
    MUST((status == 0) == (problems.length == 0) && (status == 0) == (published != NULL));
    for (size_t i = 0; !status && i < published->count; i++) {
        const struct pl_published_table *table = &published->tables[i];
        look_at(table);
        MUST(pl_published_find(published, table->name) == table);
    }
    for (size_t i = 0; !status && i < published->claim_count; i++)
        look_at_claim(published, &published->claims[i]);
    pl_published_free(published);
    pl_text_release(&problems);
    return 0;
}
