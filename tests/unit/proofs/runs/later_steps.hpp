// Claims about all later steps, which are claim 2 of their certificates.
#pragma once

#include <algorithm>

#include "tests/unit/proofs/checker/claims.hpp"

namespace checker_tests {

// As `examine`; and every truncation of the claim is malformed.
inline void examine_later_steps(const std::string& instance, const Lines& body,
                                const std::vector<Change>& changes) {
  examine(instance, body, changes);
  const auto claim = std::find_if(body.begin(), body.end(),
                                  [](const std::string& line) { return line.starts_with("claim 2"); });
  for (std::size_t length = body.size() - 1; length > static_cast<std::size_t>(claim - body.begin());
       --length)
    CHECK(check_body(instance, Lines(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(length)))
              .status == 2);
}

}  // namespace checker_tests
