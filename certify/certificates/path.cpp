#include "certify/certificates/path.hpp"

#include <algorithm>

#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

std::string bound_words(std::size_t optimum, const PathBound& bound) {
  return "from " + std::to_string(optimum) + " from-radius " + certificate_number(bound.from_radius) +
         " rate-constant " + certificate_number(bound.claim_constant);
}

// With the bits that a fixed-point factorisation proves the bound with (GRAMMAR.md section 7): what the Gram
// matrix's condition takes, and ample for its rounding errors.
std::string eigenvalue_words(const Rational& least, const Rational& largest) {
  const long condition = approx_log2(largest) - approx_log2(least);
  return "lambda-min " + certificate_number(least) + " bits " +
         std::to_string(std::clamp(condition + 96, 96L, 4096L));
}

}  // namespace

std::size_t write_path_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                             const PathBound& bound) {
  return text.claim("regularisation-path", problem, bound_words(optimum, bound));
}

std::size_t write_path_residual_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                                      const PathResidual& bound) {
  const std::size_t number =
      text.claim("path-residual", problem,
                 "from " + std::to_string(optimum) + " from-radius " + certificate_number(bound.from_radius) +
                     " residual " + certificate_number(bound.residual));
  text.line(eigenvalue_words(bound.least_eigenvalue, bound.largest_square));
  text.vector("pull", bound.pull);
  return number;
}

std::size_t write_norm_path_claim(CertificateText& text, std::size_t problem, const Norm& norm,
                                  std::size_t optimum, const PathBound& bound) {
  return text.claim("norm-path", problem, "norm " + norm.word + ' ' + bound_words(optimum, bound));
}

}  // namespace attest
