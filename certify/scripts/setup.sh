#!/bin/sh
# Installs the Debian 12 packages that building needs; does nothing, quickly, when they are present. With --tests also
# what the tests need: the formal development and the verified checker (Coq, OCaml), clang for the quick preset, the
# fuzz targets and its formatter, and NumPy, whose own reading of npz files tests/differential compares with.
set -eu

packages="
  g++ cmake ninja-build ccache
  libboost-dev libeigen3-dev libgmp-dev libmpfr-dev libflint-dev libflint-arb-dev
  nettle-dev zlib1g-dev libcli11-dev nlohmann-json3-dev doctest-dev python3
"
mpi="openmpi-bin libopenmpi-dev python3-mpi4py"
python="python3-dev python3-numpy pybind11-dev"
if [ "${1:-}" = --python ]; then packages="$packages $python"; fi
if [ "${1:-}" = --mpi ]; then packages="$packages $python $mpi"; fi
if [ "${1:-}" = --tests ]; then
  packages="$packages
    coq libcoq-mathcomp-ssreflect libcoq-bignums libcoq-coquelicot
    ocaml ocaml-findlib libzarith-ocaml-dev libzip-ocaml-dev
    clang libclang-rt-dev clang-format
    $python mypy python3-matplotlib python3-sklearn python3-torch
    python3-nbclient python3-ipykernel $mpi
  "
fi

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then as_root=""; else as_root="sudo"; fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q >&2
# shellcheck disable=SC2086
$as_root apt-get install -q -y --no-install-recommends $missing >&2
