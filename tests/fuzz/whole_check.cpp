// The whole check in memory: see whole_check.hpp.
#include "tests/fuzz/whole_check.hpp"

#include <cstdio>
#include <cstdlib>

#include "proofs/checker/text/context.hpp"
#include "tests/oracle/certificate.hpp"

namespace fuzz {

attest_check::Exit status_of(const attest_check::Instance& instance, std::string_view certificate) {
  using namespace attest_check;
  try {
    CertificateText text("certificate", std::string(certificate));
    return check(*read_certificate(instance, text), {}).vacuous ? Exit::vacuous : Exit::verified;
  } catch (const Failure& failure) {
    switch (failure.status()) {
      case Exit::rejected:
      case Exit::malformed:
      case Exit::mismatch:
      case Exit::resource:
        return failure.status();
      default:
        std::abort();
    }
  }
}

std::string with_hash(std::string_view certificate, const std::string& hash) {
  constexpr std::string_view before = "\ninstance sha256 ";
  std::string text(certificate);
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return text;
  const std::size_t start = at + before.size();
  return text.replace(start, text.find_first_of(" \n", start) - start, hash);
}

bool takes_long(std::string_view certificate) {
  const auto exceeds = [&](std::string_view word, unsigned long most) {
    for (std::size_t at = 0; (at = certificate.find(word, at)) != std::string_view::npos;) {
      at += word.size();
      const std::string number(certificate.substr(at, 20));
      if (std::strtoul(number.c_str(), nullptr, 10) > most) return true;
    }
    return false;
  };
  return exceeds("steps ", 64) || exceeds("bits ", 512);
}

void require_grammar(std::string_view certificate) {
  try {
    reference::parse_certificate(std::string(certificate));
  } catch (const reference::Malformed& error) {
    std::fprintf(stderr, "Accepted, but malformed: %s\n", error.what());
    std::abort();
  }
}

}  // namespace fuzz
