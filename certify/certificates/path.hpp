// Claims about the regularisation path (kinds regularisation-path, path-residual and norm-path of
// proofs/statements/GRAMMAR.md).
#pragma once

#include "certify/certificates/text.hpp"
#include "numerics/forever/path_residual.hpp"
#include "numerics/forever/regularisation_path.hpp"

namespace attest {

// `optimum` is the number of the claim about the problem's solution. Returns the claim's number.
std::size_t write_path_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                             const PathBound& bound);

// How far the path strays from its ray.
std::size_t write_path_residual_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                                      const PathResidual& bound);

// The path's direction in another norm, `optimum` being the claim about its least norm.
std::size_t write_norm_path_claim(CertificateText& text, std::size_t problem, const Norm& norm,
                                  std::size_t optimum, const PathBound& bound);

}  // namespace attest
