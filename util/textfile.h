/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small text files as /proc, /sys and cgroups have them: read whole, written whole.
 */
#ifndef PT_UTIL_TEXTFILE_H
#define PT_UTIL_TEXTFILE_H

#define PT_TEXT_MAX (64u << 20) /* a longer file is refused */

/*
 * Read all of the file ROOT/PATH to a NUL-terminated string, to be released with free(). @root is
 * "" for this machine, or a fake tree. Returns 0, -E2BIG, -ENOMEM or what open and read say.
 */
int pt_text_read(const char *root, const char *path, char **ret_text);

/* The same of an open file, from where it stands. The caller keeps @fd. */
int pt_text_read_fd(int fd, char **ret_text);

/* Write @text to the file PATH, which must exist, in one write(2). Returns 0 or -errno. */
int pt_text_write(const char *path, const char *text);

/*
 * Cut the next line off *@rest (its newline becomes NUL). Returns the line, or NULL at the end:
 * `while ((line = pt_text_line(&rest)))`.
 */
char *pt_text_line(char **rest);

/* Cut the next word off *@rest at blanks or the end of the line; NULL where there is none. */
char *pt_text_word(char **rest);

#endif
