#!/bin/sh
# The whole command: user instructions by callgrind, and wall time beside an empty static C++ program.
#   tests/bench/command.sh BUILD_DIR          needs valgrind, hyperfine, a C++ compiler
set -eu
program=$1/occcalc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo 'int main() {}' >"$folder/empty.cpp"
${CXX:-c++} -O2 -static -o "$folder/empty" "$folder/empty.cpp"

instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | awk '/Collected/ {print $4}'
}
echo "instructions of the main example:  $(instructions "$program" --regs 40 --smem 8K --block 256 --arch sm_80)"
echo "instructions with every option:    $(instructions "$program" --regs 40 --smem-static 1K --smem-dynamic 7K \
  --smem-per-thread 4 --block 16x16 --arch sm_80 --barriers 2 --carveout 100K --no-opt-in --global-caching off \
  --virtual-resources 0 --require-launch --require-occupancy 10% --format table --color never)"
hyperfine -N --warmup 50 --runs 1000 "$folder/empty" "$program --regs 40 --smem 8K --block 256 --arch sm_80"
