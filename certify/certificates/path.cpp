#include "certify/certificates/path.hpp"

namespace attest {

std::size_t write_path_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                             const PathBound& bound) {
  return text.claim("regularisation-path", problem,
                    "from " + std::to_string(optimum) + " from-radius " +
                        certificate_number(bound.from_radius) + " rate-constant " +
                        certificate_number(bound.rate_constant));
}

}  // namespace attest
