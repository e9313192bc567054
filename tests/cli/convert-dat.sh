# A trace.dat in name only.
printf '\027\010Dtracing7\0' >head.dat
if pagetape convert head.dat out.ptape 2>&1 | grep 'built without' >why; then
	skip "$(cat why)"
fi
run pagetape convert head.dat out.ptape
run ls
