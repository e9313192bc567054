// SPDX-License-Identifier: GPL-2.0-or-later
/* From the options of `lab run` to a lab: candidates, tapes, machine, settings. See lab.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/lab.h"
#include "cli/replay_options.h"
#include "formats/record.h"
#include "replay/lab/child.h"
#include "replay/lab/initramfs.h"
#include "replay/lab/kernels.h"
#include "replay/lab/kerneltree.h"
#include "replay/lab/qemu.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"

#define VERB PT_LAB_RUN

#define MIB (UINT64_C(1) << 20)
/* By default: kernel, tapes and recordings need room, too. */
#define RAM_MIN        (1024 * MIB)
#define RAM_BESIDE     (768 * MIB)
#define DISK_MIN       (1024 * MIB)
#define DISK_BESIDE    (256 * MIB)
#define TRACE_PARAMS   "trace_buf_size=16M trace_event="
#define VERBOSE_PARAMS "loglevel=8"

/* ---- Candidates */

/* A path as it is, or the name of a kernel that `lab fetch` got. */
static int find_image(struct pt_candidate *c, struct pt_image **ret_i, struct pt_diag *diag)
{
	auto_free char *found = NULL;

	if (access(c->path, F_OK) < 0 && pt_kernels_by_name(c->path, &found) == 0) {
		free(c->path);
		c->path = steal_ptr(found);
	}
	return pt_image_open(c->path, ret_i, diag);
}

static void say_step(void *arg, const char *what)
{
	pt_say(arg, "%s", what);
}

/* What a tree comes to; a dry run builds nothing and leaves *@ret_i NULL. */
static int build_tree(struct pt_lab *lab, const struct pt_candidate *c, struct pt_image **ret_i,
		      struct pt_diag *diag)
{
	auto_free char *spec = NULL, *built = NULL;
	struct pt_kerneltree_options opt = { .stop = lab->stop,
					     .say = say_step,
					     .arg = (void *)&lab->o->common };
	int r;

	if (lab->o->dry_run)
		return 0;
	if (asprintf(&spec, "%s%s%s", c->path, c->rev ? "@" : "", c->rev ? c->rev : "") < 0) {
		spec = NULL;
		return -ENOMEM;
	}
	opt.spec = spec;
	r = pt_kerneltree_build(&opt, &built, diag);
	return r < 0 ? r : pt_image_open(built, ret_i, diag);
}

static int add_candidate(struct pt_lab *lab, const char *spec, bool is_tree, struct pt_diag *diag)
{
	size_t n = lab->ncandidates;
	struct pt_candidate *c = &lab->candidates[n];
	int r = pt_candidate_parse(spec, is_tree, c, diag);

	if (r < 0)
		return r;
	lab->ncandidates++;
	r = is_tree ? build_tree(lab, c, &lab->images[n], diag)
		    : find_image(c, &lab->images[n], diag);
	if (r == 0)
		r = pt_candidate_name(c, lab->images[n], lab->candidates, n, diag);
	return r;
}

static int add_specs(struct pt_lab *lab, const struct pt_strings *specs, bool is_tree)
{
	for (size_t i = 0; i < specs->n; i++) {
		struct pt_diag diag = PT_DIAG_INIT;
		int r = add_candidate(lab, specs->v[i], is_tree, &diag);
		char text[640];

		if (r == -EINVAL || r == -EEXIST || r == -E2BIG)
			return pt_usage(VERB, "--%s %s", is_tree ? "tree" : "kernel",
					pt_diag_format(&diag, r, text, sizeof(text)));
		if (r < 0)
			return pt_fail(VERB, r, &diag);
	}
	return -1;
}

/* Kernels first: where a tree is bisected the others are what it is held against. */
static int add_candidates(struct pt_lab *lab)
{
	const struct pt_lab_opts *o = lab->o;
	int r;

	lab->candidates = calloc(o->kernels.n + o->trees.n + 1, sizeof(*lab->candidates));
	lab->images = calloc(o->kernels.n + o->trees.n + 1, sizeof(struct pt_image *));
	if (!lab->candidates || !lab->images)
		return pt_fail(VERB, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	r = add_specs(lab, &o->kernels, false);
	return r < 0 ? add_specs(lab, &o->trees, true) : r;
}

/* ---- Tapes */

static int add_tape(struct pt_lab *lab, const char *path)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_labtape *t = &lab->tapes[lab->ntapes];
	auto_free const char **taken = calloc(lab->ntapes + 2, sizeof(*taken));
	int r = taken ? pt_labtape_open(path, lab->o->cgroup, t, &diag) : -ENOMEM;

	if (r < 0)
		return pt_fail(VERB, r, &diag);
	taken[0] = PT_MATRIX_NATIVE;
	for (size_t i = 0; i < lab->ntapes; i++)
		taken[i + 1] = lab->tapes[i].name;
	pt_labname_unique(t->name, taken, lab->ntapes + 1);
	lab->ntapes++;
	return -1;
}

/* Those of --tape and the operands; behind "--" is a command. */
static int add_tapes(struct pt_lab *lab, int argc, char **argv)
{
	const struct pt_strings *given = &lab->o->tapes;
	int r = -1;

	lab->tapes = calloc(given->n + (size_t)argc + 1, sizeof(*lab->tapes));
	if (!lab->tapes)
		return pt_fail(VERB, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	for (size_t i = 0; r < 0 && i < given->n; i++)
		r = add_tape(lab, given->v[i]);
	for (int i = 0; r < 0 && i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			lab->command = argv + i + 1;
			break;
		}
		r = add_tape(lab, argv[i]);
	}
	if (r < 0 && lab->command && !lab->command[0])
		return pt_usage(VERB, "which command? Nothing stands behind --");
	if (r < 0 && !lab->ntapes && !lab->command && !lab->o->shell)
		return pt_usage(VERB, "which tape?");
	return r;
}

/* ---- The machine */

static int parse_swap(const char *s, struct pt_lab_swap *ret)
{
	static const struct {
		const char *prefix;
		enum pt_lab_swap_kind kind;
	} kinds[] = { { "zram:", PT_LAB_SWAP_ZRAM }, { "disk:", PT_LAB_SWAP_DISK } };

	*ret = (struct pt_lab_swap){ .kind = PT_LAB_SWAP_NONE };
	if (strcmp(s, "none") == 0)
		return 0;
	for (size_t i = 0; i < PT_ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i].prefix);

		if (strncmp(s, kinds[i].prefix, len) == 0 &&
		    pt_parse_size(s + len, &ret->bytes) == 0 && ret->bytes) {
			ret->kind = kinds[i].kind;
			return 0;
		}
	}
	return -EINVAL;
}

static int check_numbers(const struct pt_lab_opts *o)
{
	if (o->memory == 0)
		return pt_usage(VERB, "--memory 0: expected a size, as in 64M");
	if (o->repeat < 1 || o->repeat > PT_MATRIX_MAX_REPEAT)
		return pt_usage(VERB, "--repeat %" PRIu64 ": expected 1 to %d", o->repeat,
				PT_MATRIX_MAX_REPEAT);
	if (o->cpus < 1 || o->cpus > PT_MACHINE_MAX_CPUS)
		return pt_usage(VERB, "--cpus %" PRIu64 ": expected 1 to %d", o->cpus,
				PT_MACHINE_MAX_CPUS);
	if (o->numa < 1 || o->numa > PT_MACHINE_MAX_NODES || o->numa > o->cpus)
		return pt_usage(VERB, "--numa %" PRIu64 ": expected 1 to %d, and no more than CPUs",
				o->numa, PT_MACHINE_MAX_NODES);
	if (o->jobs < 1 || o->jobs > 64)
		return pt_usage(VERB, "--jobs %" PRIu64 ": expected 1 to 64", o->jobs);
	if (o->deterministic && o->cpus != 1)
		return pt_usage(VERB, "--deterministic is one CPU: --cpus 1");
	return -1;
}

/* It becomes part of the kernel's command line, and of a list in it. */
static int is_event(const char *s)
{
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*?";
	size_t system = strspn(s, word);

	return system && s[system] == ':' && s[system + 1] &&
	       strspn(s + system + 1, word) == strlen(s + system + 1);
}

static int check_events(const struct pt_lab_opts *o)
{
	for (size_t i = 0; i < o->trace.n; i++)
		if (!is_event(o->trace.v[i]))
			return pt_usage(VERB, "--trace %s: expected SYSTEM:EVENT", o->trace.v[i]);
	return -1;
}

static int check_words(struct pt_lab *lab)
{
	const struct pt_lab_opts *o = lab->o;
	uint32_t window;
	double speed, warmup;

	if (pt_lab_fs_parse(o->fs, &lab->machine.fs) < 0)
		return pt_usage(VERB, "--fs %s: ext4, xfs, btrfs or f2fs", o->fs);
	if (parse_swap(o->swap, &lab->swap) < 0)
		return pt_usage(VERB, "--swap %s: none, zram:SIZE or disk:SIZE", o->swap);
	if (pt_replay_parse_order(o->order, &window) < 0)
		return pt_usage(VERB, "--order %s: task, strict, or window:N", o->order);
	if (pt_replay_parse_pace(o->pace, &speed) < 0)
		return pt_usage(VERB, "--pace %s: original, max, or a factor", o->pace);
	if (o->warmup && pt_replay_parse_warmup(o->warmup, &warmup) < 0)
		return pt_usage(VERB, "--warmup %s: 0 or more and below 1, or below 100%%",
				o->warmup);
	if (strcmp(o->accel, "auto") != 0 && strcmp(o->accel, "kvm") != 0 &&
	    strcmp(o->accel, "tcg") != 0)
		return pt_usage(VERB, "--accel %s: auto, kvm or tcg", o->accel);
	if (o->deterministic && strcmp(o->accel, "kvm") == 0)
		return pt_usage(VERB, "--deterministic is emulated: no --accel kvm");
	return check_events(o);
}

/* Some limit must there be, or nothing is ever evicted. */
static int check_limits(const struct pt_lab *lab)
{
	if (lab->o->memory != PT_UNKNOWN || lab->o->ram || lab->o->shell)
		return -1;
	if (lab->command)
		return pt_usage(VERB, "--memory SIZE or --ram SIZE is missing");
	for (size_t i = 0; i < lab->ntapes; i++)
		if (!lab->tapes[i].limit_bytes)
			return pt_usage(VERB,
					"--memory SIZE or --ram SIZE is missing: %s was recorded "
					"without a limit",
					lab->tapes[i].path);
	return -1;
}

uint64_t pt_lab_limit_bytes(const struct pt_lab *lab, size_t i)
{
	if (lab->o->memory != PT_UNKNOWN)
		return lab->o->memory;
	return lab->o->ram || i >= lab->ntapes ? 0 : lab->tapes[i].limit_bytes;
}

/* What a tape's runs need to hold under their limit, and of a disk. */
static uint64_t held_bytes(const struct pt_lab *lab, size_t i)
{
	uint64_t sum, disk = lab->o->ramdisk ? pt_lab_disk_bytes(lab, i) : 0;

	return __builtin_add_overflow(pt_lab_limit_bytes(lab, i), disk, &sum) ? UINT64_MAX : sum;
}

static uint64_t ram_bytes(const struct pt_lab *lab)
{
	uint64_t most = 0;

	if (lab->o->ram)
		return lab->o->ram;
	for (size_t i = 0; i <= lab->ntapes; i++)
		if (held_bytes(lab, i) > most)
			most = held_bytes(lab, i);
	if (most > UINT64_MAX / 2) /* the machine says that it cannot have that */
		return most;
	most = (most + RAM_BESIDE + MIB - 1) / MIB * MIB;
	return most > RAM_MIN ? most : RAM_MIN;
}

uint64_t pt_lab_disk_bytes(const struct pt_lab *lab, size_t i)
{
	uint64_t need = lab->o->ramdisk ? 0 : DISK_MIN,
		 files = i < lab->ntapes ? lab->tapes[i].file_bytes : 0;
	uint64_t least = pt_lab_fs_min_bytes(lab->machine.fs);

	if (lab->o->disk)
		return lab->o->disk;
	/* File systems keep a tenth or so for themselves. */
	if (files < UINT64_MAX / 2 && files + files / 8 + DISK_BESIDE > need)
		need = (files + files / 8 + DISK_BESIDE) / MIB * MIB;
	return need > least ? need : least;
}

static int set_append(struct pt_lab *lab)
{
	const struct pt_strings *t = &lab->o->trace;
	struct pt_buf b = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < t->n; i++) {
		const char *before = i ? "," : TRACE_PARAMS;

		r = pt_buf_put(&b, before, strlen(before));
		if (r == 0)
			r = pt_buf_put(&b, t->v[i], strlen(t->v[i]));
	}
	if (r == 0 && lab->o->keep_dmesg)
		r = pt_buf_put(&b, b.len ? " " VERBOSE_PARAMS : VERBOSE_PARAMS,
			       strlen(VERBOSE_PARAMS) + (b.len != 0));
	if (r == 0)
		r = pt_buf_put(&b, "", 1);
	lab->append = (char *)b.data;
	return r;
}

/* The command's program goes into the guest, by its base name where it is not found by PATH there.
 */
static int bring_command(struct pt_lab *lab)
{
	auto_free char *path = NULL;
	const char *word = lab->command[0], *slash = strrchr(word, '/');

	if (slash ? access(word, X_OK) < 0 : pt_child_find(word, &path) < 0)
		return pt_usage(VERB, "%s: no such program here", word);
	if (asprintf(&lab->command_name, "/bin/%s", slash ? slash + 1 : word) < 0) {
		lab->command_name = NULL;
		return pt_fail(VERB, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	}
	if (asprintf(&lab->command_extra, "%s:%s", slash ? word : path, lab->command_name) < 0) {
		lab->command_extra = NULL;
		return pt_fail(VERB, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	}
	return -1;
}

static int set_extra(struct pt_lab *lab)
{
	const struct pt_strings *x = &lab->o->extra;
	size_t n = x->n;
	int r;

	lab->extra = calloc(n + 2, sizeof(*lab->extra));
	if (!lab->extra)
		return pt_fail(VERB, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	if (n)
		memcpy(lab->extra, x->v, n * sizeof(*lab->extra));
	if (lab->command) {
		r = bring_command(lab);
		if (r >= 0)
			return r;
		lab->extra[n] = lab->command_extra;
	}
	return -1;
}

/* The file of this very program, also where there is no /proc. Release with free(); may be NULL. */
static char *own_program(void)
{
	char *path = realpath("/proc/self/exe", NULL);

	return path ? path : realpath((const char *)getauxval(AT_EXECFN), NULL);
}

static int set_machine(struct pt_lab *lab)
{
	const struct pt_lab_opts *o = lab->o;
	int r = set_extra(lab);

	if (r >= 0)
		return r;
	lab->program = o->program ? strdup(o->program) : own_program();
	if (!lab->program || set_append(lab) < 0)
		return pt_fail(VERB, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	lab->machine.program = lab->program;
	lab->machine.append = lab->append[0] ? lab->append : NULL;
	lab->machine.extra = lab->extra;
	lab->machine.ram_bytes = ram_bytes(lab);
	lab->machine.ramdisk = o->ramdisk;
	lab->machine.swap = lab->swap;
	lab->machine.cpus = (unsigned int)o->cpus;
	lab->machine.nodes = (unsigned int)o->numa;
	lab->machine.deterministic = o->deterministic;
	return -1;
}

/* ---- What all runs have in common */

static json_t *words(const char *const *v, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n && v[i]; i++) {
		json_t *word = json_string(v[i]);

		json_array_append_new(list, word ? word : json_null());
	}
	return list;
}

static json_t *memory_json(const struct pt_lab_opts *o)
{
	if (o->memory != PT_UNKNOWN)
		return json_integer((json_int_t)o->memory);
	return o->ram ? NULL : json_string("recorded");
}

/* What is left to be chosen by the lab may differ between tapes, and is null. */
static json_t *settings_json(const struct pt_lab *lab)
{
	const struct pt_lab_opts *o = lab->o;
	json_t *s = json_object();

	pt_json_set(s, "memory_bytes", memory_json(o));
	pt_json_set_u64(s, "ram_bytes", o->ram ? o->ram : PT_UNKNOWN);
	pt_json_set_u64(s, "disk_bytes", o->disk ? o->disk : PT_UNKNOWN);
	pt_json_set_u64(s, "cpus", o->cpus);
	pt_json_set_u64(s, "numa", o->numa);
	pt_json_set_string(s, "fs", o->fs);
	pt_json_set_bool(s, "ramdisk", o->ramdisk);
	pt_json_set_string(s, "swap", o->swap);
	pt_json_set_bool(s, "deterministic", o->deterministic);
	if (lab->knows_accel)
		pt_json_set_string(s, "accelerator", pt_accel_name(lab->machine.accel));
	pt_json_set_string(s, "order", o->order);
	pt_json_set_string(s, "pace", o->pace);
	if (o->warmup) /* labs of before there was one go on */
		pt_json_set_string(s, "warmup", o->warmup);
	pt_json_set_string(s, "cgroup", o->cgroup);
	pt_json_set_bool(s, "sparse", o->sparse);
	pt_json_set(s, "trace", words(o->trace.v, o->trace.n));
	pt_json_set(s, "command",
		    lab->command ? words((const char *const *)lab->command, 4096) : NULL);
	pt_json_set_string(s, "before", o->before);
	return s;
}

static json_t *asked_json(struct pt_lab *lab)
{
	json_t *doc = pt_json_document("lab", NULL), *list = json_array(), *tapes = json_array();

	lab->settings = settings_json(lab);
	for (size_t i = 0; i < lab->ncandidates; i++)
		json_array_append_new(list, pt_candidate_json(&lab->candidates[i], lab->images[i]));
	for (size_t i = 0; i < lab->ntapes; i++)
		json_array_append_new(tapes, pt_labtape_json(&lab->tapes[i]));
	if (lab->command) {
		json_t *native = json_object();

		pt_json_set_string(native, "name", PT_MATRIX_NATIVE);
		pt_json_set_string(native, "path", NULL);
		pt_json_set_string(native, "tape_id", NULL);
		json_array_append_new(tapes, native);
	}
	pt_json_set(doc, "settings", json_incref(lab->settings));
	pt_json_set(doc, "candidates", list);
	pt_json_set(doc, "tapes", tapes);
	pt_json_set_u64(doc, "repeat", lab->o->repeat);
	return doc;
}

/* What would fail every run is said once, before there is a folder. -1, or an exit code. */
static int check_tools(const struct pt_lab *lab)
{
	struct pt_diag diag = PT_DIAG_INIT;
	auto_free char *version = NULL;
	int r = pt_initramfs_check_program(lab->program, &diag);

	if (r == 0)
		r = pt_qemu_version(&version, &diag);
	return r < 0 ? pt_fail(VERB, r, &diag) : -1;
}

int pt_lab_choose_accel(struct pt_lab *lab, int run)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_accel_answer a;
	int r = run ? check_tools(lab) : -1;

	if (r >= 0)
		return r;
	lab->machine.accel = strcmp(lab->o->accel, "kvm") == 0 ? PT_ACCEL_KVM : PT_ACCEL_TCG;
	lab->knows_accel = run || strcmp(lab->o->accel, "auto") != 0 || lab->o->deterministic;
	if (strcmp(lab->o->accel, "auto") != 0 || lab->o->deterministic || !run)
		return -1;
	r = pt_accel_probe(lab->images[0], lab->stop, &a, &diag);
	if (r < 0)
		return pt_fail(VERB, r, &diag);
	lab->machine.accel = a.accel;
	if (a.accel == PT_ACCEL_TCG)
		pt_say(&lab->o->common, "machines are emulated: %s", a.why);
	return -1;
}

int pt_lab_open(struct pt_lab *lab, int run)
{
	struct pt_diag diag = PT_DIAG_INIT;
	int r = pt_lab_choose_accel(lab, run);
	json_t *asked;

	if (r >= 0)
		return r;
	asked = asked_json(lab);
	r = pt_matrix_open(lab->o->output, asked, run, &lab->matrix, &diag);
	json_decref(asked);
	if (r < 0)
		return pt_fail(VERB, r, &diag);
	lab->has_matrix = 1;
	return -1;
}

int pt_lab_understand(struct pt_lab *lab, const struct pt_lab_opts *o, int argc, char **argv)
{
	int r;

	lab->o = o;
	if (!o->kernels.n && !o->trees.n)
		return pt_usage(VERB, "which kernel? --kernel SPEC or --tree DIR is missing");
	if (!o->output && (!o->shell || o->dry_run))
		return pt_usage(VERB, "--output DIR is missing");
	r = check_numbers(o);
	if (r < 0)
		r = check_words(lab);
	if (r < 0)
		r = add_tapes(lab, argc, argv);
	if (r < 0)
		r = check_limits(lab);
	if (r < 0)
		r = add_candidates(lab);
	return r < 0 ? set_machine(lab) : r;
}

void pt_lab_done(struct pt_lab *lab)
{
	for (size_t i = 0; i < lab->ncandidates; i++) {
		pt_candidate_done(&lab->candidates[i]);
		pt_image_free(lab->images[i]);
	}
	for (size_t i = 0; i < lab->ntapes; i++)
		pt_labtape_done(&lab->tapes[i]);
	if (lab->has_matrix)
		pt_matrix_done(&lab->matrix);
	json_decref(lab->settings);
	free(lab->candidates);
	free(lab->images);
	free(lab->tapes);
	free(lab->program);
	free(lab->append);
	free(lab->extra);
	free(lab->command_extra);
	free(lab->command_name);
}
