/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A virtual machine that boots a candidate kernel with pagetape as its init, and does what it is
 * told over a channel (replay/lab/channel.h).
 *
 * It is a QEMU child without network, display or any device of the host's, in a process group of
 * its own, and it dies with the thread that started it. Every wait has a limit. Everything it needs
 * while it runs lies in a folder of the caller's and goes with it, except the console's log.
 * Nothing that a guest sends or prints is trusted. The program must ignore SIGPIPE. Not thread-safe
 * per machine; machines of several threads do not disturb each other.
 */
#ifndef PT_REPLAY_LAB_MACHINE_H
#define PT_REPLAY_LAB_MACHINE_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "replay/lab/accel.h"
#include "replay/lab/disk.h"
#include "replay/lab/image.h"
#include "util/diag.h"

enum pt_lab_swap_kind {
	PT_LAB_SWAP_NONE,
	PT_LAB_SWAP_ZRAM,
	PT_LAB_SWAP_DISK,
};

struct pt_lab_swap {
	enum pt_lab_swap_kind kind;
	uint64_t bytes; /* 0 with none */
};

#define PT_MACHINE_MAX_CPUS   64
#define PT_MACHINE_MAX_NODES  8
#define PT_MACHINE_BOOT_S     120  /* 1 s under KVM, 5 to 9 s emulated on an idle host */
#define PT_MACHINE_TRANSFER_S 3600 /* of a file, whatever its size */
#define PT_MACHINE_SILENCE_S  60   /* the channel's, while it should answer at once */

/* Strings are borrowed until pt_machine_free(); NULL where not wanted. */
struct pt_machine_options {
	const struct pt_image *image; /* what to boot */
	const char *program;          /* the static pagetape that becomes /init */
	const char *append;           /* further kernel parameters */
	const char *const *extra;     /* "HOST[:GUEST]" files for the initramfs, NULL-ended */
	uint64_t ram_bytes;
	uint64_t disk_bytes; /* of the disk at /mnt; 0: none */
	enum pt_lab_fs fs;
	bool ramdisk; /* /mnt is in the guest's memory, not on a virtual disk */
	struct pt_lab_swap swap;
	unsigned int cpus, nodes; /* 1 or more each; memory and CPUs are split evenly */
	bool deterministic;       /* one CPU whose time counts instructions; takes PT_ACCEL_TCG */
	enum pt_accel accel;
	const char *dir;               /* exists; console.log stays in it, all else is removed */
	unsigned int boot_limit_s;     /* until it says HELLO; 0: PT_MACHINE_BOOT_S */
	unsigned int transfer_limit_s; /* of each file, whole; 0: PT_MACHINE_TRANSFER_S */
	const volatile sig_atomic_t *stop; /* once not 0 everything is killed, -EINTR */
};

struct pt_machine;

/*
 * Make its disks and initramfs, boot it, and wait until it says what it is; then check that against
 * the image. Returns 0 and *ret_m, to be released with pt_machine_free(), or, with nothing left but
 * DIR/console.log and @diag filled:
 *   -EINVAL        options that make no machine, or none of this image
 *   -ENOENT        no QEMU, no mkfs; -ENOSPC no room; or -errno of making the files
 *   -ETIMEDOUT     it hung: the last line it said is in @diag
 *   -ENOTRECOVERABLE  the kernel panicked, or ended otherwise: its last words are in @diag
 *   -EBADMSG       it is not the image's kernel, or talks nonsense
 *   -EINTR         @stop
 */
int pt_machine_boot(const struct pt_machine_options *opt, struct pt_machine **ret_m,
		    struct pt_diag *diag);

/* What runs in it, as it said itself (guest_identity.h). Borrowed. */
json_t *pt_machine_hello(const struct pt_machine *m);

/*
 * What follows talks to the guest. Each returns 0; what the guest says failed (its errno), after
 * which it is still of use; or -ETIMEDOUT, -ENOTRECOVERABLE, -EBADMSG, -EINTR as above, after which
 * it is not, and pt_machine_free() is all that is left.
 */

/* Copy a file of the host into the guest, with its permission bits. -ETIMEDOUT also where a file's
 * whole limit is over, however busy the guest was. */
int pt_machine_put(struct pt_machine *m, const char *host_path, const char *guest_path,
		   struct pt_diag *diag);

/* Copy a file of the guest to the host: written whole or not at all, @max_bytes at most (-E2BIG).
 */
int pt_machine_get(struct pt_machine *m, const char *guest_path, const char *host_path,
		   uint64_t max_bytes, struct pt_diag *diag);

/* Set a knob, "lru_gen.enabled=0" (host/knobs.h). */
int pt_machine_knob(struct pt_machine *m, const char *setting, struct pt_diag *diag);

/* Identity, knobs and counters as they are now. *ret_doc is a new reference. */
int pt_machine_state(struct pt_machine *m, json_t **ret_doc, struct pt_diag *diag);

struct pt_machine_command {
	const char *const *argv;   /* NULL-ended; by the guest's PATH where it has no slash */
	const char *const *env;    /* NULL-ended "NAME=VALUE" beside the guest's own; NULL: none */
	const char *cwd;           /* NULL: "/" */
	int in_fd;                 /* its stdin, until that ends; -1: empty */
	int out_fd, err_fd;        /* where its output goes; -1: dropped */
	uint64_t output_max_bytes; /* of each of the two, -E2BIG beyond; 0: none */
	bool terminal;        /* on a terminal of its own: keys from in_fd, all output to out_fd */
	unsigned int limit_s; /* it is killed after that, -ETIME; 0: none */
};

/* Run a command and wait for it. *ret_status is its wait status, as of waitpid(2). */
int pt_machine_run(struct pt_machine *m, const struct pt_machine_command *c, int *ret_status,
		   struct pt_diag *diag);

/*
 * Power it off and wait for its end; then judge all that its kernel said: -EIO with @diag naming
 * the first WARN, BUG, lockdep or sanitizer report (console.h). The machine is then of no further
 * use.
 */
int pt_machine_off(struct pt_machine *m, struct pt_diag *diag);

/* The kernel's complaint so far, NULL: none. Borrowed until the next call on the machine. */
const char *pt_machine_complaint(const struct pt_machine *m);

/* Kill what still runs, remove all files but console.log. NULL is fine. */
void pt_machine_free(struct pt_machine *m);

#endif
