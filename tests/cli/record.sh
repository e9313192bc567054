# What record refuses before it looks at the machine. Recording itself is tested in tests/priv.
run pagetape record --duration 5 -o a.ptape
run pagetape record --memory 64 -o a.ptape -- true
run pagetape record --memory 64M -o a.ptape
run pagetape record --ring-size 8 -o a.ptape -- true
run pagetape record -o a.ptape ls -l
run pagetape record --counters-every often -o a.ptape -- true
run pagetape record --duration 0 -o a.ptape
run pagetape record --counters-every 0 -o a.ptape -- true
run pagetape record --counters-every 1ns -o a.ptape -- true
run pagetape record --ring-size 0 -o a.ptape -- true
run pagetape record --memory 0 -o a.ptape -- true
run pagetape record -o '' -- touch ran
run pagetape record -o - -- touch ran
run pagetape record -o folder/ -- touch ran
run ls -A
