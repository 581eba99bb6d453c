#!/bin/bash
# bundle_test.sh BUNDLE BUILD SCRATCH INSTANCE: the archive of certify/scripts/bundle.sh works where it is unpacked,
# with its own libraries and nothing else in the environment.
set -eu
bundle=$1 build=$2 scratch=$3/bundle instance=$4
rm -rf "$scratch"
mkdir -p "$scratch"
"$bundle" "$build" "$scratch/attest.tar.gz"
tar -C "$scratch" -xzf "$scratch/attest.tar.gz"
env -i PATH=/usr/bin:/bin SCRATCH="$scratch" INSTANCE="$instance" bash -eu <<'END'
. "$SCRATCH/attest/activate"
cd /
attest certify "$INSTANCE" -o "$SCRATCH/bundle.cert" >/dev/null
attest-check "$INSTANCE" "$SCRATCH/bundle.cert" | grep -q '^s VERIFIED'
ldd "$(command -v attest)" | grep libflint | grep -qv "$SCRATCH" && { echo "FAILED: a library of this machine"; exit 1; }
if [ -d "$SCRATCH/attest/python" ]; then
  /usr/bin/python3 -B -c "import attest; assert attest.__file__.startswith('$SCRATCH')"
  attest experiment --list >/dev/null
fi
END
echo "s BUNDLE"
