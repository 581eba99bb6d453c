#!/bin/sh
# exit_tests.sh CHECKER: whatever happens to the program, its exit status is one of GRAMMAR.md section 6, and none that
# says something about a certificate it has not checked. For attest-check and attest-check-verified alike.
checker=$1
folder=$(mktemp -d) || exit 1
chmod 755 "$folder"
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "$*"; head -c 300 "$folder/err"; failures=$((failures + 1)); }

# expect STATUS NAME COMMAND...: runs it and compares the exit status; nothing on standard output, a message on the
# other.
expect() {
  status=$1; name=$2; shift 2
  "$@" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  [ "$code" -eq "$status" ] || fail "$name: exit $code instead of $status"
  [ "$code" -eq 0 ] || [ ! -s "$folder/out" ] || fail "$name: output on a failure"
  [ "$code" -eq 0 ] || [ -s "$folder/err" ] || fail "$name: no message"
}

instance=$folder/instance.json
certificate=$folder/certificate
echo '{"X": [[[2], [1]]], "Y": [1], "v": [1], "z": [[1]]}' >"$instance"
hash=$(printf '%s\n' 'attest-instance 1' 'setting cross-attention' 'groups 1' 'tokens 2' 'dimension 1' 'factor-dimension 1' \
  X '1*2^1' 1 Y 1 v 1 z 1 | sha256sum | cut -d' ' -f1)
printf '%s\n' 'attest-certificate 1' 'producer hand 1' "instance sha256 $hash" 'problem 1' 'setting cross-attention' \
  'norm euclidean' 'loss none' 'selection 1 0' 'claim 1 globally-optimal problem 1' 'end problems 1 claims 1 lines 10' >"$certificate"
expect 0 'a true claim' "$checker" "$instance" "$certificate"

# What cannot be read.
mkdir -p "$folder/nested/X.npy" "$folder/dangling" "$folder/looping" "$folder/closed" "$folder/empty"
ln -s "$folder/absent" "$folder/dangling/X.npy"
ln -s X.npy "$folder/looping/X.npy"
ln -s loop "$folder/loop"
for path in nested dangling looping empty loop loop/X.npy instance.json/X.npy absent; do
  expect 2 "instance $path" "$checker" "$folder/$path" "$certificate"
  expect 2 "certificate $path" "$checker" "$instance" "$folder/$path"
done
long=$(printf '%05000d' 0)
for path in /proc/self/mem "$long" ''; do
  expect 2 "instance $path" "$checker" "$path" "$certificate"
  expect 2 "certificate $path" "$checker" "$instance" "$path"
done
expect 2 'a device that is never written' "$checker" /dev/null "$certificate"

# A folder that may not be listed, and one whose files may not be read: not for root, so as another user.
cp "$instance" "$folder/closed/X.npy"
chmod 644 "$instance" "$certificate"
chmod 000 "$folder/closed/X.npy"
as_other=
if [ "$(id -u)" -eq 0 ]; then
  as_other='setpriv --reuid 65534 --regid 65534 --clear-groups'
  cp "$checker" "$folder/checker"
  chmod 755 "$folder/checker"
  other=$folder/checker
else
  other=$checker
fi
if $as_other true 2>/dev/null; then
  expect 0 'as another user' $as_other "$other" "$instance" "$certificate"
  expect 2 'a file that may not be read' $as_other "$other" "$folder/closed" "$certificate"
  expect 2 'a certificate that may not be read' $as_other "$other" "$instance" "$folder/closed/X.npy"
  chmod 000 "$folder/closed"
  expect 2 'a folder that may not be listed' $as_other "$other" "$folder/closed" "$certificate"
  chmod 311 "$folder/closed"
  expect 2 'a folder that may only be entered' $as_other "$other" "$folder/closed" "$certificate"
  chmod 755 "$folder/closed"
else
  echo 'no other user: permissions are not tested'
fi

# Pipes: what ends too early is malformed, what never comes meets the time limit.
mkfifo "$folder/pipe"
: >"$folder/pipe" &
expect 2 'an empty pipe' "$checker" "$instance" "$folder/pipe"
expect 5 'a pipe that nobody writes' "$checker" --time-limit 1 "$folder/pipe" "$certificate"

# Standard output that cannot be written: a line says so; descriptors that are closed are not taken for files.
said() {
  [ "$(cat "$folder/err")" = "$(basename "$checker"): standard output cannot be written" ] || fail "$options, output $1: other words"
}
for options in "$instance $certificate" "--json $instance $certificate" --help; do
  sh -c '"$@" >/dev/full 2>"$0"' "$folder/err" "$checker" $options; code=$?
  [ "$code" -eq 2 ] || fail "$options, output full: exit $code instead of 2"
  said full
  sh -c '"$@" >&- 2>"$0"' "$folder/err" "$checker" $options; code=$?
  [ "$code" -eq 2 ] || fail "$options, output closed: exit $code instead of 2"
  said closed
  sh -c '"$@" <&- >&- 2>&-' sh "$checker" $options; code=$?
  [ "$code" -eq 2 ] || fail "$options, everything closed: exit $code instead of 2"
  { sleep 0.3; "$checker" $options 2>"$folder/err"; echo $? >"$folder/status"; } | :
  sleep 0.1
  until [ -s "$folder/status" ]; do sleep 0.1; done
  code=$(cat "$folder/status")
  rm "$folder/status"
  [ "$code" -eq 2 ] || fail "$options, output that nobody reads: exit $code instead of 2"
  said 'that nobody reads'
done
expect 2 'no arguments' "$checker"
expect 2 'an empty argument' "$checker" '' ''

# The last resort.
[ -n "$ATTEST_SANITIZED" ] || for signal in ABRT FPE SEGV BUS; do
  "$checker" --time-limit 20 "$folder/pipe" "$certificate" >"$folder/out" 2>"$folder/err" &
  process=$!
  until grep -q '^attest' "/proc/$process/comm" && grep -q '^SigCgt:.*[1-9a-f]' "/proc/$process/status"; do
    sleep 0.1  # it has no handlers yet
  done
  sleep 0.5
  kill -s $signal $process
  wait $process
  code=$?
  # OCaml's runtime aborts when memory is used up.
  [ "$code" -eq 6 ] || { [ $signal = ABRT ] && [ "$code" -eq 5 ]; } || fail "signal $signal: exit $code instead of 6"
  grep -q 'internal error\|resource limit' "$folder/err" || fail "signal $signal: no message"
done
[ "$failures" -eq 0 ]
