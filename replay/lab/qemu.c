// SPDX-License-Identifier: GPL-2.0-or-later
/* QEMU as a child: see qemu.h. */
#include "replay/lab/qemu.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/lab/channel.h"
#include "replay/lab/child.h"
#include "util/cleanup.h"

#define MAX_ARGS        96
#define DEFAULT_RAM     (UINT64_C(256) << 20)
#define VERSION_LIMIT_S 30

/*
 * 2^ICOUNT_SHIFT ns an instruction when time counts instructions: 250 million a second, about what
 * the emulator does, so that a guest's second lasts about a second.
 */
#define ICOUNT_SHIFT 2

/* Arguments, all of them ours to free. */
struct args {
	char *v[MAX_ARGS];
	size_t n;
	int err; /* the first failure */
};

static __attribute__((format(printf, 2, 3))) void add(struct args *a, const char *fmt, ...)
{
	va_list ap;
	char *s;

	if (a->err)
		return;
	va_start(ap, fmt);
	if (a->n + 1 >= MAX_ARGS)
		a->err = -E2BIG;
	else if (vasprintf(&s, fmt, ap) < 0)
		a->err = -ENOMEM;
	else
		a->v[a->n++] = s;
	va_end(ap);
}

static void args_done(struct args *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
}

/* In QEMU's options a comma ends a value, and two stand for one. NULL: no memory. */
static char *escape(const char *path)
{
	char *out = malloc(2 * strlen(path) + 1), *to = out;

	for (const char *p = path; out && *p; p++) {
		if (*p == ',')
			*to++ = ',';
		*to++ = *p;
	}
	if (out)
		*to = '\0';
	return out;
}

static void add_cpu(struct args *a, const struct pt_qemu *q, unsigned int cpus)
{
	add(a, "-accel");
	if (q->accel == PT_ACCEL_KVM)
		add(a, "kvm");
	else
		/*
		 * With a thread a CPU, 6.12 once crashed while one switched a tracepoint on that
		 * another ran into.
		 */
		add(a, "tcg,thread=single");
	add(a, "-cpu");
	/* QEMU 7.2's cmpxchg16b makes 6.12 oops in its slab allocator. */
	add(a, "%s", q->accel == PT_ACCEL_KVM ? "host" : "max,-cx16");
	add(a, "-smp");
	if (q->nodes > 1) /* a kernel warns where the CPUs of a socket are in several nodes */
		add(a, "cpus=%u,sockets=%u,cores=1,threads=1", cpus, cpus);
	else
		add(a, "%u", cpus);
	if (!q->deterministic)
		return;
	add(a, "-icount");
	add(a, "shift=%d,sleep=off", ICOUNT_SHIFT);
	add(a, "-rtc"); /* the clock starts with the machine, on a day of its own */
	add(a, "base=2020-01-01T00:00:00,clock=vm");
	add(a, "-seed");
	add(a, "1");
}

/* CPU ranges and memory, split evenly; the last node takes the rest. */
static void add_nodes(struct args *a, uint64_t ram_mib, unsigned int cpus, unsigned int nodes)
{
	for (unsigned int i = 0; i < nodes; i++) {
		uint64_t mib = ram_mib / nodes + (i + 1 == nodes ? ram_mib % nodes : 0);
		unsigned int first = i * cpus / nodes, end = (i + 1) * cpus / nodes;

		add(a, "-object");
		add(a, "memory-backend-ram,id=ram%u,size=%lluM", i, (unsigned long long)mib);
		add(a, "-numa");
		if (end > first)
			add(a, "node,nodeid=%u,memdev=ram%u,cpus=%u-%u", i, i, first, end - 1);
		else
			add(a, "node,nodeid=%u,memdev=ram%u", i, i);
	}
}

static void add_disk(struct args *a, const struct pt_qemu_disk *d, size_t i)
{
	auto_free char *path = escape(d->path);

	if (!path) {
		a->err = -ENOMEM;
		return;
	}
	/* It lives as long as the machine: nothing has to survive a crash of the host. */
	add(a, "-drive");
	/* By the driver's name, or what stands before a colon in the path would be taken for one.
	 */
	add(a,
	    "if=none,id=disk%zu,format=raw,cache=unsafe,discard=unmap,file.driver=file,"
	    "file.filename=%s",
	    i, path);
	add(a, "-device");
	/* Where the host has no room left the guest is to be told, not stopped until there is. */
	add(a, "virtio-blk-pci,drive=disk%zu,serial=%s,werror=report,rerror=report", i, d->serial);
}

static void add_channel(struct args *a, int fd)
{
	add(a, "-chardev");
	add(a, "socket,id=channel,fd=%d", fd);
	add(a, "-device");
	add(a, "virtio-serial-pci");
	add(a, "-device");
	add(a, "virtserialport,chardev=channel,name=%s", PT_CHANNEL_PORT);
}

static void add_all(struct args *a, const struct pt_qemu *q)
{
	static const char *const plain[] = { PT_QEMU_PROGRAM, "-nodefaults", "-no-user-config",
					     "-no-reboot",    "-display",    "none",
					     "-machine",      "pc",          "-serial",
					     "stdio" };
	unsigned int cpus = q->cpus ? q->cpus : 1;
	uint64_t mib = (q->ram_bytes ? q->ram_bytes : DEFAULT_RAM) >> 20;

	for (size_t i = 0; i < PT_ARRAY_SIZE(plain); i++)
		add(a, "%s", plain[i]);
	add_cpu(a, q, cpus);
	add(a, "-m");
	add(a, "%lluM", (unsigned long long)mib);
	if (q->nodes > 1)
		add_nodes(a, mib, cpus, q->nodes);
	for (size_t i = 0; i < PT_QEMU_DISKS; i++)
		if (q->disk[i].path)
			add_disk(a, &q->disk[i], i);
	if (q->channel_fd >= 0)
		add_channel(a, q->channel_fd);
	add(a, "-kernel");
	add(a, "%s", q->kernel);
	if (q->initramfs) {
		add(a, "-initrd");
		add(a, "%s", q->initramfs);
	}
	add(a, "-append");
	add(a, "%s", q->append);
}

static int check_installed(struct pt_diag *diag)
{
	auto_free char *path = NULL;
	int r = pt_child_find(PT_QEMU_PROGRAM, &path);

	if (r == -ENOENT)
		return pt_diag_set(diag, r, PT_NO_OFFSET,
				   PT_QEMU_PROGRAM
				   " is not installed: package qemu-system-x86 has it");
	return r;
}

int pt_qemu_start(const struct pt_qemu *q, pid_t *ret_pid, struct pt_diag *diag)
{
	struct pt_child_start start = { .in_fd = -1,
					.out_fd = q->console_fd,
					.err_fd = q->error_fd,
					.keep_fd = q->channel_fd };
	struct args a = { .n = 0 };
	int r = check_installed(diag);

	if (r < 0)
		return r;
	add_all(&a, q);
	start.argv = (const char *const *)a.v;
	r = a.err ? a.err : pt_child_start(&start, ret_pid, diag);
	args_done(&a);
	return r;
}

int pt_qemu_version(char **ret_version, struct pt_diag *diag)
{
	static const char *const argv[] = { PT_QEMU_PROGRAM, "--version", NULL };
	static const char before[] = "version ";
	const struct pt_child_command c = { .argv = argv,
					    .log_fd = -1,
					    .limit_s = VERSION_LIMIT_S };
	auto_free char *text = NULL;
	const char *at;
	int r = check_installed(diag);

	if (r == 0)
		r = pt_child_run(&c, &text, diag);
	if (r < 0)
		return r;
	at = strstr(text, before);
	at = at ? at + sizeof(before) - 1 : text;
	*ret_version = strndup(at, strcspn(at, "\n"));
	return *ret_version ? 0 : -ENOMEM;
}
