// Claims about what must go for the rest to be separable (kinds conflicts and separable-without of
// proofs/statements/GRAMMAR.md).
#pragma once

#include <vector>

#include "certify/certificates/text.hpp"
#include "numerics/margin/conflicts.hpp"

namespace attest {

// No group is in two of them; one at least. Returns the claim's number.
std::size_t write_conflicts(CertificateText& text, std::size_t problem,
                            const std::vector<Conflict>& conflicts);

std::size_t write_separable_without(CertificateText& text, std::size_t problem, const DropSet& drop);

}  // namespace attest
