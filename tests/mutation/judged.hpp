// A changed certificate before the checker and before the reference.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/oracle/judge.hpp"

namespace mutation {

// A scratch folder, in memory where there is such a place, that disappears with the test.
class Folder {
 public:
  Folder();
  ~Folder() { std::filesystem::remove_all(path_); }
  // The path of the file written.
  std::string write(const std::string& name, const std::string& text) const;
  std::string path(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int code = 0;
  std::vector<std::string> lines;  // printed claims, when accepted
};

// What the checker's library says of two files.
Outcome check(const std::string& instance, const std::string& certificate);

inline bool accepted(int code) {
  return code == 0 || code == 3;
}

// Exit code of `program instance certificate`.
int run_program(const std::string& program, const std::string& instance, const std::string& certificate);

// What is wrong with an accepted certificate; empty when it is well-formed and true.
std::string objection(reference::Judge& judge, const std::string& text);

// The lines of the certificate, those that do not belong to claims of these kinds left empty.
std::vector<std::string> lines_of_kinds(const std::string& text, const std::set<std::string>& kinds);

}  // namespace mutation
