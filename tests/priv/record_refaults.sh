#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A workload under a memory limit: nothing is lost, the refaults are the cgroup's own count, the model
# agrees with the kernel on them, and which are activated is told from the tape.
# shellcheck source=tests/priv/lib.sh
. "$(dirname "$0")/lib.sh"
"$workload" zipf --dir . --size 64M --make || fail "cannot make files"
"$pagetape" record --memory 48M --counters-every 100ms -o t.ptape --json -- \
	"$workload" zipf --dir . --size 64M --drop --accesses 90000 --threads 2 >record.json 2>err
status=$?
! grep -q 'memory controller' err || skip "$(cat err)"
[ $status = 0 ] || { cat err; fail "exit $status"; }
"$pagetape" hist --cgroup subject --json t.ptape >hist.json || fail "hist"
python3 - <<'END' || fail "the counts"
import json
import os
import sys

record = json.load(open("record.json"))
hist = json.load(open("hist.json"))
kernel = hist["kernel"]["workingset_refault_file"]
check, told = hist["model_check"], hist["activation_prediction"]
print(f"{hist['refaults']} refaults, the kernel counted {kernel}; {record['lost_events']} lost")
bad = (record["lost_events"] != 0 or not kernel or
       abs(hist["refaults"] - kernel) > 0.005 * kernel)
if check:
    print(f"the model missed {check['missed_percent']:.2f} % and invented "
          f"{check['invented_percent']:.2f} %")
    bad |= check["missed_percent"] > 0.5 or check["invented_percent"] > 0.5
if os.path.isdir("/sys/kernel/tracing/events/memcg/memcg_flush_stats"):
    print(f"{told['decisions']} decisions in {told['flush_periods']} periods: "
          f"{told['wrong_percent']:.2f} % wrong, {told['wrong_fitted_percent']:.2f} % fitted")
    bad |= (not told["activated"] or told["wrong_percent"] > 5 or
            told["wrong_fitted_percent"] > 0.5)
sys.exit(bad)
END
