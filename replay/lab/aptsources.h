/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a Debian machine's own apt gets its packages: read, to ask the same servers for more
 * suites.
 */
#ifndef PT_REPLAY_LAB_APTSOURCES_H
#define PT_REPLAY_LAB_APTSOURCES_H

#include "util/diag.h"

struct pt_apt_source {
	char *uri;       /* NULL: none */
	char *signed_by; /* the path of a keyring; NULL: apt's own keys */
};

struct pt_apt_sources {
	char *codename;                      /* of the machine's release, "bookworm" */
	struct pt_apt_source main, security; /* of that release; its security updates */
};

/*
 * Read ROOT/etc/os-release, ROOT/etc/apt/sources.list and what is in sources.list.d, both of apt's
 * formats. @root is "" or the prefix of a fake tree. Returns 0; -EOPNOTSUPP where that is no
 * Debian, or names no server for its own release; or -ENOMEM. Release with pt_apt_sources_done().
 */
int pt_apt_sources_read(const char *root, struct pt_apt_sources *ret_s, struct pt_diag *diag);
void pt_apt_sources_done(struct pt_apt_sources *s);

#endif
