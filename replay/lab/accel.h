/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether guests can be accelerated here.
 *
 * That /dev/kvm exists, or opens, proves nothing: on some hosts a guest hangs after its firmware.
 * So KVM is used only where a probe has booted a kernel under it. The probe's answer is remembered
 * in the user's cache folder; a QEMU that does not come to an end is killed.
 */
#ifndef PT_REPLAY_LAB_ACCEL_H
#define PT_REPLAY_LAB_ACCEL_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>

#include "replay/lab/image.h"
#include "util/diag.h"

enum pt_accel {
	PT_ACCEL_TCG, /* the CPU is emulated */
	PT_ACCEL_KVM,
};

struct pt_accel_answer {
	enum pt_accel accel;
	bool probed;   /* a guest was booted just now; else the answer was remembered or plain */
	char why[200]; /* why not KVM, one line; "" with KVM */
};

/*
 * The best accelerator that works here, proved by booting @image (PT_ACCEL_PROBE_S of silence end
 * it) or by an earlier call on this boot of the host with this QEMU. Returns 0, -ENOENT (no QEMU:
 * @diag says which package has it), -EINTR (@stop) or -ENOMEM.
 */
#define PT_ACCEL_PROBE_S 5
int pt_accel_probe(const struct pt_image *image, const volatile sig_atomic_t *stop,
		   struct pt_accel_answer *ret_a, struct pt_diag *diag);

const char *pt_accel_name(enum pt_accel a); /* "tcg" or "kvm" */

/*
 * What an emulated CPU distorts, as a list of names for results: "activations", "cpu", "latency",
 * "psi", "throughput". Empty under KVM. With @deterministic (time counts instructions) activations
 * repeat from run to run, and are left out. A new reference; NULL: no memory.
 */
json_t *pt_accel_distorted(enum pt_accel a, bool deterministic);

#endif
