// What a command must not write over: its inputs by any name, and files of another kind.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/run_instances.hpp"

using namespace cli_tests;

namespace {

const std::string any_run = "run i.json --optimizer ngd --step 1/10 ";
const std::string a_run = any_run + "--steps 20 ";

// A folder with the instance i.json, its certificate, and whatever a run of it writes.
struct Everything {
  Folder folder;
  Everything() {
    folder.write("i.json", run_cross_text);
    REQUIRE(folder.attest("certify i.json -o c.cert").exit == 0);
    REQUIRE(folder.attest("convert i.json i.npz").exit == 0);
    REQUIRE(folder.attest("convert i.json i").exit == 0);
    REQUIRE(folder.attest(a_run + "-o r.attest --trace t.npz --plot p.svg --report p.html").exit == 0);
    REQUIRE(folder.attest(any_run + "--steps 100000000 --time-limit 0.5 --state s").exit == 30);
    REQUIRE(folder.attest("export --coq i.json c.cert -o E.v").exit == 0);
  }

  // Fails with exit 2 and one line that says `why`; no file is changed, made or removed.
  void refuses(const std::string& arguments, const std::string& why) const {
    CAPTURE(arguments);
    const auto contents = [&] {
      std::vector<std::string> all;
      for (const auto& entry : fs::recursive_directory_iterator(folder.path(""))) {
        all.push_back(entry.path().string() + (entry.is_regular_file() ? slurp(entry.path()) : ""));
      }
      std::sort(all.begin(), all.end());
      return all;
    };
    const auto before = contents();
    const Outcome outcome = folder.attest(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find(why) != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(contents() == before);
  }
};

}  // namespace

TEST_CASE("outputs: no input is written over, by any name, whatever --force says") {
  const Everything all;
  const Folder& folder = all.folder;
  fs::create_symlink("i.npz", folder.path("link.npz"));
  fs::create_hard_link(folder.path("i.npz"), folder.path("hard.npz"));
  fs::create_symlink("i", folder.path("linked"));
  fs::create_symlink("i.npz", folder.path("r2.attest.state"));
  folder.write("w.json", "[[0,0],[0,0],[0,0]]");
  const std::string input = "is the input";
  for (const std::string force : {"", " --force"}) {
    for (const std::string output : {"i.npz", "./i.npz", "i/../i.npz", "link.npz", "hard.npz"}) {
      all.refuses("certify i.npz -o " + output + force, input);
      all.refuses("certify link.npz -o " + output + force, input);
      all.refuses("selections i.npz -o " + output + force, input);
      all.refuses("convert i.npz " + output + force, input);
      all.refuses("certify i.npz --report " + output + force, input);
      all.refuses("verify i.npz --report " + output + force, input);
      for (const std::string option : {"-o ", "--trace ", "--plot ", "--state ", "--report "}) {
        all.refuses("run i.npz --optimizer ngd --step 1/10 --steps 20 " + option + output + force, input);
      }
    }
    all.refuses("run i.npz --optimizer ngd --step 1/10 --steps 20 -o r2.attest" + force,
                input);  // its state is
    all.refuses(a_run + "--init @w.json --plot w.json" + force, input);
    for (const std::string option : {"-o ", "--report "}) {
      all.refuses("checkpoint i.json --W w.json " + option + "w.json" + force, input);
      all.refuses("checkpoint i.json --W w.json " + option + "i.json" + force, input);
    }
    all.refuses("export --coq i.json c.cert -o c.cert" + force, input);
    all.refuses("export --coq i.json c.cert -o i.json" + force, input);
    all.refuses("certify i -o i/X.npy" + force, input);
    all.refuses("certify linked -o i/X.npy" + force, input);
    all.refuses("certify i -o linked/X.npy" + force, input);
    all.refuses("certify i -o i/c.cert" + force, "in the folder that is the input");
    all.refuses("certify i -o linked/c.cert" + force, "in the folder that is the input");
    all.refuses("convert i i/again" + force, "in the folder that is the input");
    all.refuses("certify i -o i" + force, input);
    all.refuses("convert i i/" + force, input);
  }
}

TEST_CASE("outputs: two outputs are two files") {
  const Everything all;
  fs::create_symlink("nowhere", all.folder.path("ahead"));
  for (const std::string force : {"", " --force"}) {
    all.refuses(a_run + "-o new --trace new" + force, "is the same file as the output new");
    all.refuses("certify i.json -o new --report new" + force, "is the same file as the output new");
    all.refuses(a_run + "-o new --trace ./new" + force, "is the same file as the output new");
    all.refuses(a_run + "-o new --trace new.state" + force, "is the same file as the output new.state");
    all.refuses(a_run + "--trace nowhere --plot ahead" + force, "is the same file as the output nowhere");
    all.refuses(a_run + "-o c.cert --state c.cert --force", "is the same file as the output c.cert");
  }
  CHECK(all.folder.attest(a_run + "--trace /dev/null --plot /dev/null").exit == 0);
}

TEST_CASE("outputs: files of another kind are replaced with --force only, of the same kind silently") {
  const Everything all;
  const Folder& folder = all.folder;
  folder.write("notes.txt", "precious");
  REQUIRE(folder.attest("certify i.json -o c.gz").exit == 0);
  struct Case {
    std::string command, kind;
    std::vector<std::string> same;
  };
  const std::vector<Case> cases = {
      {"certify i.json -o ", "a certificate", {"c.cert", "c.gz", "r.attest"}},
      {"selections i.json -o ", "a certificate", {"c.cert", "c.gz", "r.attest"}},
      {a_run + "-o ", "a certificate", {"c.cert", "c.gz", "r.attest"}},
      {a_run + "--trace ", "a trace", {"t.npz"}},
      {a_run + "--plot ", "a plot", {"p.svg"}},
      {"certify i.json --report ", "a report", {"p.html"}},
      {"verify i.json --no-runs --report ", "a report", {"p.html"}},
      {a_run + "--report ", "a report", {"p.html"}},
      {any_run + "--steps 100000000 --time-limit 0.5 --state ", "the state of a run", {"s"}},
      {"export --coq i.json c.cert -o ", "an exported file", {"E.v"}},
  };
  for (const Case& one : cases) {
    for (const std::string existing :
         {"notes.txt", "i.npz", "c.gz", "t.npz", "p.svg", "p.html", "s", "E.v"}) {
      if (std::find(one.same.begin(), one.same.end(), existing) != one.same.end()) continue;
      all.refuses(one.command + existing,
                  existing + ": exists and is not " + one.kind + "; --force replaces it");
    }
  }
  for (const std::string existing : {"notes.txt", "i.npz"})
    all.refuses("convert i.json " + existing, "--force replaces it");
  all.refuses("convert i.json i", "exists and is not empty");
  all.refuses("convert i.json i --force", "exists and is not empty");
  for (const Case& one : cases) {
    for (const std::string& existing : one.same) {
      CAPTURE(one.command + existing);
      CHECK(folder.attest(one.command + existing).err.empty());
    }
    folder.write("empty", "");
    CHECK(folder.attest(one.command + "empty").err.empty());
    CHECK_FALSE(folder.read("empty").empty());
    folder.write("notes.txt", "precious");
    CHECK(folder.attest(one.command + "notes.txt --force").err.empty());
    CHECK(folder.read("notes.txt") != "precious");
  }
  CHECK(folder.attest("convert i.json i.npz --force").exit == 0);
}

TEST_CASE("outputs: they are checked before anything else is done") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  folder.write("notes.txt", "precious");
  const std::string endless = any_run + "--steps 100000000 ";
  for (const std::string output :
       {"-o notes.txt", "--trace notes.txt", "--plot nowhere/p.svg", "--state i.json"}) {
    CHECK(folder.attest(endless + output).exit == 2);
  }
  CHECK(folder.names() == std::vector<std::string>{"i.json", "notes.txt"});
  const Outcome json = folder.attest("certify i.json -o notes.txt --json");
  CHECK(json.exit == 2);
  CHECK(nlohmann::json::parse(json.out)["error"]["file"] == "notes.txt");
}

TEST_CASE("outputs: links are followed, permissions kept, devices and pipes written through") {
  const Folder folder;
  folder.write("i.json", run_cross_text);
  fs::create_symlink("there.cert", folder.path("ahead"));
  CHECK(folder.attest("certify i.json -o ahead").exit == 0);
  CHECK(fs::is_symlink(folder.path("ahead")));
  const std::string certificate = folder.read("there.cert");
  CHECK(certificate.starts_with("attest-certificate 1\n"));
  fs::permissions(folder.path("there.cert"), fs::perms::owner_read | fs::perms::owner_write);
  CHECK(folder.attest("certify i.json -o ahead").exit == 0);
  CHECK(fs::is_symlink(folder.path("ahead")));
  CHECK((fs::status(folder.path("there.cert")).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));

  CHECK(folder.attest("certify i.json -o /dev/null").exit == 0);
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(folder.attest("certify i.json -o /dev/stdout").out.starts_with(certificate));
  REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  const Outcome piped = run("cd '" + folder.path("") + "' && { cat pipe > copy & '" + attest_binary +
                                "' certify i.json -o pipe > /dev/null; } && wait",
                            "");
  CHECK(piped.exit == 0);
  CHECK(folder.read("copy") == certificate);
  CHECK(fs::is_fifo(folder.path("pipe")));
}
