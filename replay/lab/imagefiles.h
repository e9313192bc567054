/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the files of a kernel lie: in a build tree, an unpacked package, or an installed system.
 */
#ifndef PT_REPLAY_LAB_IMAGEFILES_H
#define PT_REPLAY_LAB_IMAGEFILES_H

#include <stddef.h>

/* Paths, each to be freed, in the order of their names. All zero is an empty list. */
struct pt_paths {
	char **v;
	size_t n;
};

void pt_paths_done(struct pt_paths *p);

/* Append a path; it is the list's then, also on failure. NULL is -ENOMEM. Returns 0 or -errno. */
int pt_paths_add(struct pt_paths *p, char *stolen);

/*
 * The bzImages in the folder @dir where a build tree, an unpacked package or a boot folder has
 * them: vmlinuz* and bzImage in DIR and DIR/boot, DIR/arch/x86/boot/bzImage, and DIR/lib/modules
 * and DIR/usr/lib/modules/RELEASE/vmlinuz. A link beside what it leads to counts once. None is not
 * an error. Returns 0, -ENOMEM, or why DIR cannot be read.
 */
int pt_imagefiles_boot(const char *dir, struct pt_paths *ret_p);

/*
 * What belongs to the bzImage @boot of kernel @release, each NULL where it is not there: the folder
 * that its modules are in, its configuration, its ELF file. To be freed. Returns 0 or -ENOMEM.
 */
int pt_imagefiles_beside(const char *boot, const char *release, char **ret_modules,
			 char **ret_config, char **ret_vmlinux);

#endif
