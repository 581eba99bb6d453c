// Exit statuses of every command (certify/STATUS.md).
#pragma once

namespace attest {

enum ExitStatus {
  exit_decided = 0,
  exit_internal_error = 1,
  exit_bad_input = 2,
  exit_not_in_coq = 3,
  exit_cannot_hold = 5,
  exit_undecided = 30,
};

}  // namespace attest
