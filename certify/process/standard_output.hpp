// Whether what a command prints arrives.
#pragma once

namespace attest {

constexpr const char unwritable_output[] = "attest: standard output cannot be written\n";

// What has been printed is written: returns `status`; or it cannot be, which is bad input, with one line on
// standard error.
int once_printed(int status);

}  // namespace attest
