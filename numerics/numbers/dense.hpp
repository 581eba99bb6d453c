// What bounds in doubles over Eigen's matrices share.
#pragma once

#include <Eigen/Core>

namespace attest {

inline Eigen::Index index(std::size_t k) {
  return static_cast<Eigen::Index>(k);
}

inline constexpr double outward = 1 + 0x1p-30;  // more than a few hundred operations lose

}  // namespace attest
