// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's command line: see bootparam.h. */
#include "replay/lab/bootparam.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* One parameter within the command line; quotes that surround a value are not part of it. */
struct param {
	const char *name, *value; /* value: NULL where there is none */
	size_t name_len, value_len;
};

static size_t param_len(const char *s)
{
	size_t n = 0;
	int quoted = 0;

	for (; s[n] && (quoted || !strchr(" \t\n", s[n])); n++)
		if (s[n] == '"')
			quoted = !quoted;
	return n;
}

/* Cut the next parameter off. Returns 1, or 0 at the end. */
static int next_param(const char **rest, struct param *ret_p)
{
	const char *s = *rest + strspn(*rest, " \t\n");
	size_t len = param_len(s);
	const char *is = memchr(s, '=', len);
	struct param p = { .name = s, .name_len = is ? (size_t)(is - s) : len };

	*rest = s + len;
	if (len == 0)
		return 0;
	if (is) {
		p.value = is + 1;
		p.value_len = len - p.name_len - 1;
		if (p.value_len >= 2 && p.value[0] == '"' && p.value[p.value_len - 1] == '"') {
			p.value++;
			p.value_len -= 2;
		}
	}
	*ret_p = p;
	return 1;
}

static char plain(char c)
{
	return c == '-' ? '_' : c;
}

static int same_name(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (plain(a[i]) != plain(b[i]))
			return 0;
	return 1;
}

int pt_bootparam_get(const char *cmdline, const char *name, char *buf, size_t size)
{
	size_t len = strlen(name);
	struct param p;
	int found = 0;

	while (next_param(&cmdline, &p)) {
		if (p.name_len != len || !same_name(p.name, name, len))
			continue;
		snprintf(buf, size, "%.*s", (int)p.value_len, p.value ? p.value : "");
		found = 1;
	}
	return found;
}

int pt_bootparam_module(const char *cmdline, const char *module, struct pt_buf *b)
{
	size_t len = strlen(module);
	struct param p;

	while (next_param(&cmdline, &p)) {
		const char *end = p.value ? p.value + p.value_len : p.name + p.name_len;

		if (p.name_len < len + 2 || p.name[len] != '.' || !same_name(p.name, module, len))
			continue;
		/* As it stands: a quote around the value is the kernel's to take off. */
		end += p.value && *end == '"';
		if (pt_buf_put(b, p.name + len + 1, (size_t)(end - p.name) - len - 1) ||
		    pt_buf_put(b, " ", 1))
			return -ENOMEM;
	}
	return pt_buf_put(b, "", 1);
}
