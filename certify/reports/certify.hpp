// What `attest certify` tells: the decided facts as text for people and as one JSON value for machines.
#pragma once

#include <cstddef>
#include <string>

#include "certify/certificates/margin.hpp"

namespace attest {

struct CertifyReport {
  const CertifiedFacts* facts = nullptr;
  const Certificate* certificate = nullptr;
  std::string instance_path;
  std::string certificate_path;  // empty when none was written
  std::size_t certificate_bytes = 0;
  bool vacuous = false;
  std::size_t significant_digits = 40;
  double read_seconds = 0, solve_seconds = 0, write_seconds = 0, total_seconds = 0;
};

// Compact text: facts with their level, `c` lines of statistics, one final `s` line.
std::string certify_text(const CertifyReport& report);

// One JSON value with the keys of certify/README.md.
std::string certify_json(const CertifyReport& report);

}  // namespace attest
