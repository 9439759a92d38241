#!/bin/sh
# The checks of .clang-tidy hold for the library and the program.  clang-tidy.sh CLANG_TIDY BUILD_DIR
set -eu
find src -name "*.cpp" -print0 | xargs -0 -n 1 -P "$(nproc)" "$1" --quiet --extra-arg=-Wno-unknown-warning-option -p "$2" 2>&1 |
  { ! grep -vE "^[0-9]+ warnings( and [0-9]+ errors?)? generated"; }
