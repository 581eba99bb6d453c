#!/bin/sh
# Sets up, builds, certifies the embedded sample (handwritten digits, see certify/samples), proves what training selects
# on it for ever, and checks both certificates.
set -eu
cd "$(dirname "$0")/../.."

certify/scripts/setup.sh
export CMAKE_GENERATOR=Ninja
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "building (the first time takes a few minutes) ..."
if ! { cmake --preset release && cmake --build --preset release --target attest attest-check; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi

bin=build/release/bin
sample=certify/samples/digits01.npz
certificate=build/digits01.cert
unit=certify/samples/digits01_unit.npz
run=build/digits01.attest

# Shows a command and runs it; exit status 30 (something stays undecided, and says so) is no failure here.
show() {
  printf '\n$ %s\n' "$*"
  status=0
  "$@" || status=$?
  [ $status = 0 ] || [ $status = 30 ] || exit $status
}
show $bin/attest certify $sample -o $certificate
show $bin/attest verify $sample
show $bin/attest-check $sample $certificate
show $bin/attest run $unit --optimizer ngd --step 1/10 --steps 20000 --until-forever -o $run
show $bin/attest-check $unit $run
