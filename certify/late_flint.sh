#!/bin/sh
# late_flint.sh OUTPUT ARB FLINT ARCHIVE...: the C++ file with a stub for every function of the two libraries that the
# archives call; see late_flint.cpp. flint_cleanup and flint_set_abort are defined there.
set -e
export LC_ALL=C  # one order for sort and join
output=$1 arb=$2 flint=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -u "$@" 2>/dev/null | awk 'NF == 2 { print $2 }' | sort -u >"$work/wanted"
nm -D --defined-only "$arb" "$flint" | awk 'NF == 3 { print $3, $2 }' | sort -u >"$work/offered"
join "$work/wanted" "$work/offered" | grep -vE '^(flint_cleanup|flint_set_abort) ' >"$work/called"
if grep -vE ' [TWi]$' "$work/called"; then
  echo "late_flint.sh: these are no functions" >&2
  exit 1
fi
name=$(readelf -d "$arb" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
{
  echo '// Written by certify/late_flint.sh.'
  echo 'asm(R"('
  awk 'BEGIN { k = 0 } {
    print ".text\n.globl " $1 "\n.hidden " $1 "\n.type " $1 ",@function"
    print $1 ": jmp *attest_late_address+" 8 * k "(%rip)"
    print ".Llate" k ": lea attest_late_address+" 8 * k "(%rip), %r11\njmp attest_late_call"
    print ".data\n.balign 8\n" (k == 0 ? ".globl attest_late_address\n.hidden attest_late_address\nattest_late_address:\n" : "") ".quad .Llate" k
    ++k
  }' "$work/called"
  echo '.text'
  echo ')");'
  echo 'extern "C" {'
  echo "extern const char* const attest_late_library = \"$name\";"
  echo 'extern const char* const attest_late_names[] = {'
  awk '{ print "\"" $1 "\"," }' "$work/called"
  echo 'nullptr};'
  echo '}'
} >"$output"
