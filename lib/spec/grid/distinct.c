/* Values that are given twice along one dimension. */
#include "spec/grid/distinct.h"

#include "spec/grid/hash.h"
#include "spec/grid/part.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct mark {
    uint64_t hash[2];
    size_t position;
};

static int by_hash(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->hash[0] != y->hash[0])
        return x->hash[0] < y->hash[0] ? -1 : 1;
    if (x->hash[1] != y->hash[1])
        return x->hash[1] < y->hash[1] ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Adds what a field is at every position to the marks. Expressions count as their text. */
static void mark_field(const struct field *field, const struct slot *slot, struct mark *marks)
{
    for (size_t i = 0; slot->cells && i < field->count; i++) {
        const struct cell *cell = &slot->cells[i];
        uint64_t own[2] = {slot->hashes[i][0], slot->hashes[i][1]};
        if (cell->expression) {
            struct pl_value text = {PL_STRING, {.string = cell->expression}};
            pl_value_hash(field->key, &text, own);
        }
        marks[i].hash[0] += own[0];
        marks[i].hash[1] += own[1];
    }
}

void pl_variant_check_distinct(struct reader *reader, const struct part *part, const struct variant *variant,
                               int number)
{
    size_t count = part->dimensions[number].count;
    struct mark *marks = pl_new(count * sizeof *marks);
    const struct field *first = NULL;
    size_t fields = 0;
    for (size_t i = 0; i < count; i++)
        marks[i].position = i;
    for (size_t f = 0; f < part->field_count; f++) {
        if (part->fields[f].dimension != number)
            continue;
        if (!variant->slots[f].cells) {
            first = NULL; /* unknown, so nothing can be said */
            break;
        }
        first = first ? first : &part->fields[f];
        mark_field(&part->fields[f], &variant->slots[f], marks);
        fields++;
    }
    qsort(marks, count, sizeof *marks, by_hash);
    for (size_t i = 1; first && i < count; i++) {
        const struct node *now = first->items[marks[i].position], *before = first->items[marks[i - 1].position];
        if (!memcmp(marks[i].hash, marks[i - 1].hash, sizeof marks[i].hash))
            pl_complain(&reader->complaints, now, "%s%s: this value was already given in line %u, column %u",
                        first->key, fields > 1 ? " (zipped)" : "", before->line, before->column);
    }
    free(marks);
}

void pl_part_check_choices(struct reader *reader, struct part *part, int number)
{
    size_t count = part->dimensions[number].count;
    struct mark *marks = pl_new(count * sizeof *marks);
    const struct field *first = NULL;
    bool others = false;
    for (size_t f = 0; f < part->field_count; f++) {
        const struct field *field = &part->fields[f];
        if (field->dimension != number)
            continue;
        others = others || !field->choice;
        first = first ? first : field;
        for (size_t i = 0; i < count && field->choice; i++) {
            uint64_t own[2] = {0, 0};
            const struct node *value = pl_field_value(field, i);
            if (value)
                pl_hash_add_node(value, own);
            marks[i].position = i;
            marks[i].hash[0] += pl_hash_mix(own[0] + f);
            marks[i].hash[1] += pl_hash_mix(own[1] + f);
        }
    }
    qsort(marks, count, sizeof *marks, by_hash);
    for (size_t i = 1; first && i < count; i++) {
        const struct node *now = first->items[marks[i].position], *before = first->items[marks[i - 1].position];
        if (memcmp(marks[i].hash, marks[i - 1].hash, sizeof marks[i].hash))
            continue;
        if (others)
            part->may_repeat = true; /* its companions may differ */
        else
            pl_complain(&reader->complaints, now, "%s: this value was already given in line %u, column %u", first->key,
                        before->line, before->column);
    }
    free(marks);
}
