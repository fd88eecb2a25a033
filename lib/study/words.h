/* words: one list of words, from which come an enum, the names of its values, and what a command's option may be.
 * Such a list is a macro LIST(FIRST, NEXT): FIRST(NAME, "word") of the first, NEXT of every other one. */
#ifndef PL_STUDY_WORDS_H
#define PL_STUDY_WORDS_H

/* LIST(PL_WORD_FIRST, PL_WORD_NEXT): the words with spaces between them. */
#define PL_WORD_FIRST(name, word) word
#define PL_WORD_NEXT(name, word) " " word
/* {LIST(PL_WORD_ITEM, PL_WORD_ITEM)}: an array of them. */
#define PL_WORD_ITEM(name, word) word,
/* 0 LIST(PL_WORD_ONE, PL_WORD_ONE): how many they are. */
#define PL_WORD_ONE(name, word) +1

#endif
