// SPDX-License-Identifier: GPL-2.0-or-later
/* The one place where text becomes numbers, and numbers become text for people. */
#include "util/parse.h"

#include "util/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse_head(const char *s, int base, uint64_t *ret_v, const char **ret_end)
{
	char *end;
	unsigned long long v;

	if (base == 10 ? !isdigit((unsigned char)*s) : !isxdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, base);
	if (errno)
		return -ERANGE;
	*ret_v = v;
	*ret_end = end;
	return 0;
}

int pt_parse_u64(const char *s, uint64_t *ret_v)
{
	const char *end;
	uint64_t v;
	int r = parse_head(s, 10, &v, &end);

	if (r < 0)
		return r;
	if (*end)
		return -EINVAL;
	*ret_v = v;
	return 0;
}

int pt_parse_u32(const char *s, uint32_t *ret_v)
{
	uint64_t v;
	int r = pt_parse_u64(s, &v);

	if (r < 0)
		return r;
	if (v > UINT32_MAX)
		return -ERANGE;
	*ret_v = (uint32_t)v;
	return 0;
}

int pt_parse_hex(const char *s, uint64_t *ret_v)
{
	const char *end;
	uint64_t v;
	int r = parse_head(s, 16, &v, &end);

	if (r < 0)
		return r;
	if (*end)
		return -EINVAL;
	*ret_v = v;
	return 0;
}

int pt_parse_size(const char *s, uint64_t *ret_bytes)
{
	static const char units[] = "KMGT";
	const char *end, *unit;
	uint64_t v;
	int r = parse_head(s, 10, &v, &end);

	if (r < 0)
		return r;
	if (!*end && v == 0) {
		*ret_bytes = 0;
		return 0;
	}
	if (!*end)
		return -EINVAL;
	unit = strchr(units, *end);
	if (!unit || end[1])
		return -EINVAL;
	if (__builtin_mul_overflow(v, UINT64_C(1) << (10 * (unit - units + 1)), &v))
		return -ERANGE;
	*ret_bytes = v;
	return 0;
}

/* strtod() without its signs, blanks, hexadecimals, infinities and NaNs. */
static int parse_fraction(const char *s, double *ret_v, char **ret_end)
{
	double v;

	if ((!isdigit((unsigned char)*s) && *s != '.') || (s[0] == '0' && (s[1] | 0x20) == 'x'))
		return -EINVAL;
	errno = 0;
	v = strtod(s, ret_end);
	if (*ret_end == s)
		return -EINVAL;
	*ret_v = v;
	return errno ? -ERANGE : 0;
}

int pt_parse_time(const char *s, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "ns", 1 },   { "us", 1e3 },   { "ms", 1e6 },    { "s", 1e9 },
		{ "m", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 },
	};
	char *end;
	double v;
	int r = parse_fraction(s, &v, &end);

	if (r < 0)
		return r;
	if (!*end && v == 0) {
		*ret_ns = 0;
		return 0;
	}
	for (size_t i = 0; i < PT_ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		if (!(v * units[i].ns < 0x1p63))
			return -ERANGE;
		*ret_ns = (uint64_t)(v * units[i].ns + 0.5);
		return 0;
	}
	return -EINVAL;
}

int pt_parse_double(const char *s, double *ret_v)
{
	char *end;
	double v;
	int r = parse_fraction(s, &v, &end);

	if (r < 0)
		return r;
	if (*end)
		return -EINVAL;
	*ret_v = v;
	return 0;
}

char *pt_format_size(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)bytes;
	size_t unit = 0;

	for (; v >= 1024 && unit + 1 < PT_ARRAY_SIZE(units); unit++)
		v /= 1024;
	snprintf(buf, size, unit && v < 100 ? "%.1f %s" : "%.0f %s", v, units[unit]);
	return buf;
}

char *pt_format_time(uint64_t ns, char *buf, size_t size)
{
	uint64_t s = ns / 1000000000;

	if (ns < 1000)
		snprintf(buf, size, "%llu ns", (unsigned long long)ns);
	else if (ns < 1000000)
		snprintf(buf, size, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, size, "%.1f ms", (double)ns / 1e6);
	else if (s < 60)
		snprintf(buf, size, "%.1f s", (double)ns / 1e9);
	else if (s < 3600)
		snprintf(buf, size, "%llum%02llus", (unsigned long long)(s / 60),
			 (unsigned long long)(s % 60));
	else
		snprintf(buf, size, "%lluh%02llum", (unsigned long long)(s / 3600),
			 (unsigned long long)(s / 60 % 60));
	return buf;
}

char *pt_format_count(uint64_t n, char *buf, size_t size)
{
	char raw[24];
	size_t len = (size_t)snprintf(raw, sizeof(raw), "%llu", (unsigned long long)n);
	size_t out = 0;

	for (size_t i = 0; i < len; i++) {
		int comma = i && (len - i) % 3 == 0;

		if (out + (size_t)comma + 1 >= size)
			break;
		if (comma)
			buf[out++] = ',';
		buf[out++] = raw[i];
	}
	if (size)
		buf[out] = '\0';
	return buf;
}
