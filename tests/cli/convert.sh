# What is no recording is refused, and leaves no output behind.
run pagetape convert --list
run pagetape convert
run pagetape convert one
run pagetape convert absent.dat out.ptape
mkdir folder
run pagetape convert folder out.ptape
: >empty.dat
run pagetape convert empty.dat out.ptape
head -c 5000 /dev/zero >zeros.dat
run pagetape convert zeros.dat out.ptape
run ls
