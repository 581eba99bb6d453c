#!/bin/sh
# Sets up, builds everything and runs all tests; ctest's summary comes last. Arguments go to ctest.
set -eu
cd "$(dirname "$0")/.."

certify/scripts/setup.sh --tests
export CMAKE_GENERATOR=Ninja
cmake --preset release >/dev/null
cmake --build --preset release
ctest --preset release "$@"
