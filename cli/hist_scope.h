/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cgroups of a tape --cgroup means. */
#ifndef PT_CLI_HIST_SCOPE_H
#define PT_CLI_HIST_SCOPE_H

#include <stdint.h>

#include "formats/reader.h"

/* The word that stands for the cgroups of the recorded command. */
#define PT_SCOPE_SUBJECT "subject"

/*
 * A byte for each of the tape's cgroups, 1 where it is meant: @name is a path below the hierarchy's
 * root or a directory below /sys/fs/cgroup, and stands for what is below it too; or it is
 * PT_SCOPE_SUBJECT. 0 and *@ret_chosen (release with free()), -ENOENT with @diag where it is none
 * of the tape's, or -ENOMEM.
 */
int pt_scope_choose(const struct pt_reader *r, const char *name, uint8_t **ret_chosen,
		    struct pt_diag *diag);

/*
 * A line of text for summaries: whose accesses these are, chosen by @name, or the whole machine's
 * where it is NULL. Nothing where the tape has no command of its own, and nothing was chosen.
 */
void pt_scope_print(const struct pt_reader *r, const char *name);

/* For pt_refault_options: the section of a page, by the pt_sections at @sections. */
int pt_scope_section_of(void *sections, uint32_t file, uint64_t page);

#endif
