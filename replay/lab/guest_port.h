/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtio-serial port of a guest's channel. */
#ifndef PT_REPLAY_LAB_GUEST_PORT_H
#define PT_REPLAY_LAB_GUEST_PORT_H

#include <stdint.h>

#include "util/diag.h"

/*
 * Wait for the port PT_CHANNEL_PORT, open it, and wait until the host is at its other end. Returns
 * 0 and *ret_fd, -ETIMEDOUT at @deadline_ns (saying which of the two did not come) or -errno.
 */
int pt_guest_port_open(uint64_t deadline_ns, int *ret_fd, struct pt_diag *diag);

#endif
