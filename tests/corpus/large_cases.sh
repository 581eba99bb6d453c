#!/bin/sh
# large_cases.sh ATTEST CHECKER: hostile inputs that are too large to keep in the repository. Both programs must stop
# cleanly, within bounded memory and time.
attest=$1
checker=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
[ -n "$ATTEST_SANITIZED" ] || ulimit -v 3000000
failures=0

# expect "CODES" COMMAND...: the exit code is one of CODES.
expect() {
  codes=$1
  shift
  timeout 60 "$@" >out 2>err
  code=$?
  for one in $codes; do [ "$code" -eq "$one" ] && return; done
  echo "exit $code, expected $codes: $*"
  head -c 300 err
  failures=$((failures + 1))
}

repeat() { head -c "$2" /dev/zero | tr '\0' "$1"; }

# instance NUMBER_FILE NAME: a one-group prompt instance whose v is the number in the file.
instance() {
  { printf '{"X":[[[1],[0]]],"K":[[[1],[0]]],"Y":[1],"v":['; cat "$1"; printf ']}'; } >"$2"
}

# certificate NUMBER_FILE NAME: claims an optimum whose squared norm is the number in the file.
certificate() {
  {
    printf 'attest-certificate 1\nproducer large 1\ninstance sha256 %s\n' "$hash"
    printf 'problem 1\nsetting prompt\nnorm euclidean\nloss none\nselection 1 0\n'
    printf 'claim 1 optimal problem 1 norm-squared '; cat "$1"; printf '\n'
    printf 'vector multipliers 1 over 1\n0 1 1\nend problems 1 claims 1 lines 12\n'
  } >"$2"
}

repeat 7 1000000 >million
repeat 7 10000000 >ten-million
printf 1 >one
instance one small.json
expect 0 "$attest" info --json small.json
hash=$(tr -d ' \n' <out | sed -n 's/.*"sha256":"\([0-9a-f]\{64\}\)".*/\1/p')
certificate one right.attest
expect 0 "$checker" small.json right.attest

# Integers of 10^6 digits are legal, of 10^7 digits are not; in JSON both are beyond a double and need quotes.
certificate million million.attest
expect 1 "$checker" small.json million.attest
certificate ten-million ten-million.attest
expect 2 "$checker" small.json ten-million.attest
{ printf '"'; cat million; printf '"'; } >quoted
{ printf '"'; cat ten-million; printf '"'; } >quoted-more
instance quoted million.json
expect 4 "$checker" million.json right.attest
expect 0 "$attest" info million.json
for bad in million quoted-more; do
  instance $bad bad.json
  expect '2 5' "$checker" bad.json right.attest
  expect '2 5' "$attest" info bad.json
done

# Lines, nesting, and compression.
repeat x 100000000 >one-line
expect 2 "$checker" small.json one-line
{ head -n 3 right.attest; repeat ' ' 80000000; } >spaces
expect 2 "$checker" small.json spaces
repeat '[' 20000000 >brackets
{ printf '{"X":'; cat brackets; } >nested.json
expect '2 5' "$checker" nested.json right.attest
expect '2 5' "$attest" info nested.json
head -c 700000000 /dev/zero | gzip -1 >bomb.gz
expect '2 5' "$checker" small.json bomb.gz
expect '2 5' "$checker" bomb.gz right.attest
expect '2 5' "$attest" info bomb.gz
{ cat right.attest; head -c 700000000 /dev/zero | tr '\0' '\n'; } | gzip -1 >tail.gz
expect '2 5' "$checker" small.json tail.gz

# Devices and folders instead of files.
expect '2 5' "$checker" /dev/null right.attest
expect '2 5' "$checker" small.json /dev/null
expect '2 5' "$checker" "$work" right.attest
expect '2 5' "$checker" small.json "$work"
expect '2 5' "$checker" missing.json right.attest
expect 2 "$attest" info missing.json
[ "$failures" -eq 0 ] || exit 1
