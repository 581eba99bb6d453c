// attest run and attest checkpoint on heads of several outputs: certificates hold the run and what is proved
// of all later steps, and the real checker accepts them.
#include <fstream>

#include "tests/cli/run_instances.hpp"

using namespace cli_tests;
using nlohmann::json;

namespace {

const char* const classes =
    R"({"X":[[[0,0],[-1,-1],[-2,1]]],"head":"classifier","U":[[1,0],[0,0.5],[-1,1]],"y":[0],"z":[[1]]})";
const char* const units =
    R"({"X":[[[0,0],[-1,-1],[-2,1]]],"head":"relu","A":[[1,0],[0,-1]],"bias":[3,3],"r":[1,0.5],"Y":[1],"z":[[1]]})";

// The kinds of a certificate's claims, once attest-check has accepted it.
std::string kinds_of(const Folder& folder, const std::string& certificate) {
  const Outcome checked = folder.check("i.json " + certificate);
  CAPTURE(checked.err);
  CHECK(checked.exit == 0);
  return checked.out;
}

}  // namespace

TEST_CASE("heads of several outputs: certificates of runs are checked") {
  for (const char* text : {classes, units}) {
    CAPTURE(text);
    const Folder folder;
    folder.write("i.json", text);
    for (const char* options : {"gd --step 1", "ngd --step 1/4", "gd --step 1 --schedule inverse"}) {
      CAPTURE(options);
      const Outcome run = folder.attest("run i.json --steps 30 -o r.attest --force --json --optimizer " +
                                        std::string(options));
      CAPTURE(run.err);
      REQUIRE(run.exit == 0);
      CHECK(!json::parse(run.out).contains("certificate_note"));
      CHECK(has(kinds_of(folder, "r.attest"), " run problem 1 "));
    }
    // T10, T14, T15 from a point on.
    folder.write("w.json", "[[40],[21]]");
    CHECK(folder.attest("run i.json --steps 0 --init @w.json -o p.attest --optimizer ngd --step 1/20").exit ==
          0);
    const std::string proved = kinds_of(folder, "p.attest");
    for (const char* theorem : {"theorem absorbing", "theorem residual", "theorem bounded"})
      CHECK(has(proved, theorem));
  }
}

TEST_CASE("heads of several outputs: a unit on its kink where all tokens are equal") {
  const Folder folder;
  folder.write("i.json", R"({"X":[[[2],[1]],[[1],[1]]],"head":"relu","A":[[1]],"bias":[-1],"r":[1],"Y":[1,1],
                             "z":[[1],[1]]})");
  CHECK(folder.attest("run i.json --optimizer gd --step 1 --steps 3 -o r.attest").exit == 0);
  CHECK(has(kinds_of(folder, "r.attest"), " run problem 1 "));
}

// L - L* is positive in one and negative in the other, and too small for a certificate's numbers.
TEST_CASE("heads of several outputs: bands about losses that have all but reached their limit") {
  const Folder folder;
  for (const char* text :
       {R"({"X":[[[0],[-1000]]],"head":"classifier","U":[[1],[0]],"y":[0],"z":[[1]]})",
        R"({"X":[[[1],[-1000]]],"head":"relu","A":[[1],[1]],"bias":[2000,1],"r":["1/1000","-3/1000"],"Y":[1],
            "z":[[1]]})"}) {
    CAPTURE(text);
    folder.write("i.json", text);
    CHECK(folder.attest("run i.json --optimizer gd --step 1000 --steps 3 -o r.attest --force").exit == 0);
    CHECK(has(kinds_of(folder, "r.attest"), " run problem 1 "));
  }
}

TEST_CASE("heads of several outputs: a classifier's lock-in, a checkpoint under every rule there is") {
  for (const char* text : {classes, units}) {
    CAPTURE(text);
    const Folder folder;
    folder.write("i.json", text);
    folder.write("near.json", "[[3],[2]]");
    folder.write("far.json", "[[40],[21]]");
    const Outcome run =
        folder.attest("run i.json --steps 0 --init @near.json -o p.attest --optimizer gd --step 1/16");
    CHECK(run.exit == 0);
    CHECK(has(kinds_of(folder, "p.attest"), "theorem lock-in") == (text == classes));
    const Outcome checkpoint = folder.attest("checkpoint i.json --W far.json -o c.attest");
    CAPTURE(checkpoint.err);
    CHECK(checkpoint.exit == 0);
    CHECK(has(kinds_of(folder, "c.attest"), "theorem bounded"));
  }
}
