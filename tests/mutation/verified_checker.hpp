// The verified checker's answers.
#pragma once

#include <sys/types.h>

#include <string>

namespace mutation {

// The checker named by ATTEST_CHECK_VERIFIED. Most files go to one process that answers for many, the program
// named by ATTEST_CHECK_MANY_VERIFIED (check_many.ml); every fiftieth to the checker itself as well, which
// must say the same, and all of them where there is no such process.
class VerifiedChecker {
 public:
  VerifiedChecker();
  ~VerifiedChecker() { stop(); }
  VerifiedChecker(const VerifiedChecker&) = delete;
  VerifiedChecker& operator=(const VerifiedChecker&) = delete;

  // Whether there is one: an unset or empty variable names none.
  explicit operator bool() const { return !program_.empty(); }

  // Its exit status for these two files. Ends the test case when process and program differ.
  int status(const std::string& instance, const std::string& certificate);

 private:
  void start();
  void stop();
  // What the process answers; empty when it has ended.
  std::string answer(const std::string& instance, const std::string& certificate);

  std::string program_, many_;
  std::size_t asked_ = 0;
  pid_t process_ = 0;
  int socket_ = -1;
};

}  // namespace mutation
