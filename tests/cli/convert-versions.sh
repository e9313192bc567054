# Recordings of each version of trace.dat, and of one that was cut: kernel, clock, what is in it.
golden=$cases/../golden
sizes='s/\(size  *\)[0-9.]* [KM]*i*B/\1SIZE/; s/: [0-9.]* bytes an event/: BYTES/; s/events, [0-9.]* KiB/events, SIZE/'
for version in 6 7; do
	cp "$golden/trace-v$version.dat" v$version.dat
	if pagetape convert -q v$version.dat first.ptape 2>&1 | grep 'built without' >why; then
		skip "$(cat why)"
	fi
	run pagetape convert v$version.dat v$version.ptape | sed "$sizes"
	run pagetape info v$version.ptape | sed "$sizes"
	run cmp first.ptape v$version.ptape
done
# The last page of one CPU's data is missing: what the kernel counted tells.
head -c -4096 v6.dat >cut.dat
echo "another's" >cut.ptape.part
# How libtracecmd ends on it depends on what else is in memory.
run pagetape convert cut.dat cut.ptape | sed 's/libtracecmd .* reading/libtracecmd failed reading/'
run cat cut.ptape.part
head -c 20000 v6.dat >short.dat
run pagetape convert short.dat short.ptape
# Without the kernel's statistics nobody knows whether anything was lost.
sed 's/dropped events:/dropped_events:/' v6.dat >untold.dat
run pagetape convert -q --json untold.dat untold.ptape | grep -v bytes
