// consumer INSTANCE CERTIFICATE: reads the instance with one library and checks the certificate with the
// other.
#include <cstdio>
#include <variant>

#include "certify/instance/read.hpp"
#include "proofs/checker/checker.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const attest::Result<attest::Instance> read = attest::read_instance(argv[1]);
  const auto* instance = std::get_if<attest::Instance>(&read);
  if (instance == nullptr) return 2;
  const attest::TokenData data = attest::token_data(*instance);
  std::size_t constraints = 0;
  for (std::size_t i = 0; i < instance->sequences(); ++i) constraints += instance->tokens(i) - 1;
  try {
    const attest_check::Verdict verdict = attest_check::check(argv[1], argv[2], {});
    std::printf("%zu groups, %zu constraints; verified claims: %zu\n", data.groups(), constraints,
                verdict.claims.size());
  } catch (const attest_check::Failure& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  return 0;
}
