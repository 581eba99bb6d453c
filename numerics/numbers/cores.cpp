#include "numerics/numbers/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace attest {

std::size_t usable_cores() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0)
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&mask)));
  return std::max(1U, std::thread::hardware_concurrency());  // more cores than the mask has room for
}

}  // namespace attest
