#include "certify/certificates/path.hpp"

namespace attest {
namespace {

std::string bound_words(std::size_t optimum, const PathBound& bound) {
  return "from " + std::to_string(optimum) + " from-radius " + certificate_number(bound.from_radius) +
         " rate-constant " + certificate_number(bound.claim_constant);
}

}  // namespace

std::size_t write_path_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                             const PathBound& bound) {
  return text.claim("regularisation-path", problem, bound_words(optimum, bound));
}

std::size_t write_norm_path_claim(CertificateText& text, std::size_t problem, const Norm& norm,
                                  std::size_t optimum, const PathBound& bound) {
  return text.claim("norm-path", problem, "norm " + norm.word + ' ' + bound_words(optimum, bound));
}

}  // namespace attest
