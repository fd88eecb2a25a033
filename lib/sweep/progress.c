/* The state of a sweep as text. */
#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_STUDIES = 12, NAME_WIDTH = 28 };

static void add_duration(struct pl_text *out, double seconds)
{
    long long whole = seconds > 0 ? (long long)ceil(seconds) : 0;
    if (whole >= 24 * 3600)
        pl_text_addf(out, "%lld d %lld h", whole / (24 * 3600), whole / 3600 % 24);
    else if (whole >= 3600)
        pl_text_addf(out, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        pl_text_addf(out, "%lld:%02lld", whole / 60, whole % 60);
}

void pl_progress_rate(double rate, struct pl_text *out)
{
    bool hourly = rate < 0.1;
    double shown = hourly ? 3600 * rate : rate;
    pl_text_addf(out, shown >= 10 ? "%.0f runs/%c" : "%.2g runs/%c", shown, hourly ? 'h' : 's');
}

static void add_counts(struct pl_text *out, const struct pl_sweep_study *study, bool color)
{
    if (study->counts[PL_RUN_STOPPED])
        pl_text_addf(out, ", %lld stopped", (long long)study->counts[PL_RUN_STOPPED]);
    if (study->counts[PL_RUN_DIVERGED])
        pl_text_addf(out, ", %s%lld diverged%s", color ? "\033[33m" : "", (long long)study->counts[PL_RUN_DIVERGED],
                     color ? "\033[0m" : "");
    if (study->counts[PL_RUN_FAILED])
        pl_text_addf(out, ", %s%lld failed%s", color ? "\033[31m" : "", (long long)study->counts[PL_RUN_FAILED],
                     color ? "\033[0m" : "");
    if (study->best.metric[0]) {
        pl_text_add(out, ", best ");
        pl_escape_terminal(out, study->best.metric);
        pl_text_addf(out, " %.4g", study->best.value);
    }
}

static int64_t done_runs(const struct pl_sweep_study *study)
{
    return study->runs - pl_sweep_study_missing(study, false);
}

static void add_speed(struct pl_text *out, const struct pl_sweep_state *state)
{
    pl_progress_rate(state->rate, out);
    if (state->elsewhere) {
        pl_text_addf(out, ", waiting for %lld runs of another sweep", (long long)state->elsewhere);
    } else if (state->stopping) {
        pl_text_addf(out, ", stopping: %d runs come to an end", state->busy);
    } else if (state->missing && isfinite(state->left)) {
        pl_text_add(out, ", ");
        add_duration(out, state->left);
        pl_text_add(out, " left");
    }
    if (state->place[0]) {
        pl_text_add(out, ", ");
        pl_escape_terminal(out, state->place);
    }
}

void pl_progress_line(const struct pl_sweep_state *state, struct pl_text *out)
{
    pl_text_addf(out, "%lld of %lld runs, ", (long long)state->done, (long long)state->total);
    add_speed(out, state);
    for (size_t i = 0; i < state->plan->count; i++) {
        const struct pl_sweep_study *study = &state->plan->studies[i];
        bool only = state->plan->count == 1;
        if (!study->ran)
            continue;
        if (!only) {
            pl_text_add(out, "; ");
            pl_escape_terminal(out, study->study->name);
            pl_text_addf(out, " %lld of %lld", (long long)done_runs(study), (long long)study->runs);
        }
        add_counts(out, study, false);
    }
}

static void add_bar(struct pl_text *out, int64_t done, int64_t total, int width, bool color)
{
    int filled = total ? (int)((double)width * (double)done / (double)total) : width;
    pl_text_add(out, color ? "[\033[32m" : "[");
    for (int i = 0; i < width; i++) {
        if (i == filled && color)
            pl_text_add(out, "\033[0m");
        pl_text_add_char(out, i < filled ? '=' : i == filled && done ? '>' : ' ');
    }
    pl_text_add(out, color ? "\033[0m]" : "]");
}

/* Cuts what would not fit in width columns; escape sequences take none. */
static void end_line(struct pl_text *out, size_t start, int width, bool color)
{
    int column = 0;
    size_t i = start;
    while (i < out->length && column < width) {
        if (out->text[i] == '\033') {
            while (i < out->length && out->text[i] != 'm')
                i++;
            i++;
            continue;
        }
        i++;
        while (i < out->length && ((unsigned char)out->text[i] & 0xC0) == 0x80)
            i++;
        column++;
    }
    pl_text_cut(out, i);
    if (color)
        pl_text_add(out, "\033[0m");
    pl_text_add_char(out, '\n');
}

static int name_columns(const struct pl_sweep_study *study)
{
    struct pl_text shown = {0};
    pl_escape_terminal(&shown, study->study->name);
    int columns = (int)pl_text_width(pl_text(&shown));
    pl_text_release(&shown);
    return columns;
}

static void add_study(struct pl_text *out, const struct pl_sweep_study *study, int name_width, int bar, int width,
                      bool color)
{
    size_t start = out->length;
    int pad = name_width - name_columns(study);
    pl_escape_terminal(out, study->study->name);
    pl_text_addf(out, "%*s ", pad > 0 ? pad : 0, "");
    add_bar(out, done_runs(study), study->runs, bar, color);
    pl_text_addf(out, " %lld/%lld", (long long)done_runs(study), (long long)study->runs);
    add_counts(out, study, color);
    end_line(out, start, width, color);
}

int pl_progress_block(const struct pl_sweep_state *state, int width, bool color, struct pl_text *out)
{
    const struct pl_sweep_plan *plan = state->plan;
    int lines = 1, name_width = 0, hidden = 0;
    for (size_t i = 0; i < plan->count; i++) {
        int columns = name_columns(&plan->studies[i]);
        name_width = columns > name_width ? columns : name_width;
    }
    name_width = name_width > NAME_WIDTH ? NAME_WIDTH : name_width;
    int bar = width / 4 < 10 ? 10 : width / 4;
    for (size_t i = 0; i < plan->count; i++) {
        const struct pl_sweep_study *study = &plan->studies[i];
        bool finished = !pl_sweep_study_missing(study, false);
        bool crowded = plan->count > MOST_STUDIES && (finished || lines > MOST_STUDIES);
        hidden += crowded;
        if (crowded)
            continue;
        add_study(out, study, name_width, bar, width, color);
        lines++;
    }
    size_t start = out->length;
    pl_text_addf(out, "%*s ", name_width, "");
    if (hidden)
        pl_text_addf(out, "%d more studies, %lld of %lld runs in all, ", hidden, (long long)state->done,
                     (long long)state->total);
    add_speed(out, state);
    end_line(out, start, width, color);
    return lines;
}
