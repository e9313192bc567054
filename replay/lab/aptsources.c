// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine's apt sources: see aptsources.h. */
#include "replay/lab/aptsources.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/textfile.h"

void pt_apt_sources_done(struct pt_apt_sources *s)
{
	free(s->codename);
	free(s->main.uri);
	free(s->main.signed_by);
	free(s->security.uri);
	free(s->security.signed_by);
	*s = (struct pt_apt_sources){ 0 };
}

/* One source as either format has it; the texts are pieces of the file's. */
struct stanza {
	const char *types, *uris, *suites, *signed_by, *enabled;
};

/* Whether @word is among the words of @list. */
static int has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; p && *p; p += strcspn(p, " \t")) {
		p += strspn(p, " \t");
		if (strncmp(p, word, len) == 0 && (!p[len] || strchr(" \t", p[len])))
			return 1;
	}
	return 0;
}

static char *first_word(const char *list)
{
	list += strspn(list, " \t");
	return strndup(list, strcspn(list, " \t"));
}

static int take(struct pt_apt_source *to, const struct stanza *s)
{
	if (to->uri)
		return 0;
	to->uri = first_word(s->uris);
	/* A key in the stanza itself begins on a line of its own. */
	if (to->uri && s->signed_by && strchr(s->signed_by, '/'))
		to->signed_by = first_word(s->signed_by);
	return to->uri ? 0 : -ENOMEM;
}

static int take_stanza(struct pt_apt_sources *out, const struct stanza *s)
{
	char security[96];
	int r = 0;

	if (!s->types || !s->uris || !s->suites || !has_word(s->types, "deb") ||
	    (s->enabled && strcmp(s->enabled, "no") == 0))
		return 0;
	snprintf(security, sizeof(security), "%s-security", out->codename);
	if (has_word(s->suites, out->codename) || has_word(s->suites, "stable"))
		r = take(&out->main, s);
	if (r == 0 && (has_word(s->suites, security) || has_word(s->suites, "stable-security")))
		r = take(&out->security, s);
	return r;
}

/* "Key: value", keys in any case; the value without blanks around. NULL where it is another key. */
static char *value_of(char *line, const char *key)
{
	size_t len = strlen(key);
	char *v;

	if (strncasecmp(line, key, len) != 0 || line[len] != ':')
		return NULL;
	v = line + len + 1;
	v += strspn(v, " \t");
	for (size_t n = strlen(v); n && strchr(" \t\r", v[n - 1]); n--)
		v[n - 1] = '\0';
	return v;
}

static void take_field(struct stanza *s, char *line)
{
	char *v;

	if ((v = value_of(line, "Types")))
		s->types = v;
	else if ((v = value_of(line, "URIs")))
		s->uris = v;
	else if ((v = value_of(line, "Suites")))
		s->suites = v;
	else if ((v = value_of(line, "Signed-By")))
		s->signed_by = v;
	else if ((v = value_of(line, "Enabled")))
		s->enabled = v;
}

/* deb822: stanzas of fields, an empty line between. */
static int take_deb822(struct pt_apt_sources *out, char *text)
{
	struct stanza s = { 0 };
	char *rest = text, *line;
	int r = 0;

	while (r == 0 && (line = pt_text_line(&rest))) {
		if (line[strspn(line, " \t\r")] == '\0') {
			r = take_stanza(out, &s);
			s = (struct stanza){ 0 };
		} else if (line[0] != '#') {
			take_field(&s, line);
		}
	}
	return r == 0 ? take_stanza(out, &s) : r;
}

/* "deb [option=value ...] URI suite component...". */
static int take_one_line(struct pt_apt_sources *out, char *line)
{
	struct stanza s = { .types = "deb" };
	char *rest = line, *word = pt_text_word(&rest);

	if (!word || strcmp(word, "deb") != 0)
		return 0;
	word = pt_text_word(&rest);
	if (word && word[0] == '[') {
		for (; word && !strchr(word, ']'); word = pt_text_word(&rest))
			if (strstr(word, "signed-by="))
				s.signed_by = strstr(word, "signed-by=") + 10;
		if (word && strstr(word, "signed-by=")) {
			s.signed_by = strstr(word, "signed-by=") + 10;
			*strchr(word, ']') = '\0';
		}
		word = pt_text_word(&rest);
	}
	s.uris = word;
	s.suites = pt_text_word(&rest);
	return take_stanza(out, &s);
}

static int take_list(struct pt_apt_sources *out, char *text)
{
	char *rest = text, *line;
	int r = 0;

	while (r == 0 && (line = pt_text_line(&rest))) {
		line[strcspn(line, "#\r")] = '\0';
		r = take_one_line(out, line);
	}
	return r;
}

/* A file that cannot be read has no sources. */
static int take_file(struct pt_apt_sources *out, const char *root, const char *path)
{
	const char *dot = strrchr(path, '.');
	auto_free char *text = NULL;
	int deb822 = dot && strcmp(dot, ".sources") == 0;

	if (!deb822 && (!dot || strcmp(dot, ".list") != 0))
		return 0;
	if (pt_text_read(root, path, &text) < 0)
		return 0;
	return deb822 ? take_deb822(out, text) : take_list(out, text);
}

static int take_folder(struct pt_apt_sources *out, const char *root, const char *folder)
{
	auto_free char *full = NULL;
	struct dirent **v;
	int n, r = 0;

	if (asprintf(&full, "%s%s", root, folder) < 0) {
		full = NULL;
		return -ENOMEM;
	}
	n = scandir(full, &v, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		auto_free char *path = NULL;

		if (r == 0 && asprintf(&path, "%s/%s", folder, v[i]->d_name) < 0) {
			path = NULL;
			r = -ENOMEM;
		}
		if (r == 0)
			r = take_file(out, root, path);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	return r;
}

static int read_codename(const char *root, char **ret_name)
{
	auto_free char *text = NULL;
	char *rest, *line, *name = NULL;
	int debian = 0;

	if (pt_text_read(root, "/etc/os-release", &text) < 0)
		return -EOPNOTSUPP;
	rest = text;
	while ((line = pt_text_line(&rest))) {
		if (strcmp(line, "ID=debian") == 0)
			debian = 1;
		if (strncmp(line, "VERSION_CODENAME=", 17) == 0)
			name = line + 17;
	}
	if (!debian || !name || !*name ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz") != strlen(name))
		return -EOPNOTSUPP;
	*ret_name = strdup(name);
	return *ret_name ? 0 : -ENOMEM;
}

int pt_apt_sources_read(const char *root, struct pt_apt_sources *ret_s, struct pt_diag *diag)
{
	struct pt_apt_sources s = { 0 };
	int r = read_codename(root, &s.codename);

	if (r == -EOPNOTSUPP)
		pt_diag_set(diag, r, PT_NO_OFFSET, "this machine runs no released Debian");
	if (r == 0)
		r = take_file(&s, root, "/etc/apt/sources.list");
	if (r == 0)
		r = take_folder(&s, root, "/etc/apt/sources.list.d");
	if (r == 0 && !s.main.uri)
		r = pt_diag_set(diag, -EOPNOTSUPP, PT_NO_OFFSET,
				"this machine's apt has no source of Debian's %s", s.codename);
	if (r < 0)
		pt_apt_sources_done(&s);
	else
		*ret_s = s;
	return r;
}
