// Runs a real binary and keeps its exit status and what it printed; scratch folders for the files of a test.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/cli/paths.hpp"

namespace cli_tests {

namespace fs = std::filesystem;

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string slurp(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// A folder of its own for one test case, removed afterwards.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "attest-cli-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Scratch() { fs::remove_all(folder_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  fs::path path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name).string();
  }
  // Names of all files, sorted, one a line: shows what a command left behind.
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++count;
    return count;
  }

 private:
  fs::path folder_;
};

struct Outcome {
  int exit = -1;
  std::string out, err;
  // The last line of standard output, without its line feed.
  std::string last_line() const {
    const std::string text = out.substr(0, out.find_last_not_of('\n') + 1);
    return text.substr(text.rfind('\n') + 1);
  }
};

// Runs PROGRAM ARGUMENTS through the shell; a status of 128 + n means signal n.
inline Outcome run(const std::string& program, const std::string& arguments) {
  const Scratch scratch;
  const std::string out = scratch.path("out").string(), err = scratch.path("err").string();
  const int status =
      std::system((program + ' ' + arguments + " >" + out + " 2>" + err + " </dev/null").c_str());
  Outcome outcome;
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = slurp(out);
  outcome.err = slurp(err);
  return outcome;
}

inline Outcome attest(const std::string& arguments) {
  return run(attest_binary, arguments);
}
inline Outcome check(const std::string& arguments) {
  return run(checker_binary, arguments);
}

// Small instances by what they decide.
inline const char* feasible_text =
    R"({"X":[[[1,0],[0,1]],[[0,1],[1,0]]],"Y":[1,-1],"v":[1,0],"z":[[1,0],[0,1]]})";
inline const char* infeasible_text =
    R"({"X":[[[1,0],[0,1]],[[1,0],[0,1]]],"Y":[1,-1],"v":[1,0],"z":[[1,0],[1,0]]})";
inline const char* vacuous_text = R"({"X":[[[1,0]],[[2,1]]],"Y":[1,1],"v":[1,0],"z":[[1,0],[1,1]]})";
inline const char* tied_text = R"({"X":[[[1,0],[1,1]]],"Y":[1],"v":[1,0],"z":[[1,0]]})";

}  // namespace cli_tests
