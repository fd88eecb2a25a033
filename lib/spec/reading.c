/* Keys of a study that say how the output of its command is read, and for how long it may say nothing. They belong to no
 * run's key, as timeout does. */
#include "spec_priv.h"

#include <stdlib.h>
#include <string.h>

/* A time: a number of seconds, or of something that its unit says. */
bool pl_duration_read(struct reader *reader, const struct node *node, const char *what, double *seconds)
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
    struct node *any = own->pattern ? own->pattern : own->metrics_file ? own->metrics_file : own->error_too ? own->error_too
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
    if (stall && pl_duration_read(reader, stall, "stall", &seconds)) {
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
