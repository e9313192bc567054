// SPDX-License-Identifier: GPL-2.0-or-later
/* A live recording's head: see livehead.h. */
#include "capture/livehead.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "host/environment.h"
#include "host/identity.h"
#include "util/json.h"

static json_t *strings(const char *const *v)
{
	json_t *list = json_array();

	for (; *v; v++) {
		json_t *item = json_string(*v);

		/* A command's words need not be UTF-8. */
		json_array_append_new(list, item ? item : json_null());
	}
	return list;
}

static void set_knowledge(struct pt_head *head, const struct pt_livehead *facts)
{
	pt_head_set_known(head, "accesses",
			  facts->knows_accesses ? PT_KNOWN_DERIVED : PT_KNOWN_UNAVAILABLE);
	pt_head_set_known(head, "calls", PT_KNOWN_UNAVAILABLE);
	pt_head_set_known(head, "bytes", PT_KNOWN_UNAVAILABLE);
	pt_head_set_known(head, "open_files", PT_KNOWN_UNAVAILABLE);
	pt_head_set_known(head, "cgroups",
			  facts->knows_cgroups ? PT_KNOWN_KNOWN : PT_KNOWN_DERIVED);
	pt_head_set_known(head, "refaults",
			  facts->knows_cgroups ? PT_KNOWN_KNOWN : PT_KNOWN_DERIVED);
	pt_head_set_known(head, "activations",
			  facts->knows_activations ? PT_KNOWN_KNOWN : PT_KNOWN_UNAVAILABLE);
}

void pt_livehead_set_start(struct pt_head *head)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	pt_json_set_u64(head->doc, "start_realtime_ns",
			(uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
}

int pt_livehead_init(struct pt_head *head, const struct pt_livehead *facts)
{
	int r = pt_head_init(head, (uint32_t)sysconf(_SC_PAGESIZE), "mono");
	char boot[64];

	if (r < 0)
		return r;
	pt_livehead_set_start(head);
	pt_json_set_string(head->doc, "boot_id", pt_identity_boot("", boot, sizeof(boot)));
	pt_json_set_string(head->doc, "source", facts->source);
	pt_json_set(head->doc, "sources", strings(facts->sources));
	if (facts->command)
		pt_json_set(head->doc, "command", strings(facts->command));
	pt_json_set_u64(head->doc, "counters_every_ns", facts->counters_every_ns);
	pt_json_set(head->doc, "kernel", pt_identity_kernel(""));
	pt_json_set(head->doc, "environment", pt_environment(""));
	set_knowledge(head, facts);
	return 0;
}
