// A scratch folder in which programs run, so that tests can name files shortly and see what was left behind.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace cli_tests {

class Folder {
 public:
  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories(scratch_.path(name).parent_path());
    scratch_.write(name, bytes);
  }
  std::string path(const std::string& name) const { return scratch_.path(name).string(); }
  std::string read(const std::string& name) const { return slurp(scratch_.path(name)); }
  bool has(const std::string& name) const { return fs::exists(scratch_.path(name)); }

  std::vector<std::string> names() const {  // sorted
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(scratch_.path("")))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

  // Runs the program with this folder as working folder.
  Outcome attest(const std::string& arguments) const { return run_here(attest_binary, arguments); }
  Outcome check(const std::string& arguments) const { return run_here(checker_binary, arguments); }

 private:
  Outcome run_here(const std::string& program, const std::string& arguments) const {
    return run("cd '" + scratch_.path("").string() + "' && '" + program + "'", arguments);
  }
  Scratch scratch_;
};

}  // namespace cli_tests
