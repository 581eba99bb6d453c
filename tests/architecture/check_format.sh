#!/bin/sh
# check_format.sh SOURCE_ROOT CLANG_FORMAT: every C++ file is as the formatter leaves it (.clang-format, version 14).
cd "$1" || exit 1
find numerics proofs certify tests -name '*.cpp' -o -name '*.hpp' | xargs "$2" --dry-run --Werror
