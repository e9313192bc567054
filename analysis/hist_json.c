// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms as JSON: see hist_json.h. */
#include "analysis/hist_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"

/* Every power of two up to the last that holds something. */
static json_t *buckets(const struct pt_log2hist *h)
{
	json_t *list = json_array();
	unsigned int last = 64;

	while (last && !h->octaves[last])
		last--;
	for (unsigned int i = 0; h->count && i <= last; i++) {
		json_t *b = json_object();

		pt_json_set_u64(b, "lo", i ? UINT64_C(1) << (i - 1) : 0);
		pt_json_set_u64(b, "hi", i < 63 ? UINT64_C(1) << i : PT_UNKNOWN);
		pt_json_set_u64(b, "count", h->octaves[i]);
		json_array_append_new(list, b);
	}
	return list;
}

static json_t *steps(const struct pt_log2hist *h)
{
	auto_free char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	const char *blank = "";

	if (!f)
		return NULL;
	for (unsigned int i = 0; i < PT_LOG2HIST_SLOTS; i++) {
		if (!h->slots[i])
			continue;
		fprintf(f, "%s%" PRIu64 ":%" PRIu64, blank, pt_log2hist_first(i), h->slots[i]);
		blank = " ";
	}
	return fclose(f) ? NULL : json_string(text);
}

json_t *pt_hist_json(enum pt_distance d, const struct pt_log2hist *h, int known)
{
	int any = known && h->count;
	json_t *o = json_object();

	pt_json_set_string(o, "metric", pt_distance_name(d));
	pt_json_set_string(o, "unit", pt_distance_unit(d));
	pt_json_set_string(o, "weight",
			   d == PT_DISTANCE_RESIDENCY ? "pages evicted" : "pages refaulted");
	pt_json_set_u64(o, "p50", any ? pt_log2hist_quantile(h, 0.5) : PT_UNKNOWN);
	pt_json_set_u64(o, "p90", any ? pt_log2hist_quantile(h, 0.9) : PT_UNKNOWN);
	pt_json_set_u64(o, "p99", any ? pt_log2hist_quantile(h, 0.99) : PT_UNKNOWN);
	pt_json_set(o, "mean", any ? json_real(pt_log2hist_mean(h)) : NULL);
	pt_json_set_u64(o, "max", any ? h->max : PT_UNKNOWN);
	pt_json_set(o, "buckets", known ? buckets(h) : NULL);
	pt_json_set(o, "steps", known ? steps(h) : NULL);
	return o;
}

/* ---- Reading */

static int find_metric(const json_t *o, enum pt_distance *ret_d)
{
	const char *name = json_string_value(json_object_get(o, "metric"));

	for (enum pt_distance d = 0; name && d < PT_DISTANCE_COUNT; d++) {
		if (strcmp(name, pt_distance_name(d)) == 0) {
			*ret_d = d;
			return 0;
		}
	}
	return -EBADMSG;
}

static int add_step(struct pt_log2hist *h, char *word)
{
	char *colon = strchr(word, ':');
	uint64_t lo, count;

	if (!colon)
		return -EBADMSG;
	*colon = '\0';
	if (pt_parse_u64(word, &lo) < 0 || pt_parse_u64(colon + 1, &count) < 0 ||
	    count > INT64_MAX - h->count)
		return -EBADMSG;
	pt_log2hist_add(h, lo, count);
	return 0;
}

static int parse_steps(const json_t *o, struct pt_log2hist *h)
{
	const char *text = json_string_value(json_object_get(o, "steps"));
	const json_t *max = json_object_get(o, "max"), *mean = json_object_get(o, "mean");
	auto_free char *copy = text ? strdup(text) : NULL;
	char *rest = copy, *word;
	int err = copy ? 0 : -EBADMSG;

	if (text && !copy)
		return -ENOMEM;
	while (!err && *text && (word = strsep(&rest, " ")))
		err = add_step(h, word);
	if (err < 0 || !h->count)
		return err;
	if (!json_is_integer(max) || json_integer_value(max) < 0 || !json_is_number(mean))
		return -EBADMSG;
	h->max = (uint64_t)json_integer_value(max); /* the steps only say where they begin */
	h->sum = json_number_value(mean) * (double)h->count;
	return 0;
}

int pt_hist_json_parse(const json_t *o, enum pt_distance *ret_d, struct pt_log2hist **ret_h)
{
	struct pt_log2hist *h = NULL;
	enum pt_distance d;
	int err = find_metric(o, &d);

	if (err < 0)
		return err;
	if (!json_is_null(json_object_get(o, "buckets"))) {
		h = pt_log2hist_new();
		err = h ? parse_steps(o, h) : -ENOMEM;
	}
	if (err < 0) {
		free(h);
		return err;
	}
	*ret_d = d;
	*ret_h = h;
	return 0;
}
