#!/bin/sh
# run_case.sh CHECKER CASE: checks the case's certificate against its instance and compares the exit code with the
# expected ones. A refused certificate must leave standard output empty; memory and time are bounded (memory not under
# the address sanitizer, which reserves terabytes of address space).
#
# A case is three lines: `instance FILE`, `certificate FILE`, `exit CODE [CODE]`, files relative to the case; a fourth,
# `message TEXT`, is what the refusal must say.
checker=$1
case_file=$2
instance= certificate= expected= message=
case $case_file in */*) folder=${case_file%/*} ;; *) folder=. ;; esac
# Builtins where they do: the tests start this script more than a thousand times.
while read -r key value || [ -n "$key" ]; do
  case $key in
    instance) instance=$folder/$value ;;
    certificate) certificate=$folder/$value ;;
    exit) expected=$value ;;
    message) message=$value ;;
  esac
done <"$case_file"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
output=$work/output
errors=$work/errors
[ -n "$expected" ] && [ -f "$instance" ] && [ -f "$certificate" ] || { echo "incomplete case $case_file"; exit 1; }
[ -n "$ATTEST_SANITIZED" ] || ulimit -v 1000000
timeout 60 "$checker" "$instance" "$certificate" >"$output" 2>"$errors"
code=$?
echo "exit $code, expected $expected"
[ ! -s "$errors" ] || head -c 2000 "$errors"
matched=no
for one in $expected; do [ "$code" -eq "$one" ] && matched=yes; done
[ $matched = yes ] || exit 1
[ -z "$message" ] || grep -qF -e "$message" "$errors" || { echo "it does not say: $message"; exit 1; }
case $code in
  0) [ "$(tail -n 1 "$output")" = 's VERIFIED' ] || { echo 'no s VERIFIED line'; exit 1; } ;;
  3) [ "$(tail -n 1 "$output")" = 's VACUOUS' ] || { echo 'no s VACUOUS line'; exit 1; } ;;
  *) [ ! -s "$output" ] || { echo 'output on refusal'; exit 1; }
     [ -s "$errors" ] || { echo 'refused without a message'; exit 1; } ;;
esac
if [ "$code" -eq 0 ] || [ "$code" -eq 3 ]; then
  claims=$(grep -c '^v claim ' "$output")
  stated=$( (gzip -dcf "$certificate" 2>/dev/null || cat "$certificate") | sed -n 's/^end problems [0-9]* claims \([0-9]*\) .*/\1/p')
  [ "$claims" = "$stated" ] || { echo "$claims lines v claim, $stated claims"; exit 1; }
fi
