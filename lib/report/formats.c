/* The list of formats, and tables and comparisons in one of them. */
#include "report/format.h"
#include "report/report.h"

#define PL_FORMAT_ADDRESS(name, kind) &pl_format_##name,
static const void *const formats[] = {PL_FORMATS(PL_FORMAT_ADDRESS)};
const struct pl_registry pl_format_registry = PL_REGISTRY("format", formats, struct pl_format, name);

const struct pl_format *pl_format_at(size_t index)
{
    return formats[index];
}

const struct pl_format *pl_format_find(const char *name)
{
    return pl_registry_find(&pl_format_registry, name);
}

void pl_table_write(struct pl_table *const *tables, size_t count, const struct pl_format *format, struct pl_text *out)
{
    pl_text_add(out, format->tables.begin);
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, i ? format->tables.between : "");
        format->table(tables[i], out);
    }
    pl_text_add(out, format->tables.end);
}

void pl_listing_write(struct pl_listing *const *listings, size_t count, const struct pl_format *format,
                      struct pl_text *out)
{
    pl_text_add(out, format->comparisons.begin);
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, i ? format->comparisons.between : "");
        format->listing(listings[i], out);
    }
    pl_text_add(out, format->comparisons.end);
}

void pl_comparison_write(struct pl_comparison *const *comparisons, size_t count, const struct pl_format *format,
                         struct pl_text *out)
{
    pl_text_add(out, format->comparisons.begin);
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, i ? format->comparisons.between : "");
        format->comparison(comparisons[i], out);
    }
    pl_text_add(out, format->comparisons.end);
}
