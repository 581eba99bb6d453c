// Claims about the regularisation path (kind regularisation-path of proofs/statements/GRAMMAR.md).
#pragma once

#include "certify/certificates/text.hpp"
#include "numerics/forever/regularisation_path.hpp"

namespace attest {

// `optimum` is the number of the claim about the problem's solution. Returns the claim's number.
std::size_t write_path_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                             const PathBound& bound);

}  // namespace attest
