// Paths of this build, in one source so that the others are the same in every folder.
#include "tests/cli/paths.hpp"

namespace cli_tests {

const char* const attest_binary = ATTEST_BINARY;
const char* const checker_binary = CHECKER_BINARY;
const char* const samples = SAMPLES;

}  // namespace cli_tests
