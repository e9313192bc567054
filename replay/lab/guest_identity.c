// SPDX-License-Identifier: GPL-2.0-or-later
/* Identity, surroundings and knobs in one document: see guest_identity.h. */
#include "replay/lab/guest_identity.h"

#include <string.h>

#include "host/counters.h"
#include "host/environment.h"
#include "host/identity.h"
#include "replay/lab/channel.h"
#include "replay/lab/kconfig.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/textfile.h"

/* From the environment, what is no knob. */
static const char *const surroundings[] = { "memory_bytes", "swap_bytes", "cpus", "nodes",
					    "cmdline" };

static void set_clocksource(json_t *doc, const char *root)
{
	auto_free char *text = NULL;
	char *rest;

	if (pt_text_read(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
			 &text) < 0)
		return;
	rest = text;
	pt_json_set_string(doc, "clocksource", pt_text_word(&rest));
}

json_t *pt_guest_identity(const struct pt_knob_place *place)
{
	json_t *doc = json_object(), *kernel = pt_identity_kernel(place->root);
	json_t *env = pt_environment(place->root), *config = NULL;

	pt_json_set_u64(doc, "protocol", PT_CHANNEL_PROTOCOL);
	pt_json_set_string(doc, "build_id", NULL);
	json_object_update(doc, kernel);
	set_clocksource(doc, place->root);
	(void)pt_kconfig_read("/proc/config.gz", &config, NULL);
	pt_json_set(doc, "config", config);
	pt_json_set(doc, "knobs", pt_knobs_json(place));
	for (size_t i = 0; i < PT_ARRAY_SIZE(surroundings); i++)
		pt_json_set(doc, surroundings[i],
			    json_incref(json_object_get(env, surroundings[i])));
	json_decref(kernel);
	json_decref(env);
	return doc;
}

static json_t *counters_json(int err, struct pt_counters *c)
{
	json_t *obj = err ? NULL : json_object();

	for (size_t i = 0; obj && i < c->n; i++)
		pt_json_set_u64(obj, c->v[i].name, c->v[i].value);
	pt_counters_done(c);
	return obj;
}

json_t *pt_guest_state(const struct pt_knob_place *place)
{
	json_t *doc = pt_guest_identity(place);
	struct pt_counters vmstat = { 0 }, psi = { 0 }, kswapd = { 0 };
	int err = pt_counters_kswapd(place->root, &kswapd);

	pt_json_set_u64(doc, "kswapd_cpu_ns", err ? UINT64_MAX : pt_counters_sum(&kswapd));
	pt_counters_done(&kswapd);
	err = pt_counters_vmstat(place->root, &vmstat);
	pt_json_set(doc, "vmstat", counters_json(err, &vmstat));
	err = pt_counters_psi(place->root, &psi);
	pt_json_set(doc, "psi_us", counters_json(err, &psi));
	return doc;
}
