// SPDX-License-Identifier: GPL-2.0-or-later
/* Words that `replay` and `lab run` take alike: see replay_options.h. */
#include "cli/replay_options.h"

#include <errno.h>
#include <string.h>

#include "replay/order.h"
#include "util/parse.h"

int pt_replay_parse_order(const char *s, uint32_t *ret_window)
{
	uint32_t n;

	if (strcmp(s, "task") == 0)
		n = 0;
	else if (strcmp(s, "strict") == 0)
		n = 1;
	else if (strncmp(s, "window:", 7) != 0 || pt_parse_u32(s + 7, &n) < 0 || n < 1 ||
		 n > PT_ORDER_WINDOW_MAX)
		return -EINVAL;
	*ret_window = n;
	return 0;
}

int pt_replay_parse_pace(const char *s, double *ret_speed)
{
	double v;

	if (strcmp(s, "original") == 0)
		v = 1;
	else if (strcmp(s, "max") == 0)
		v = 0;
	else if (pt_parse_double(s, &v) < 0 || v < 1e-6 || v > 1e6)
		return -EINVAL;
	*ret_speed = v;
	return 0;
}

int pt_replay_parse_warmup(const char *s, double *ret_fraction)
{
	size_t n = strlen(s);
	char number[32];
	int percent = n > 0 && s[n - 1] == '%';
	double v;

	n -= percent;
	if (n >= sizeof(number))
		return -EINVAL;
	memcpy(number, s, n);
	number[n] = '\0';
	if (pt_parse_double(number, &v) < 0)
		return -EINVAL;
	v = percent ? v / 100 : v;
	if (!(v >= 0 && v < 1))
		return -EINVAL;
	*ret_fraction = v;
	return 0;
}
