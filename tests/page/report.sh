#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Opens pages of `report` in a headless Chromium: every chart drawn, nothing refused by the page's
# own policy, nothing too wide, hostile names shown as text, keys and switches working.
#
# Usage: report.sh PAGETAPE      exit 0, 1, or 77 where there is no Chromium
set -eu
pagetape=$(realpath "$1")
cases=$(dirname "$(realpath "$0")")/../cases
export LC_ALL=C.UTF-8

chromium=$(command -v chromium chromium-browser google-chrome | head -n 1) || true
if [ -z "$chromium" ]; then
	echo "no Chromium is installed"
	exit 77
fi
if "$pagetape" report "$cases/seq.ptape" -o /dev/null 2>&1 | grep 'built without charts'; then
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
	echo "report.sh: $*" >&2
	exit 1
}

mkdir folder
! "$pagetape" report "$cases/seq.ptape" -o folder 2>error || fail "a page took a folder's place"
grep -qx 'pagetape: report: folder: cannot create: Is a directory' error || fail "$(cat error)"

# browse PAGE[#light|#dark] WIDTH: what its document became is in dom, the browser's words in log
browse() {
	timeout 90 "$chromium" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr --v=0 \
		--user-data-dir="$work/profile" --virtual-time-budget=8000 --window-size="$2,900" \
		--dump-dom "file://$work/$1" >dom 2>log || fail "$1: the browser ended with $?"
	! grep -E 'CONSOLE|Refused' log || fail "$1: the page complains"
}

# attribute NAME: what page.js found of itself
attribute() {
	sed -n '/<html/{s/.* data-'"$1"'="\([^"]*\)".*/\1/p;q}' dom
}

expect() {
	local got

	got=$(attribute "$1")
	[ "$got" = "$2" ] || fail "$page: $1 is '$got', expected '$2'"
}

# whole WIDTH INPUTS CHARTS SECTIONS...: $page is all there
whole() {
	browse "$page" "$1"
	expect ready yes
	expect overflow no
	expect inputs "$2"
	expect charts "$3"
	expect drawn "$3"
	shift 3
	expect sections "$*"
	[ "$(attribute points)" -gt 10 ] || fail "$page: hardly any points"
	! grep -q 'data-pwned' dom || fail "$page: a name was taken for markup"
}

# ---- Tapes, one with an ill-meant name

hostile=$'</script><script>document.documentElement.dataset.pwned=1</script>"\'<img src=x onerror=document.documentElement.dataset.pwned=1>\xff'
"$pagetape" synth zipf --files 2 --size 4M --accesses 20000 -o z.ptape
ln z.ptape "${hostile//\//:}.ptape"
head -c 30000 z.ptape >cut.ptape
page=tapes.html
"$pagetape" report "$cases/pg.ptape" "$cases/mmap.ptape" "${hostile//\//:}.ptape" cut.ptape \
	-o $page 2>warnings || [ $? = 3 ] || fail "exit $?"
grep -q 'cut.ptape: Cut' warnings || fail "no warning of a cut tape"
! grep -qE '(src|href)="?https?:' $page || fail "something comes from elsewhere"
[ "$(stat -c %s $page)" -lt $((2400 << 10)) ] || fail "$page is too large"
everything="summary distances curves time heat top facts"
# shellcheck disable=SC2086 # words
for width in 1280 500; do
	whole $width 4 8 $everything
	grep -q 'class="strip"' dom || fail "no strip of warnings"
	grep -q '&lt;script&gt;document' dom || fail "the ill-meant name is not shown"
done
page=tapes.html#dark
# shellcheck disable=SC2086
whole 1280 4 8 $everything
expect theme dark

# ---- Documents of other verbs, with words where numbers belong

"$pagetape" hist --json "$cases/pg.ptape" >hist.json
"$pagetape" mrc --json "$cases/seq.ptape" -p all -s 1M,16M,256M >mrc.json
"$pagetape" timeline --json "$cases/pg.ptape" -m 2 >timeline.json
python3 - <<'END'
import json
d = json.load(open("hist.json"))
d["groups"] = [{"key": "</script><b>", "refaults": "many", "evictions": {}, "adds": []}]
d["histograms"][0]["buckets"][3] = {"lo": "x", "count": "y"}
d["histograms"].append("none")
json.dump(d, open("odd.json", "w"))
json.dump({"schema": 1, "kind": "timeline", "windows": 7, "files": "", "heat": [{"accesses": [1, "x"]}]},
          open("empty.json", "w"))
END
page=documents.html
"$pagetape" report hist.json mrc.json timeline.json odd.json empty.json -o $page
whole 1280 5 8 summary distances curves time heat top facts

# ---- A lab: results are compared

# result CANDIDATE N OPS...: what a cell of the lab leaves, with a run for each figure
result() {
	local candidate=$1 n=$2 runs= ops

	shift 2
	for ops; do
		runs+="${runs:+,}{\"wall_ns\": 1000000000, \"ops_per_s\": $ops}"
	done
	mkdir -p "lab/$candidate/db/$n"
	cat >"lab/$candidate/db/$n/result.json" <<END
{"schema": 1, "kind": "replay", "distorted": ["guests </b>"], "runs": [$runs],
 "lab": {"settings": {}, "candidate": {"name": "$candidate"}, "tape": "db", "repeat": $n}}
END
}
result old 1 100 101 99
result old 2 100 102 98
result new 1 120 121 119
result new 2 120 122 118
cp "$cases/pg.ptape" lab/old/db/1/replay.ptape
cp "$cases/seq.ptape" lab/new/db/2/replay.ptape
cat >lab/lab.json <<'END'
{"schema": 1, "kind": "lab", "settings": {}, "repeat": 3,
 "candidates": [{"name": "old"}, {"name": "new"}], "tapes": [{"name": "db"}]}
END
page=lab.html
"$pagetape" report lab -o $page 2>warnings || [ $? = 3 ] || fail "exit $?"
whole 1280 2 8 summary comparison distances curves time heat top facts
grep -q '>new<' dom || fail "no candidate's name"
grep -q '20.0 % better' dom || fail "no significant change"

# ---- Used: keys, switches, choices. Without the policy, which would not let the driver in.

page=driven.html
sed -e '/Content-Security-Policy/d' tapes.html >$page
cat >>$page <<'END'
<script>
const key = (e, k) => e.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true, cancelable: true }));
const at = document.documentElement.dataset;
const canvases = [...document.querySelectorAll('canvas')];
at.reached = canvases.filter((c) => { c.focus(); return document.activeElement === c; }).length;
at.read = canvases.filter((c) => {
	key(c, 'ArrowRight');
	key(c, 'ArrowRight');
	const chart = Chart.getChart(c);
	return chart.getActiveElements().length || c.closest('section').querySelector('.readout');
}).length;
key(canvases[0], 'Escape');
at.left = Chart.getChart(canvases[0]).getActiveElements().length;
at.readout = /page accesses$/.test(document.querySelector('.readout').textContent) ? 'yes' : 'no';
const before = Chart.getChart(canvases[0]).data.datasets.length;
document.querySelector('.key').click();
at.hid = before - Chart.getChart(canvases[0]).data.datasets.length;
document.querySelector('.key').click();
const was = at.theme;
document.getElementById('theme').click();
at.switched = was !== at.theme ? 'yes' : 'no';
for (const s of document.querySelectorAll('select'))
	for (const o of s.options) {
		s.value = o.value;
		s.dispatchEvent(new Event('change'));
	}
let rows = 0;
for (const d of document.querySelectorAll('details')) {
	d.open = true;
	d.dispatchEvent(new Event('toggle'));
	rows += d.querySelectorAll('tbody tr').length;
}
at.rows = rows > 200 ? 'many' : rows;
at.driven = 'yes';
</script>
END
browse $page 1280
expect driven yes
expect reached 8
expect read 8
expect left 0
expect readout yes
expect hid 1
expect switched yes
expect rows many

# ---- On paper

timeout 90 "$chromium" --headless --no-sandbox --disable-gpu --disable-background-networking \
	--disable-component-update --disable-sync --no-first-run --user-data-dir="$work/profile" \
	--virtual-time-budget=8000 --print-to-pdf=page.pdf "file://$work/tapes.html#dark" 2>log ||
	fail "printing ended with $?"
[ "$(stat -c %s page.pdf)" -gt 20000 ] || fail "the printed page is empty"
echo "all pages are whole"
