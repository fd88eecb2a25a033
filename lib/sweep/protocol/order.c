/* What a worker is told. */
#include "sweep/protocol/cursor.h"

#include <stdlib.h>

/* Of what earlier attempts have left: first and last, by axis. */
enum { KEPT_NUMBERS = 2 * PL_AXIS_COUNT };
_Static_assert(sizeof(struct pl_kept) == 2 * sizeof(double), "written as so many numbers");

void pl_order_write(const struct pl_order *order, struct pl_text *out)
{
    pl_add_field(out, "{\"run\":", order->run);
    pl_add_field(out, ",\"seed\":", order->seed);
    pl_add_field(out, ",\"threads\":", order->threads);
    if (order->slot)
        pl_add_field(out, ",\"slot\":", order->slot);
    if (order->same_isa)
        pl_text_add(out, ",\"same_isa\":true");
    if (order->grace > 0) {
        pl_text_add(out, ",\"grace\":");
        pl_text_add_number(out, order->grace);
    }
    if (order->limit > 0) {
        pl_text_add(out, ",\"timeout\":");
        pl_text_add_number(out, order->limit);
    }
    if (order->folder) {
        pl_text_add(out, ",\"folder\":");
        pl_text_add_json(out, order->folder);
    }
    if (order->owner) {
        pl_text_add(out, ",\"owner\":");
        pl_text_add_json(out, order->owner);
    }
    if (order->epochs > 0) {
        pl_text_add(out, ",\"epochs\":");
        pl_text_add_number(out, order->epochs);
    }
    if (order->until > 0) {
        pl_text_add(out, ",\"until\":");
        pl_text_add_number(out, order->until);
    }
    if (order->restart)
        pl_text_add(out, ",\"restart\":true");
    if (order->continued) {
        pl_text_add(out, ",\"kept\":\"");
        pl_bits_write(&order->kept[0].first, KEPT_NUMBERS, out);
        pl_text_add_char(out, '"');
    }
    if (order->reading) {
        pl_text_add(out, ",\"reading\":");
        pl_text_add_json(out, order->reading);
    }
    if (order->home) {
        pl_text_add(out, ",\"home\":");
        pl_text_add_json(out, order->home);
    }
    if (order->data) {
        pl_text_add(out, ",\"data\":");
        pl_text_add_json(out, order->data);
    }
    if (order->settings) {
        pl_text_add(out, ",\"settings\":");
        pl_text_add(out, order->settings);
    }
    pl_text_add(out, "}\n");
}

int pl_message_read(const char *line, size_t length, enum pl_message *kind, int64_t *run, struct pl_error *err)
{
    static const char run_first[] = "{\"run\":";
    if (length + 1 == sizeof PL_RECALL_LINE - 1 && !memcmp(line, PL_RECALL_LINE, length)) {
        *kind = PL_MESSAGE_RECALL;
    } else if (length + 1 == sizeof PL_STOP_LINE - 1 && !memcmp(line, PL_STOP_LINE, length)) {
        *kind = PL_MESSAGE_STOP;
    } else if (!strncmp(line, run_first, sizeof run_first - 1)) {
        *kind = PL_MESSAGE_ORDER;
        *run = strtoll(line + sizeof run_first - 1, NULL, 10);
    } else {
        return pl_fail(err, PL_ECORRUPT, "a line is not an order: %.100s", line);
    }
    return 0;
}

static bool take_kept(struct pl_cursor *c, struct pl_order *order)
{
    order->continued = pl_cursor_skip(c, ",\"kept\":\"");
    if (!order->continued)
        return true;
    if (c->end - c->at < 16 * KEPT_NUMBERS || !pl_bits_read(c->at, KEPT_NUMBERS, &order->kept[0].first))
        return false;
    c->at += 16 * KEPT_NUMBERS;
    return pl_cursor_skip(c, "\"");
}

bool pl_order_is_of_command(const char *text)
{
    return strstr(text, "\"command\":") != NULL; /* in a text, quotes have a backslash before them */
}

static bool read_order(struct pl_cursor *c, struct pl_order *order)
{
    int64_t threads = 1, slot = 0;
    if (!pl_cursor_skip(c, "{\"run\":") || !pl_cursor_integer(c, &order->run) || !pl_cursor_skip(c, ",\"seed\":") ||
        !pl_cursor_integer(c, &order->seed) || !pl_cursor_skip(c, ",\"threads\":") || !pl_cursor_integer(c, &threads) ||
        threads < 1 || threads > 1 << 20)
        return false;
    if (pl_cursor_skip(c, ",\"slot\":") && (!pl_cursor_integer(c, &slot) || slot < 0 || slot > 1 << 20))
        return false;
    order->same_isa = pl_cursor_skip(c, ",\"same_isa\":true");
    if ((pl_cursor_skip(c, ",\"grace\":") && (!pl_cursor_real(c, &order->grace) || order->grace < 0)) ||
        (pl_cursor_skip(c, ",\"timeout\":") && (!pl_cursor_real(c, &order->limit) || order->limit < 0)))
        return false;
    order->threads = (int)threads;
    order->slot = (int)slot;
    if ((pl_cursor_skip(c, ",\"folder\":") && !(order->folder = pl_cursor_string(c))) ||
        (pl_cursor_skip(c, ",\"owner\":") && !(order->owner = pl_cursor_string(c))) ||
        (pl_cursor_skip(c, ",\"epochs\":") && !pl_cursor_real(c, &order->epochs)) ||
        (pl_cursor_skip(c, ",\"until\":") && !pl_cursor_real(c, &order->until)))
        return false;
    order->restart = pl_cursor_skip(c, ",\"restart\":true");
    if (!take_kept(c, order))
        return false;
    if ((pl_cursor_skip(c, ",\"reading\":") && !(order->reading = pl_cursor_string(c))) ||
        (pl_cursor_skip(c, ",\"home\":") && !(order->home = pl_cursor_string(c))) ||
        (pl_cursor_skip(c, ",\"data\":") && !(order->data = pl_cursor_string(c))))
        return false;
    return pl_cursor_skip(c, ",\"settings\":{") && c->end - c->at >= 2 && c->end[-1] == '}';
}

int pl_order_read(char *line, size_t length, struct pl_order_reader *reader, struct pl_order *order,
                  struct pl_error *err)
{
    struct pl_cursor c = {line, line + length};
    *order = (struct pl_order){0};
    if (!read_order(&c, order))
        return pl_fail(err, PL_ECORRUPT, "run %lld: an order cannot be read", (long long)order->run);
    c.end[-1] = '\0'; /* of the order; what is left is the object of the settings */
    order->settings = c.at - 1;
    if (reader->text.length && !strcmp(reader->text.text, order->settings))
        return 0; /* runs of one configuration follow each other */
    pl_text_clear(&reader->text);
    reader->reads++;
    int status = pl_settings_read(&reader->settings, order->settings, err);
    if (!status)
        pl_text_add(&reader->text, order->settings);
    return status;
}

void pl_order_reader_release(struct pl_order_reader *reader)
{
    pl_settings_release(&reader->settings);
    pl_text_release(&reader->text);
}
