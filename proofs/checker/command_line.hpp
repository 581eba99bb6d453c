// The command line of the checker: attest-check INSTANCE CERT re-checks a certificate from the instance file.
// Exit statuses are a contract (GRAMMAR.md section 6); standard output is written on success only.
#pragma once

namespace attest_check {

class Job;

// The program, which every process of the job is; the first one prints. Returns the exit status, the same in
// all.
int run_checker(int argc, char** argv, Job& job);

}  // namespace attest_check
