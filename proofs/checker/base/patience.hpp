// What a long check owes whoever waits for it: an end after a given time, and a line that shows how far it
// is. A claim about a run may ask for any number of steps, so no bound of the time follows from the
// certificate's size.
#pragma once

#include <cstddef>
#include <string>

namespace attest_check {

// Ends the program with exit 5 and a message once that many seconds (of the clock on the wall) have passed.
void limit_time(unsigned seconds);
// From here on the verdict stands.
void lift_time_limit();
// Leaves a clean line to a last message.
void wipe_step_line();

// "claim 6 (run): step 1200 of 20000" on standard error when that is a terminal, a few times a second; wiped
// at the end.
class StepLine {
 public:
  explicit StepLine(std::string claim);
  ~StepLine();
  StepLine(const StepLine&) = delete;
  StepLine& operator=(const StepLine&) = delete;

  void show(std::size_t step, std::size_t steps);

 private:
  std::string claim_;
  bool enabled_;
};

}  // namespace attest_check
