// read_many: the instance files named on standard input, a line each, read by the checker's reader and by
// attest's, in one process. Prints a line per file: what each made of it, the instance's hash or "refused".
#include <iostream>
#include <string>
#include <variant>

#include "certify/instance/instance.hpp"
#include "certify/instance/read.hpp"
#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/instance/instance.hpp"

namespace {

std::string by_checker(const std::string& path) {
  try {
    return attest_check::canonical_sha256(attest_check::read_instance(path));
  } catch (const attest_check::Failure&) {
    return "refused";
  }
}

std::string by_attest(const std::string& path) {
  const auto result = attest::read_dataset(path);
  const auto* dataset = std::get_if<attest::Dataset>(&result);
  if (dataset == nullptr) return "refused";
  return std::visit([](const auto& one) { return attest::canonical_sha256(one); }, *dataset);
}

}  // namespace

int main() {
  for (std::string path; std::getline(std::cin, path);) {
    std::cout << by_checker(path) << ' ' << by_attest(path) << '\n' << std::flush;
  }
}
