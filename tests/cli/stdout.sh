# What cannot be written is a failure, unless the reader left.
[ -c /dev/full ] || skip "no /dev/full"
run sh -c 'pagetape --help >/dev/full'
run sh -c 'pagetape --version >/dev/full'
run sh -c '(pagetape --help; echo "exit $?" >&2) | true'
