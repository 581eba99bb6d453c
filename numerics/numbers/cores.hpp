// How many processor cores this process may use.
#pragma once

#include <cstddef>

namespace attest {

// Those of its affinity mask, as taskset, mpirun and batch systems set it; at least 1.
std::size_t usable_cores();

}  // namespace attest
