#!/bin/sh
# Every source file is as clang-format writes it.  clang-format.sh CLANG_FORMAT
set -eu
find src include tests \( -name '*.cpp' -o -name '*.hpp' \) -print0 | xargs -0 "$1" --dry-run --Werror
