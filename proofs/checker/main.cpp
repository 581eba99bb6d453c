// attest-check: one process.
#include "proofs/checker/base/job.hpp"
#include "proofs/checker/command_line.hpp"

int main(int argc, char** argv) {
  attest_check::Job alone;
  return attest_check::run_checker(argc, argv, alone);
}
