// Runs whose numbers are beyond what a certificate writes out.
#include <doctest/doctest.h>

#include <string>

#include "tests/cli/folder.hpp"

using namespace cli_tests;

TEST_CASE("a run with numbers beyond 2^60000 leaves a certificate without a claim about the run") {
  const Folder folder;
  folder.write("a.json", R"({"X": [[[0,0],[-1000000,-1]]], "Y": [1], "v": [1,0], "z": [[1]]})");
  folder.write("w.json", R"([["1/1048576"],[0]])");
  const Outcome run = folder.attest(
      "run a.json --init @w.json --optimizer gd --step 1 --loss exponential --steps 2 -o a.attest");
  INFO(run.out, run.err);
  CHECK(run.out.find("above 2^60000") != std::string::npos);
  CHECK(run.out.find("without the run: numbers beyond 2^60000") != std::string::npos);
  CHECK(folder.read("a.attest").find(" run problem") == std::string::npos);
  CHECK(folder.check("a.json a.attest").exit == 0);
}
