/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * datinfo's inside: a trace.dat being read, shared by the readers of its versions.
 */
#ifndef PT_CAPTURE_DAT_H
#define PT_CAPTURE_DAT_H

#include <stddef.h>
#include <stdint.h>

#include "capture/datinfo.h"

#define PT_DAT_MAGIC_LEN 10
#define PT_DAT_OPTIONS_MAX                                                    \
	(UINT64_C(16) << 20) /* bytes of one section, unpacked, or one option \
			      */

enum pt_dat_option {
	PT_DAT_OPTION_DONE = 0,
	PT_DAT_OPTION_CPUSTAT = 2,
	PT_DAT_OPTION_BUFFER = 3,
	PT_DAT_OPTION_TRACECLOCK = 4,
	PT_DAT_OPTION_UNAME = 5,
};

struct pt_dat {
	int fd;
	uint64_t size; /* of the file */
	struct pt_datinfo *info;
	struct pt_diag *diag;
	uint32_t places[PT_DATINFO_CPUS]; /* where there is data of this CPU */
	uint32_t told[PT_DATINFO_CPUS];   /* statistics about it */
	int too_many_cpus;
};

/* -EBADMSG, with @what about offset @at in the diag. */
int pt_dat_damaged(const struct pt_dat *d, uint64_t at, const char *what);

/* Exactly @len bytes at @at, or -EBADMSG, -errno. */
int pt_dat_read_at(const struct pt_dat *d, uint64_t at, void *p, size_t len);

/* Note what option @id tells in its @len bytes, if it is one of ours. */
void pt_dat_take_option(struct pt_dat *d, unsigned int id, const uint8_t *p, size_t len);

/* Where @cpu's data is, 16 bytes: u64 offset, u64 size. */
void pt_dat_take_place(struct pt_dat *d, uint32_t cpu, const uint8_t *p);

/* Read all of a version 6. 0, -EBADMSG, -ENOMEM, -errno. */
int pt_dat_read_v6(struct pt_dat *d);

#endif
