// What the tests of the command line run and read.
#pragma once

namespace cli_tests {

extern const char* const attest_binary;
extern const char* const checker_binary;
extern const char* const samples;  // the folder

}  // namespace cli_tests
