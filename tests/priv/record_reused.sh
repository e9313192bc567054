#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An inode number that is used again: each file's records are its own, and no file gets another's
# name. Skips where the file system does not use numbers again at once.
# shellcheck source=tests/priv/lib.sh
. "$(dirname "$0")/lib.sh"

cat >reuse.py <<'END'
import os
for i in range(3):
    with open(f"file.{i}", "wb") as f:
        f.write(b"x" * 16384)
    print(os.stat(f"file.{i}").st_ino)
    fd = os.open(f"file.{i}", os.O_RDONLY)
    for _ in range(10 + i):
        os.pread(fd, 4096, 0)
    os.close(fd)
    if i < 2:
        os.unlink(f"file.{i}")
END
"$pagetape" record -q -o t.ptape -- python3 reuse.py >inodes || fail "record: $?"
[ "$(sort -u inodes | wc -l)" = 1 ] || skip "inode numbers are not used again here"
"$pagetape" dump t.ptape >dump || fail "dump: $?"

reads=$(grep -c "access:read .*/file\.2#2 " dump)
[ "$reads" = 12 ] || fail "$reads reads of the last file, not 12"
! grep -q "unlink .*/file\.2" dump || fail "the last file was unlinked under its name"
! grep "/file\.2" dump | grep -qv "file\.2#2" || fail "an older file has the last one's name"
"$pagetape" dump --file '*/file.2' t.ptape | grep -q access:read ||
	fail "a pattern does not find a file whose number was used before"
