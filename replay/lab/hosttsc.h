/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast this machine's time stamp counter runs, which an emulated CPU shows as its own.
 */
#ifndef PT_REPLAY_LAB_HOSTTSC_H
#define PT_REPLAY_LAB_HOSTTSC_H

#include <stdint.h>

/* Measure it for a twentieth of a second: kHz, or 0 where there is none or it cannot be told. */
uint64_t pt_hosttsc_khz(void);

#endif
