// Entry point of the checker's unit tests: numbers count into the budgets of threads, as in the program.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "proofs/checker/base/memory.hpp"

int main(int argc, char** argv) {
  attest_check::manage_memory_of_numbers();
  return doctest::Context(argc, argv).run();
}
