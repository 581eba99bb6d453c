#include "certify/certificates/robust_radius.hpp"

namespace attest {

std::size_t write_robust_radius(CertificateText& text, std::size_t problem, std::size_t feasibility,
                                const Rational& radius) {
  return text.claim("robust-radius", problem,
                    "from " + std::to_string(feasibility) + " radius " + certificate_number(radius));
}

}  // namespace attest
