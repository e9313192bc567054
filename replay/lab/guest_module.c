// SPDX-License-Identifier: GPL-2.0-or-later
/* finit_module(2) for each: see guest_module.h. */
#include "replay/lab/guest_module.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "replay/lab/bootparam.h"
#include "replay/lab/initramfs.h"
#include "util/cleanup.h"
#include "util/textfile.h"

/* "virtio_blk" of "/lab/virtio_blk.ko". */
static int name_of(const char *path, struct pt_buf *b)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	if (pt_buf_put(b, base, strcspn(base, ".")) || pt_buf_put(b, "", 1))
		return -ENOMEM;
	return 0;
}

static int load(const char *path, const char *cmdline, struct pt_diag *diag)
{
	auto_buf struct pt_buf name = { 0 }, params = { 0 };
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return pt_diag_errno(diag, -errno, "cannot open %s", path);
	if (name_of(path, &name) < 0 ||
	    pt_bootparam_module(cmdline, (const char *)name.data, &params) < 0)
		return pt_diag_errno(diag, -ENOMEM, "cannot load %s", path);
	if (syscall(SYS_finit_module, fd, params.data, 0) < 0 && errno != EEXIST && errno != ENODEV)
		return pt_diag_errno(diag, -errno, "cannot load the module %s",
				     (const char *)name.data);
	(void)unlink(path);
	return 0;
}

int pt_guest_module_load_all(const char *cmdline, struct pt_diag *diag)
{
	auto_free char *text = NULL;
	char *rest, *line;
	int err = pt_text_read("", PT_INITRAMFS_MODULES, &text);

	if (err == -ENOENT)
		return 0;
	if (err)
		return pt_diag_errno(diag, err, "cannot read " PT_INITRAMFS_MODULES);
	rest = text;
	while (!err && (line = pt_text_line(&rest)))
		err = load(line, cmdline, diag);
	return err;
}
