#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the demo and holds what it left against what it must show. Usage: demo.sh LOG_FOLDER
# Exits 77 where it passed with a synthetic tape only, the reason last in the log.
set -u
log=$1/demo.log

demo() {
	docs/demo.sh >"$log" 2>&1 || {
		tail -n 20 "$log"
		exit 1
	}
}

# Did somebody drop the page cache under the replay? Then its numbers say nothing.
disturbed() {
	[ -f demo-out/replay.json ] && python3 -c '
import json, sys
sys.exit(not any(run["distorted"] for run in json.load(sys.stdin)["runs"]))' <demo-out/replay.json
}

demo
if disturbed; then
	echo "demo: the replay was disturbed; once more"
	demo
fi
if [ ! -f demo-out/fidelity.json ]; then
	why=$(grep -A 1 '^This machine cannot record' "$log")
	echo "${why//$'\n'/}" >>"$log"
	exit 77
fi
python3 - demo-out <<'END'
import json
import sys

folder = sys.argv[1]
fidelity = json.load(open(f"{folder}/fidelity.json"))["fidelity"]
original = json.load(open(f"{folder}/hist-original.json"))
kernel = original["kernel"]["workingset_refault_file"]
wrong = []


def hold(name, value, least, most):
    print(f"demo: {name} {value} (wanted: {least} to {most})")
    if value is None or not least <= value <= most:
        wrong.append(name)


hold("access_match", fidelity["access_match"], 0.99, 1)
hold("refault_ratio", fidelity["refault_ratio"], 0.95, 1.05)
hold("hist_ks", fidelity["hist_ks"], 0, 0.1)
hold("miss_match", fidelity["miss_match"], 0, 1)
hold("refaults", original["refaults"], 1, 10**9)
if kernel:
    hold("refaults of the kernel's count", original["refaults"] / kernel, 0.995, 1.005)
sys.exit(1 if wrong else 0)
END
