// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of a kernel that matter here: see kconfig.h. */
#include "replay/lab/kconfig.h"

#include <errno.h>
#include <string.h>

#include "replay/lab/compressed.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/textfile.h"

#define CONFIG_MAX (16u << 20)

/* Placement first, then what makes a kernel slow enough to change a race. */
static const char *const options[] = {
	"LRU_GEN",
	"LRU_GEN_ENABLED",
	"LRU_GEN_WALKS_MMU",
	"MEMCG",
	"PSI",
	"SWAP",
	"ZSWAP",
	"ZRAM",
	"TRANSPARENT_HUGEPAGE",
	"READ_ONLY_THP_FOR_FS",
	"NUMA",
	"NUMA_BALANCING",
	"HZ",
	"PREEMPT",
	"PREEMPT_VOLUNTARY",
	"PREEMPT_NONE",
	"PREEMPT_RT",
	"KASAN",
	"KCSAN",
	"UBSAN",
	"LOCKDEP",
	"PROVE_LOCKING",
	"DEBUG_VM",
	"DEBUG_KMEMLEAK",
	"PAGE_OWNER",
};

/* "CONFIG_X=y" sets X in @config where it is one of ours. */
static void set_option(json_t *config, char *line)
{
	char *name = line + strlen("CONFIG_"), *value = strchr(line, '=');

	if (strncmp(line, "CONFIG_", strlen("CONFIG_")) != 0 || !value)
		return;
	*value++ = '\0';
	if (json_object_get(config, name))
		pt_json_set_string(config, name, value);
}

int pt_kconfig_read(const char *path, json_t **ret_config, struct pt_diag *diag)
{
	auto_buf struct pt_buf b = { 0 };
	json_t *config;
	char *rest, *line;
	int err = pt_compressed_read(path, CONFIG_MAX, &b, diag);

	if (!err && pt_buf_put(&b, "", 1) < 0)
		err = -ENOMEM;
	if (err)
		return err;
	config = json_object();
	for (size_t i = 0; i < PT_ARRAY_SIZE(options); i++)
		pt_json_set_string(config, options[i], "n");
	rest = (char *)b.data;
	while ((line = pt_text_line(&rest)))
		set_option(config, line);
	if (!config)
		return -ENOMEM;
	*ret_config = config;
	return 0;
}
