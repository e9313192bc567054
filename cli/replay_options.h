/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that `replay` and `lab run` take alike. Each returns 0 or -EINVAL. */
#ifndef PT_CLI_REPLAY_OPTIONS_H
#define PT_CLI_REPLAY_OPTIONS_H

#include <stdint.h>

/* "task", "strict", "window:N" (replay/order.h). */
int pt_replay_parse_order(const char *s, uint32_t *ret_window);

/* The part that is warm-up, 0 <= F < 1, as in 0.3 or 30%. */
int pt_replay_parse_warmup(const char *s, double *ret_fraction);

/* "original", "max" (0), or a factor of the recorded speed. */
int pt_replay_parse_pace(const char *s, double *ret_speed);

#endif
