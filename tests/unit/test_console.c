// SPDX-License-Identifier: GPL-2.0-or-later
/* Consoles of real kernels, and single lines: what is a panic, what a complaint, and what neither.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/lab/console.h"
#include "tests/unit/tree.h"
#include "util/cleanup.h"

static struct pt_console *heard(const char *text)
{
	struct pt_console *c = pt_console_new();

	assert_non_null(c);
	pt_console_feed(c, text, strlen(text));
	return c;
}

static void expect_text(const char *got, const char *want)
{
	if (want) {
		assert_non_null(got);
		assert_string_equal(got, want);
	} else {
		assert_null(got);
	}
}

/* ---- Whole consoles */

static const struct {
	const char *file, *panic, *complaint, *before, *behind; /* the latter of the excerpt */
} logs[] = {
	{ "no-root-6.1.log", "VFS: Unable to mount root fs on unknown-block(0,0)", NULL,
	  "evm: HMAC attrs: 0x1\n", "\n mount_block_root+0x14e/0x1e6\n" },
	{ "no-root-6.12.log", "VFS: Unable to mount root fs on unknown-block(0,0)", NULL,
	  "List of all bdev filesystems:\n", "\n mount_root_generic+0x1ac/0x350\n" },
	{ "no-root-7.3.log", "VFS: Unable to mount root fs on unknown-block(0,0)", NULL,
	  "VFS: Cannot open root device \"\" or unknown-block(0,0): error -19\n",
	  "\n mount_root_generic+0x228/0x3a0\n" },
	{ "sysrq-7.3.log", "sysrq triggered crash", NULL, "guest: up\n",
	  "\n sysrq_handle_crash+0x1a/0x20\n" },
	{ "init-ended-6.12.log", "Attempted to kill init! exitcode=0x00000300", NULL,
	  "Run /init as init process\n", "\n x64_sys_call+0x14b1/0x16a0\n" },
	{ "warn-6.1.log", NULL,
	  "WARNING: CPU: 1 PID: 0 at arch/x86/kernel/smpboot.c:432 topology_sane.isra.0+0x6b/0x80",
	  NULL, "\nHardware name: QEMU Standard PC (i440FX + PIIX, 1996)" },
	{ "warn-7.3.log", NULL,
	  "WARNING: arch/x86/kernel/smpboot.c:329 at topology_sane.isra.0+0xba/0x220, CPU#1: "
	  "swapper/1/0",
	  NULL, "\nHardware name: QEMU Standard PC (i440FX + PIIX, 1996)" },
	{ "clean-6.12.log", NULL, NULL, NULL, "\nreboot: Power down\n" },
	{ "oops-6.12.log", "Attempted to kill init! exitcode=0x0000000b",
	  "Oops: general protection fault, probably for non-canonical address 0xdc931f687bfc2471: "
	  "0000 [#1] PREEMPT SMP NOPTI",
	  "PKRU: 55555554\n", "exitcode=0x0000000b\n" },
};

static struct pt_console *heard_file(const char *name)
{
	auto_free char *path = tree_path(PT_CONSOLE_DIR, name);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct pt_console *c = pt_console_new();

	assert_true(fd >= 0);
	assert_non_null(c);
	assert_int_equal(pt_console_follow(c, fd), 0);
	assert_int_equal(pt_console_bytes(c), lseek(fd, 0, SEEK_END));
	assert_int_equal(pt_console_follow(c, fd), 0);
	return c;
}

static void real_consoles(void **state)
{
	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(logs); i++) {
		struct pt_console *c = heard_file(logs[i].file);
		const char *excerpt = pt_console_excerpt(c), *panic, *before, *behind;

		expect_text(pt_console_panic(c), logs[i].panic);
		expect_text(pt_console_complaint(c), logs[i].complaint);
		behind = strstr(excerpt, logs[i].behind);
		assert_non_null(behind);
		if (logs[i].panic) {
			panic = strstr(excerpt, "Kernel panic - ");
			before = strstr(excerpt, logs[i].before);
			assert_true(before && panic && before < panic && panic < behind);
		}
		pt_console_free(c);
	}
}

/* ---- Single lines */

static const char *const complaints[] = {
	"WARNING: CPU: 1 PID: 214 at mm/vmscan.c:5789 lru_gen_exit_memcg+0x5f/0x70",
	"WARNING: mm/vmscan.c:5789 at lru_gen_exit_memcg+0x5f/0x70, CPU#1: kworker/1:2/214",
	"WARNING: possible circular locking dependency detected",
	"WARNING: possible recursive locking detected",
	"WARNING: inconsistent lock state",
	"WARNING: suspicious RCU usage",
	"INFO: trying to register non-static key.",
	"INFO: possible recursive locking detected",
	"BUG: kernel NULL pointer dereference, address: 0000000000000008",
	"BUG: KASAN: slab-use-after-free in lru_add_fn+0x1c4/0x5d0",
	"BUG: KCSAN: data-race in folio_batch_move_lru / shrink_active_list",
	"BUG: KFENCE: out-of-bounds read in test_out_of_bounds_read+0xa3/0x22b",
	"BUG: Bad page state in process replay  pfn:1f3c2",
	"BUG: sleeping function called from invalid context at mm/filemap.c:912",
	"BUG: workqueue lockup - pool cpus=0 node=0 stuck for 31s!",
	"watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [kswapd0:52]",
	"BUG kmalloc-64 (Not tainted): Poison overwritten",
	"kernel BUG at mm/filemap.c:153!",
	"invalid opcode: 0000 [#1] PREEMPT SMP NOPTI",
	"Oops: 0002 [#1] PREEMPT SMP NOPTI",
	"UBSAN: array-index-out-of-bounds in mm/workingset.c:312:24",
	"kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
	"rcu: INFO: rcu_preempt self-detected stall on CPU",
	"rcu: INFO: rcu_sched detected stalls on CPUs/tasks:",
	"rcu: rcu_preempt kthread starved for 2100 jiffies! g1337 f0x0 RCU_GP_WAIT_FQS(5)",
	"INFO: task jbd2/vda-8:87 blocked for more than 120 seconds.",
	"Buffer I/O error on dev vda, logical block 1, lost async page write",
	"I/O error, dev vda, sector 2048 op 0x1:(WRITE) flags 0x800 phys_seg 1",
	"EXT4-fs error (device vda): ext4_find_entry:1455: inode #2",
	"Failed to enable trace event: vmscan:no_such_event",
};

static const char *const harmless[] = {
	"[Firmware Bug]: TSC_DEADLINE disabled due to Errata; update microcode",
	"tsc: Fast TSC calibration failed",
	"Unstable clock detected, switching default tracing clock to \"global\"",
	"clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable",
	"RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable to RETBleed attacks!",
	"Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on",
	"Warning: unable to open an initial console.",
	"acpi PNP0A03:00: fail to add MMCONFIG information, can't access it",
	"dmi: Firmware registration failed.",
	"cryptomgr_test (38) used greatest stack depth: 14456 bytes left",
	"failed to enable SMAP",
	"rcu: INFO: Hierarchical RCU implementation.",
	"rcu: \tRCU restricting CPUs from NR_CPUS=512 to nr_cpu_ids=2.",
	"Memory cgroup out of memory: Killed process 212 (replay) total-vm:2348kB",
	"INFO: NMI handler (perf_event_nmi_handler) took too long to run: 2.012 msecs",
	"EXT4-fs (vda): mounted filesystem with ordered data mode. Quota mode: none.",
	"debug: BUGS are not here",
};

static void single_lines(void **state)
{
	char text[400];

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(complaints); i++) {
		snprintf(text, sizeof(text), "[   12.345678][  T214] %s\r\nnext\r\n",
			 complaints[i]);
		struct pt_console *c = heard(text);

		expect_text(pt_console_complaint(c), complaints[i]);
		assert_null(pt_console_panic(c));
		assert_memory_equal(pt_console_excerpt(c), complaints[i], strlen(complaints[i]));
		pt_console_free(c);
	}
	for (size_t i = 0; i < PT_ARRAY_SIZE(harmless); i++) {
		snprintf(text, sizeof(text), "[    0.000000] %s\n", harmless[i]);
		struct pt_console *c = heard(text);

		expect_text(pt_console_complaint(c), NULL);
		assert_null(pt_console_panic(c));
		pt_console_free(c);
	}
}

static void pieces_and_endings(void **state)
{
	static const char text[] = "[    1.0] one\r\n[    1.1] Kernel panic - not syncing: so\n";
	struct pt_console *c = pt_console_new();

	(void)state;
	assert_non_null(c);
	assert_string_equal(pt_console_last_line(c), "");
	assert_string_equal(pt_console_excerpt(c), "");
	for (size_t i = 0; i + 1 < sizeof(text); i++) {
		assert_null(pt_console_panic(c));
		pt_console_feed(c, text + i, 1);
	}
	assert_string_equal(pt_console_panic(c), "so");
	assert_string_equal(pt_console_excerpt(c), "one\nKernel panic - not syncing: so\n");
	pt_console_free(c);
}

static void our_init_says_why(void **state)
{
	struct pt_console *c = heard("[    3.2] pagetape: init: no channel\n"
				     "[    3.3] reboot: Power down\n");

	(void)state;
	assert_string_equal(pt_console_failure(c), "no channel");
	assert_null(pt_console_complaint(c));
	assert_string_equal(pt_console_last_line(c), "reboot: Power down");
	pt_console_free(c);
}

/* A guest may print anything: endless lines, control bytes, no end of reports. */
static void hostile_text(void **state)
{
	struct pt_console *c = pt_console_new();
	size_t lines = 0;

	(void)state;
	assert_non_null(c);
	for (int i = 0; i < 10000; i++)
		pt_console_feed(c, "BUG: \x1b[2J\a", 10);
	assert_null(pt_console_complaint(c)); /* the line has no end yet */
	for (int i = 0; i < 500; i++)
		pt_console_feed(c, "\n[[[] ]\n[\nBUG: again\n\0\n", 24);
	assert_int_equal(strlen(pt_console_complaint(c)), PT_CONSOLE_LINE);
	for (const char *p = pt_console_excerpt(c); *p; p++) {
		assert_true(*p == '\n' || (*p >= ' ' && *p <= '~'));
		lines += *p == '\n';
	}
	assert_int_equal(lines, 40);
	pt_console_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_consoles),      cmocka_unit_test(single_lines),
		cmocka_unit_test(pieces_and_endings), cmocka_unit_test(our_init_says_why),
		cmocka_unit_test(hostile_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
