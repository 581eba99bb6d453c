#include "numerics/runs/record.hpp"

#include <algorithm>

namespace attest {

void take_in(LeastConstant& constant, std::uint64_t from, std::uint64_t to, double lo, double hi,
             bool largest) {
  if (constant.to == 0) {
    constant = {from, to, lo, hi};
    return;
  }
  constant.to = to;
  constant.lo = largest ? std::min(constant.lo, lo) : std::max(constant.lo, lo);
  constant.hi = largest ? std::min(constant.hi, hi) : std::max(constant.hi, hi);
}

bool is_checkpoint(std::uint64_t t, std::uint64_t last) {
  if (t == 0 || t == last) return true;
  while (t % 10 == 0) t /= 10;
  return t == 1 || t == 2 || t == 5;
}

}  // namespace attest
