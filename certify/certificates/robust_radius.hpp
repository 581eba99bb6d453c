// The claim that a selection stays feasible when its feature rows move a little (kind robust-radius of
// proofs/statements/GRAMMAR.md).
#pragma once

#include "certify/certificates/text.hpp"

namespace attest {

// `feasibility` is the number of the claim that bounds ||W||: optimal, optimal-enclosure or feasible. Returns
// the claim's number.
std::size_t write_robust_radius(CertificateText& text, std::size_t problem, std::size_t feasibility,
                                const Rational& radius);

}  // namespace attest
