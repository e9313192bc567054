/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of the running kernel's enumerations, by name, from its BTF.
 *
 * Numbers such as those of enum node_stat_item depend on the kernel's configuration.
 */
#ifndef PT_HOST_BTF_H
#define PT_HOST_BTF_H

#include <stddef.h>
#include <stdint.h>

struct pt_btf {
	uint8_t *data;
	size_t len;
};

/*
 * Read ROOT/sys/kernel/btf/vmlinux. 0, -ENOENT (a kernel without), -EBADMSG, -E2BIG, -errno.
 * Release with pt_btf_done().
 */
int pt_btf_read(const char *root, struct pt_btf *ret_b);
void pt_btf_done(struct pt_btf *b);

/* The value of @name in enum @type. 0, -ENOENT, or -EBADMSG where the data is malformed. */
int pt_btf_enum(const struct pt_btf *b, const char *type, const char *name, int64_t *ret_v);

#endif
