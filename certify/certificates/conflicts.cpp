#include "certify/certificates/conflicts.hpp"

namespace attest {

std::size_t write_conflicts(CertificateText& text, std::size_t problem,
                            const std::vector<Conflict>& conflicts) {
  const std::size_t claim = text.claim("conflicts", problem, "at-least " + std::to_string(conflicts.size()));
  for (const Conflict& conflict : conflicts) text.vector("farkas", conflict.farkas);
  return claim;
}

std::size_t write_separable_without(CertificateText& text, std::size_t problem, const DropSet& drop) {
  std::string groups = "groups " + std::to_string(drop.groups.size());
  for (const std::size_t group : drop.groups) groups += ' ' + std::to_string(group);
  const std::size_t claim = text.claim("separable-without", problem, groups);
  text.vector("separator", drop.separator);
  return claim;
}

}  // namespace attest
