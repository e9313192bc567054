/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's knobs by names of ours: "lru_gen.enabled", "thp.enabled", "vm.swappiness",
 * "block.read_ahead_kb", each a small file below /sys or /proc.
 *
 * A name is looked up in a table, or is NAMESPACE.FILE where a whole folder of knobs has a name
 * ("vm", "kernel", "zswap", "ksm", "block"); it never leads out of that folder.
 */
#ifndef PT_HOST_KNOBS_H
#define PT_HOST_KNOBS_H

#include <jansson.h>

#include "util/diag.h"

#define PT_KNOB_VALUE_MAX 4096 /* bytes of a value */

/* Where knobs are looked for. */
struct pt_knob_place {
	const char *root; /* "" for this machine, or the prefix of a fake tree */
	const char *disk; /* whose queue "block." means, "vda"; NULL: none */
};

/*
 * The knob's file, root included, to be released with free(). Returns 0, -EINVAL (no such name;
 * @diag says which there are), -ENODEV (a block knob without a disk) or -ENOMEM. Whether this
 * kernel has the file is not looked at.
 */
int pt_knob_path(const struct pt_knob_place *place, const char *name, char **ret_path,
		 struct pt_diag *diag);

/*
 * Read a knob: the chosen word where the kernel lists choices ("always [madvise] never"), else the
 * first line. What is read can be written. Returns 0 and *ret_value, to be released with free(), or
 * -errno; -ENOENT where this kernel does not have it.
 */
int pt_knob_read(const struct pt_knob_place *place, const char *name, char **ret_value,
		 struct pt_diag *diag);

/*
 * Obey "NAME=VALUE". *ret_before (may be NULL) is the value it had, to restore it by, to be
 * released with free(). Returns 0; -EINVAL (no setting, no such name, or the kernel refuses the
 * value), -ENOENT, -EACCES or other -errno with @diag filled. After a failure the knob is as it
 * was.
 */
int pt_knob_set(const struct pt_knob_place *place, const char *setting, char **ret_before,
		struct pt_diag *diag);

/* Write @value as pt_knob_read() or pt_knob_set() gave it. 0 or -errno. */
int pt_knob_write(const struct pt_knob_place *place, const char *name, const char *value,
		  struct pt_diag *diag);

/*
 * {NAME: value}: those of the table that this kernel has, and all of vm. Numbers as numbers, other
 * values as text. A new reference, or NULL when out of memory.
 */
json_t *pt_knobs_json(const struct pt_knob_place *place);

#endif
