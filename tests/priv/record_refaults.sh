#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A workload under a memory limit: nothing is lost, and the refaults are the cgroup's own count.
# shellcheck source=tests/priv/lib.sh
. "$(dirname "$0")/lib.sh"
"$workload" zipf --dir . --size 64M --make || fail "cannot make files"
"$pagetape" record --memory 48M -o t.ptape --json -- \
	"$workload" zipf --dir . --size 64M --drop --accesses 60000 --threads 2 >record.json 2>err
status=$?
! grep -q 'memory controller' err || skip "$(cat err)"
[ $status = 0 ] || { cat err; fail "exit $status"; }
"$pagetape" hist --cgroup subject --json t.ptape >hist.json || fail "hist"
python3 - <<'END' || fail "the counts"
import json
import sys

record = json.load(open("record.json"))
hist = json.load(open("hist.json"))
kernel = hist["kernel"]["workingset_refault_file"]
print(f"{hist['refaults']} refaults, the kernel counted {kernel}; {record['lost_events']} lost")
sys.exit(record["lost_events"] != 0 or not kernel or
         abs(hist["refaults"] - kernel) > 0.005 * kernel)
END
