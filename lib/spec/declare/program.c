/* How the command of a study is run and read as a program. */
#include "spec/declare/program.h"

#include "spec/grid/grid.h"
#include "spec/grid/part.h"
#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool pl_timeout_read(struct reader *reader, const struct node *node, const char *what, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    if (node->kind == NODE_SCALAR) {
        size_t digits = strspn(node->text, "0123456789.eE+-");
        char *number = pl_copy_bytes(node->text, digits);
        const char *unit = node->text + digits + strspn(node->text + digits, " ");
        double value;
        bool good = pl_number_read(number, &value) && value > 0 && value <= 1e9;
        free(number);
        for (size_t i = 0; good && i < sizeof units / sizeof *units; i++)
            if (!strcmp(unit, units[i].unit)) {
                *seconds = value * units[i].seconds;
                return true;
            }
    }
    pl_complain(&reader->complaints, node, "%s must be a time, such as 90 (seconds), 10m or 2h", what);
    return false;
}

static void add_key(struct pl_text *json, const char *key)
{
    pl_text_addf(json, "%s\"%s\":", json->length ? "," : "", key);
}

static void read_patterns(struct reader *reader, struct node *node, struct pl_text *json)
{
    size_t count;
    struct node **items = pl_node_list(&node, &count);
    add_key(json, "pattern");
    for (size_t i = 0; i < count; i++) {
        const char *text = pl_node_text(reader, items[i], "pattern");
        pl_text_add(json, i ? "," : "[");
        pl_text_add_json(json, text ? text : "");
    }
    pl_text_add(json, count ? "]" : "[]");
}

static void read_error_too(struct reader *reader, const struct node *node, struct pl_text *json)
{
    static const struct pl_setting setting = {.key = "stderr", .type = PL_BOOLEAN};
    struct cell cell;
    if (!pl_cell_read(reader, "stderr", &setting, node, &cell) || !cell.value.boolean)
        return;
    add_key(json, "stderr");
    pl_text_add(json, "true");
}

static bool is_command(const struct pl_study *study)
{
    for (size_t p = 0; p < study->grid->part_count; p++)
        for (size_t v = 0; v < study->grid->parts[p].variant_count; v++)
            if (pl_settings_find(&study->grid->parts[p].variants[v].settings, "command"))
                return true;
    return false;
}

void pl_reading_read(struct reader *reader, const struct content *defaults, const struct content *content,
                     struct pl_study *study)
{
    const struct reading_nodes *own = &content->reading, *shared = defaults ? &defaults->reading : own;
    struct node *pattern = own->pattern ? own->pattern : shared->pattern;
    struct node *file = own->metrics_file ? own->metrics_file : shared->metrics_file;
    struct node *error_too = own->error_too ? own->error_too : shared->error_too;
    struct node *stall = own->stall ? own->stall : shared->stall;
    struct node *any = own->pattern        ? own->pattern
                       : own->metrics_file ? own->metrics_file
                       : own->error_too    ? own->error_too
                                           : own->stall;
    struct pl_text json = {0};
    struct pl_error err;
    double seconds;
    size_t before = pl_complaint_count(&reader->complaints);
    if (any && !before && !is_command(study))
        pl_complain(&reader->complaints, any, "pattern, metrics_file, stderr and stall are for studies of a command");
    if (file) {
        const char *text = pl_node_text(reader, file, "metrics_file");
        add_key(&json, "metrics_file");
        pl_text_add_json(&json, text ? text : "");
    }
    if (pattern)
        read_patterns(reader, pattern, &json);
    if (stall && pl_timeout_read(reader, stall, "stall", &seconds)) {
        add_key(&json, "stall");
        pl_text_add_number(&json, seconds);
    }
    if (error_too)
        read_error_too(reader, error_too, &json);
    if (json.length && is_command(study)) {
        struct pl_text object = {0};
        pl_text_addf(&object, "{%s}", pl_text(&json));
        study->reading = pl_pool_copy(reader->pool, pl_text(&object));
        if (before == pl_complaint_count(&reader->complaints) && pl_train_check_reading(study->reading, &err))
            pl_complain(&reader->complaints, pattern ? pattern : any ? any : file, "%s", err.text);
        pl_text_release(&object);
    }
    pl_text_release(&json);
}

void pl_epochs_read(struct reader *reader, struct pl_study *study, const struct node *node)
{
    static const struct pl_setting whole = {.key = "epochs", .type = PL_INTEGER, .range = "[1,1000000000]"};
    size_t length = node->kind == NODE_SCALAR ? strlen(node->text) : 0;
    struct cell cell;
    if (length > 2 && node->text[0] == '{' && node->text[length - 1] == '}') {
        char *key = pl_pool_new(reader->pool, length, 1);
        memcpy(key, node->text + 1, length - 2);
        study->epochs_key = key;
    } else if (pl_cell_read(reader, "epochs", &whole, node, &cell)) {
        if (cell.expression)
            pl_complain(&reader->complaints, node,
                        "epochs must be a whole number, or a setting in braces, as in "
                        "epochs: \"{epochs}\"");
        else
            study->epochs = (double)cell.value.integer;
    }
}

void pl_epochs_check(struct reader *reader, const struct pl_study *study, const struct node *own)
{
    for (size_t p = 0; p < study->grid->part_count; p++) {
        const struct part *part = &study->grid->parts[p];
        for (size_t v = 0; v < part->variant_count; v++) {
            const struct variant *variant = &part->variants[v];
            if (!variant->good)
                continue;
            if (own && !variant->schema.free_settings) {
                pl_complain(&reader->complaints, own, "epochs beside task is for commands; write task: {epochs: ...}");
                return;
            }
            if (study->epochs_key && variant->schema.free_settings &&
                pl_variant_entry(variant, study->epochs_key) == SIZE_MAX) {
                pl_complain(&reader->complaints, own, "epochs: there is no setting %.100s here", study->epochs_key);
                return;
            }
        }
    }
}
