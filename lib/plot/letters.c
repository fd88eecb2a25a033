/* Letters that no font of this machine has. Pango draws its box with their number in it, and in gnuplot's hands that
 * box is larger than the picture and covers it. So they are written as their numbers, as pdfLaTeX does. */
#include "plot/plot_priv.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct letters {
    struct letter {
        uint32_t code;
        bool known;
    } * list;
    size_t count, capacity;
};

/* The character at text, or its first byte where that begins none. */
static size_t decode(const char *text, uint32_t *code)
{
    size_t length = pl_utf8_read(text, strnlen(text, 4), code);
    if (length)
        return length;
    *code = (unsigned char)*text;
    return 1;
}

/* Latin, Greek, Cyrillic and the signs that figures have of their own are in any font that is worth the name; other
 * characters are never drawn. */
static bool needs_no_font(uint32_t code)
{
    static const uint32_t ranges[][2] = {{0, 0x24F},       {0x370, 0x3FF},   {0x400, 0x45F},    {0x180B, 0x180E},
                                         {0x200B, 0x200F}, {0x2010, 0x202E}, {0x2060, 0x206F},  {0xFE00, 0xFE0F},
                                         {0xFEFF, 0xFEFF}, {0xFFFD, 0xFFFD}, {0xE0000, 0xE0FFF}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

static struct letter *find(const struct letters *letters, uint32_t code)
{
    for (size_t i = 0; i < letters->count; i++)
        if (letters->list[i].code == code)
            return &letters->list[i];
    return NULL;
}

static void collect(void *self, char **text)
{
    struct letters *letters = self;
    uint32_t code;
    for (const char *c = *text; *c; c += decode(c, &code)) {
        if ((unsigned char)*c < 0x80 || !decode(c, &code) || needs_no_font(code) || find(letters, code))
            continue;
        void *list = letters->list;
        pl_grow(&list, &letters->capacity, letters->count + 1, sizeof *letters->list);
        letters->list = list;
        letters->list[letters->count++] = (struct letter){code, false};
    }
}

/* Writes the numbers of unknown letters in their place. */
static void respell(void *self, char **text)
{
    const struct letters *letters = self;
    struct pl_text out = {0};
    uint32_t code;
    size_t length;
    for (const char *c = *text; *c; c += length) {
        length = decode(c, &code);
        const struct letter *letter = find(letters, code);
        if (letter && !letter->known)
            pl_text_addf(&out, "%sU+%04X", out.length && out.text[out.length - 1] != ' ' ? " " : "", (unsigned)code);
        else
            pl_text_add_bytes(&out, c, length);
    }
    pl_text_add(&out, "");
    free(*text);
    *text = pl_text_take(&out);
}

/* All texts of the figure. */
static void each_text(struct pl_figure *figure, void take(void *self, char **text), void *self)
{
    char **texts[] = {&figure->title, &figure->x_label, &figure->y_label, &figure->z_label, &figure->said};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (*texts[i])
            take(self, texts[i]);
    for (size_t i = 0; i < figure->legend_count; i++)
        if (figure->legend[i].label)
            take(self, &figure->legend[i].label);
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_panel *panel = &figure->panels[p];
        struct pl_tick *ticks[] = {panel->x_ticks, panel->y_ticks, panel->z_ticks};
        size_t counts[] = {panel->x_tick_count, panel->y_tick_count, panel->z_tick_count};
        if (panel->title)
            take(self, &panel->title);
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < counts[k]; i++)
                take(self, &ticks[k][i].label);
        for (size_t a = 0; a < panel->axis_count; a++)
            for (size_t i = 0; i < panel->axes[a].tick_count; i++)
                take(self, &panel->axes[a].ticks[i].label);
    }
}

/* Ranges of hexadecimal numbers, "20-7e a0 370-3ff", a font a line. */
static void take_coverage(struct letters *letters, FILE *list)
{
    unsigned first, last;
    int next;
    while (fscanf(list, "%x", &first) == 1) {
        last = first;
        if ((next = getc(list)) == '-' && fscanf(list, "%x", &last) != 1)
            return;
        for (size_t i = 0; i < letters->count; i++)
            letters->list[i].known |= letters->list[i].code >= first && letters->list[i].code <= last;
    }
}

/* Asks fontconfig, which is where Pango is. Returns false where nobody answers. */
static bool ask_fonts(struct letters *letters)
{
    int ends[2], status;
    pid_t pid;
    char program[] = "fc-list", format[] = "--format=%{charset}\n";
    char *const argv[] = {program, format, NULL};
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC))
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int problem = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *list = problem ? NULL : fdopen(ends[0], "r");
    if (!list) {
        close(ends[0]);
        return false;
    }
    take_coverage(letters, list);
    fclose(list);
    while (waitpid(pid, &status, 0) < 0)
        ;
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

void pl_figure_spell(struct pl_figure *figure, struct pl_text *notes)
{
    struct letters letters = {0};
    each_text(figure, collect, &letters);
    if (letters.count && ask_fonts(&letters)) {
        struct pl_text missing = {0};
        for (size_t i = 0; i < letters.count; i++)
            if (!letters.list[i].known)
                pl_text_addf(&missing, "%sU+%04X", missing.length ? ", " : "", (unsigned)letters.list[i].code);
        if (missing.length) {
            each_text(figure, respell, &letters);
            pl_text_addf(
                notes,
                "No font on this machine has %.300s%s: written as numbers (Debian: fonts-noto-cjk has Chinese, "
                "Japanese and Korean letters, fonts-noto-core most others).\n",
                pl_text(&missing), missing.length > 300 ? " ..." : "");
        }
        pl_text_release(&missing);
    }
    free(letters.list);
}
