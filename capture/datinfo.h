/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace.dat says of itself that libtracecmd's interface does not tell: the kernel, the
 * clock, what the ring dropped, and whether the file is all there.
 */
#ifndef PT_CAPTURE_DATINFO_H
#define PT_CAPTURE_DATINFO_H

#include <stdint.h>

#include "util/diag.h"

#define PT_DATINFO_CPUS 512

struct pt_datinfo {
	unsigned int version; /* 6 or 7 */
	char release[80];     /* "" where not told */
	char machine[16];
	char clock[16];
	uint32_t cpus;                     /* that the arrays tell of, over all buffers: */
	uint64_t dropped[PT_DATINFO_CPUS]; /* events that found no room, by the kernel's statistics
					    */
	uint64_t kept[PT_DATINFO_CPUS];    /* events that the file should hold, likewise */
	int is_cut;                        /* data sections reach beyond the file's end */
	int has_statistics;                /* of every CPU that there is data of, in each buffer */
};

/* Whether @path begins as a trace.dat does: 1, 0, or -errno. */
int pt_datinfo_probe(const char *path);

/*
 * Read it from @path. 0, -EBADMSG (no trace.dat, or damaged: @diag has the offset),
 * -EPROTONOSUPPORT (another version), -errno.
 */
int pt_datinfo_read(const char *path, struct pt_datinfo *ret_info, struct pt_diag *diag);

#endif
