#include "certify/process/standard_output.hpp"

#include <cstdio>

#include "certify/process/exit_status.hpp"

namespace attest {

int once_printed(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  std::fputs(unwritable_output, stderr);
  return exit_bad_input;
}

}  // namespace attest
