/* Journals: what the workers of a task report, appended to a file on a file system that the node shares with whoever
 * collects. A record is a line: its length, a checksum and its text,
 *
 *     0000002d 5f0a1b9c {"run":17,"event":"start","time":1700000000.1}
 *
 * both numbers in eight hexadecimal digits. The checksum (CRC-32) is of the checksum of the record before, which chains
 * them, and the text: so what follows on a cut or torn record, a journal that was written twice, zeros behind the end
 * and records of another journal are all seen as its end, and each record counts once.
 *
 * Needs of a file system only that what was synced can be read by whoever opens the file later (close-to-open on NFS),
 * and that creating a file that exists is refused: no locks, no mapping, no clock.
 *
 * Threading: one journal belongs to one thread. */
#ifndef PL_SWEEP_BATCH_JOURNAL_H
#define PL_SWEEP_BATCH_JOURNAL_H

#include "base/base.h"

/* ---- writing, on the node ---- */

struct pl_journal;
/* Creates the journal of the next attempt at a task, and says which that is (from 1). */
int pl_journal_create(const char *folder, int64_t task, int64_t *attempt, struct pl_journal **journal,
                      struct pl_error *err);
/* Adds records: lines, each closed by a newline. They are kept in memory until sync. */
void pl_journal_add(struct pl_journal *journal, const char *lines, size_t length);
size_t pl_journal_waiting(const struct pl_journal *journal); /* bytes that are not in the file */
/* Writes what was added and waits until it is on disk. After a failure (a full disk) the file is as it was before, and
 * what was added waits for the next time. */
int pl_journal_sync(struct pl_journal *journal, struct pl_error *err);
/* Drops what was not synced. */
void pl_journal_close(struct pl_journal *journal);

/* ---- reading ---- */

/* Up to where a journal was read. Zero-initialised: nothing was. */
struct pl_journal_place {
    int64_t bytes;
    uint32_t chain; /* checksum of the last record */
};

/* Reads records behind place and moves it, record by record: take is told each with the place behind it (the text may
 * be changed, and has a NUL at its end), and may return 1 to stop behind that record, or a negative code. About most
 * bytes are read; *more says whether there may be more. What is no whole record ends the journal. Returns 0, take's
 * code, or PL_EMISSING or PL_EIO. */
int pl_journal_read(const char *path, struct pl_journal_place *place, size_t most, bool *more,
                    int (*take)(void *self, char *text, size_t length, const struct pl_journal_place *behind),
                    void *self, struct pl_error *err);

/* "FOLDER/journal-TASK.ATTEMPT" */
void pl_journal_path(const char *folder, int64_t task, int64_t attempt, struct pl_text *path);
/* Reads such a name: false where it is something else. */
bool pl_journal_name(const char *name, int64_t *task, int64_t *attempt);

#endif
