/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading the modules that came with the initramfs. */
#ifndef PT_REPLAY_LAB_GUEST_MODULE_H
#define PT_REPLAY_LAB_GUEST_MODULE_H

#include "util/diag.h"

/*
 * Load those that PT_INITRAMFS_MODULES lists, in that order, each with the parameters that @cmdline
 * has for it, and remove the files: they lie in memory. One that is there already, or that finds no
 * hardware of its own (-ENODEV), is no failure. Returns 0 or -errno with the module in @diag.
 */
int pt_guest_module_load_all(const char *cmdline, struct pt_diag *diag);

#endif
