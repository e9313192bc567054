# A whole tape in text and JSON; several at once; one of them missing.
pagetape synth zipf --files 2 --size 8M --accesses 1000 -o a.ptape
pagetape synth seq --files 1 --size 64K --tasks 1 --accesses 16 -o b.ptape
sizes='s/\(size  *\)[0-9.]* [KM]*i*B/\1SIZE/; s/"bytes": [0-9][0-9]*/"bytes": BYTES/'
run pagetape info a.ptape | sed "$sizes"
run pagetape info b.ptape a.ptape absent.ptape | sed "$sizes"
run pagetape info --json b.ptape | sed "$sizes"
run pagetape info --csv b.ptape absent.ptape a.ptape |
	sed '/^tape,/!s/^\(\([^,]*,\)\{5\}\)[0-9]*/\1BYTES/'
