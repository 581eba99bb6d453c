// check_many: lines "instance TAB certificate" on standard input, checked in one process. Prints a line each,
// the exit status that attest-check would have.
#include <iostream>
#include <string>

#include "proofs/checker/checker.hpp"

namespace {

int status_of(const std::string& instance, const std::string& certificate) {
  try {
    const auto verdict = attest_check::check(instance, certificate, {});
    return static_cast<int>(verdict.vacuous ? attest_check::Exit::vacuous : attest_check::Exit::verified);
  } catch (const attest_check::Failure& failure) {
    return static_cast<int>(failure.status());
  }
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t tab = line.find('\t');
    std::cout << status_of(line.substr(0, tab), line.substr(tab + 1)) << '\n' << std::flush;
  }
}
