#!/bin/sh
# run_case.sh CHECKER CASE: checks the case's certificate against its instance and compares the exit code with the
# expected ones. A refused certificate must leave standard output empty; memory and time are bounded (memory not under
# the address sanitizer, which reserves terabytes of address space).
#
# A case is three lines: `instance FILE`, `certificate FILE`, `exit CODE [CODE]`, files relative to the case; a fourth,
# `message TEXT`, is what the refusal must say.
checker=$1
case_file=$2
folder=$(dirname "$case_file")
instance=$folder/$(sed -n 's/^instance //p' "$case_file")
certificate=$folder/$(sed -n 's/^certificate //p' "$case_file")
expected=$(sed -n 's/^exit //p' "$case_file")
message=$(sed -n 's/^message //p' "$case_file")
output=$(mktemp) || exit 1
errors=$(mktemp) || exit 1
trap 'rm -f "$output" "$errors"' EXIT
[ -n "$expected" ] && [ -f "$instance" ] && [ -f "$certificate" ] || { echo "incomplete case $case_file"; exit 1; }
[ -n "$ATTEST_SANITIZED" ] || ulimit -v 1000000
timeout 20 "$checker" "$instance" "$certificate" >"$output" 2>"$errors"
code=$?
echo "exit $code, expected $expected"
head -c 2000 "$errors"
matched=no
for one in $expected; do [ "$code" -eq "$one" ] && matched=yes; done
[ $matched = yes ] || exit 1
grep -qF -e "$message" "$errors" || [ -z "$message" ] || { echo "it does not say: $message"; exit 1; }
case $code in
  0) tail -n 1 "$output" | grep -qx 's VERIFIED' || { echo 'no s VERIFIED line'; exit 1; } ;;
  3) tail -n 1 "$output" | grep -qx 's VACUOUS' || { echo 'no s VACUOUS line'; exit 1; } ;;
  *) [ ! -s "$output" ] || { echo 'output on refusal'; exit 1; }
     [ -s "$errors" ] || { echo 'refused without a message'; exit 1; } ;;
esac
if [ "$code" -eq 0 ] || [ "$code" -eq 3 ]; then
  claims=$(grep -c '^v claim ' "$output")
  stated=$( (gzip -dcf "$certificate" 2>/dev/null || cat "$certificate") | sed -n 's/^end problems [0-9]* claims \([0-9]*\) .*/\1/p')
  [ "$claims" = "$stated" ] || { echo "$claims lines v claim, $stated claims"; exit 1; }
fi
