// The command line of the checker: see command_line.hpp.
#include "proofs/checker/command_line.hpp"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "proofs/checker/base/job.hpp"
#include "proofs/checker/base/last_resort.hpp"
#include "proofs/checker/base/memory.hpp"
#include "proofs/checker/base/parallel.hpp"
#include "proofs/checker/checker.hpp"
#include "proofs/checker/terminal.hpp"

namespace attest_check {
namespace {

constexpr const char* usage =
    "Usage: attest-check [--require KIND]... [--time-limit SECONDS] [--json] INSTANCE CERT\n"
    "Re-checks every claim of the certificate CERT from the dataset INSTANCE (.npz, .json, .json.gz, or a "
    "folder of\n"
    ".npy files), in exact integer arithmetic.\n"
    "  --require KIND  also fail (exit 1) unless a claim of this kind was verified; may be repeated\n"
    "  --time-limit SECONDS  end with exit 5 when nothing is decided by then\n"
    "  --memory-limit BYTES  end with exit 5 when more would be held (default: half of the machine's memory, "
    "at most\n"
    "                  4 GiB)\n"
    "  --threads N     work on at most N threads (default: one for each core; 1 under mpirun): the same "
    "answer\n"
    "  --json          print one JSON object instead of text\n"
    "  --help, --version\n"
    "Exit: 0 verified, 1 rejected, 2 malformed or unreadable input or usage, 3 vacuous (no constraints),\n"
    "      4 the certificate is for another instance, 5 resource limit, 6 internal error\n";

const char* reason(Exit status) {
  switch (status) {
    case Exit::rejected:
      return "rejected";
    case Exit::mismatch:
      return "mismatch";
    case Exit::resource:
      return "resource limit";
    case Exit::internal:
      return "internal error";
    default:
      return "malformed";
  }
}

// The first process of a job speaks for all.
bool speaks() {
  return job().rank() == 0;
}

// The status, unless the text cannot be written to the end.
Exit print(const std::string& text, Exit status) {
  if (!speaks()) return status;
  std::cout << text << std::flush;
  if (std::cout) return status;
  std::cerr << "attest-check: standard output cannot be written\n";
  return Exit::malformed;
}

Exit print(const Verdict& verdict, bool json) {
  const char* status = verdict.vacuous ? "VACUOUS" : "VERIFIED";
  std::string out;
  if (json) {
    // Lines and kinds consist of words, digits and the characters - * ^ / only: nothing needs escaping.
    out += std::string("{\"status\":\"") + status + "\",\"claims\":[";
    for (const VerifiedClaim& claim : verdict.claims) {
      out += (claim.claim > 1 ? ",{\"claim\":" : "{\"claim\":") + std::to_string(claim.claim) +
             ",\"kind\":\"" + claim.kind + "\",\"problem\":" + std::to_string(claim.problem) +
             ",\"line\":\"" + claim.line + "\"}";
    }
    out += "]}\n";
  } else {
    for (const VerifiedClaim& claim : verdict.claims) out += "v " + claim.line + "\n";
    out += std::string("s ") + status + "\n";
  }
  return print(out, verdict.vacuous ? Exit::vacuous : Exit::verified);
}

Exit run(const std::vector<std::string>& arguments, MemoryBudget& memory) {
  std::vector<std::string> files, required;
  bool json = false;
  std::size_t threads = job().size() > 1 ? 1 : 0;
  std::optional<TimeLimit> time;
  const auto wrong = [](const std::string& why) {
    if (speaks()) std::cerr << "attest-check: usage: " << why << "\n" << usage;
    return Exit::malformed;
  };
  std::size_t k = 0;
  // The next argument, 0 when it is not a number of at most that many digits.
  const auto positive_number = [&](std::size_t digits) {
    const std::string text = ++k < arguments.size() ? arguments[k] : "";
    const bool right =
        !text.empty() && text.size() <= digits && text.find_first_not_of("0123456789") == text.npos;
    return right ? std::stoul(text) : 0;
  };
  for (; k < arguments.size(); ++k) {
    const std::string& argument = arguments[k];
    if (argument == "--help" || argument == "--version") {
      return print(argument == "--help" ? usage : "attest-check " ATTEST_VERSION " (certificate version 1)\n",
                   Exit::verified);
    }
    if (argument == "--json") {
      json = true;
    } else if (argument == "--require") {
      if (++k == arguments.size()) return wrong("--require needs a claim kind");
      required.push_back(arguments[k]);
    } else if (argument == "--time-limit") {
      const unsigned long seconds = positive_number(6);
      if (seconds == 0) return wrong("--time-limit needs a number of seconds, 1 to 999999");
      time.emplace(static_cast<unsigned>(seconds));
    } else if (argument == "--memory-limit") {
      const unsigned long bytes = positive_number(15);
      if (bytes == 0) return wrong("--memory-limit needs a number of bytes, 1 to 999999999999999");
      memory.limit(bytes);
    } else if (argument == "--threads") {
      threads = positive_number(4);
      if (threads == 0) return wrong("--threads needs a number, 1 to 9999");
    } else if (argument.starts_with("-")) {
      return wrong("unknown option " + argument);
    } else {
      files.push_back(argument);
    }
  }
  if (files.size() != 2) return wrong("two files expected, INSTANCE and CERT");
  const Threads together(threads);
  Terminal terminal;
  const Verdict verdict = check(files[0], files[1], required, &terminal);
  time.reset();  // the verdict stands
  terminal.wipe();
  const Exit status = print(verdict, json);
  agree();
  return status;
}

// What ended a run, as a status of the contract.
Failure failure_in_flight() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const std::bad_alloc&) {
    return {Exit::resource, "out of memory"};
  } catch (const std::length_error&) {
    return {Exit::resource, "a size beyond memory"};
  } catch (const std::exception& error) {
    return {Exit::internal, error.what()};
  } catch (...) {
    return {Exit::internal, "an exception of an unknown kind"};
  }
}

Exit guarded_run(const std::vector<std::string>& arguments, MemoryBudget& memory) {
  try {
    return run(arguments, memory);
  } catch (...) {
    const Failure failure = agree_on(failure_in_flight());
    if (speaks()) std::cerr << "attest-check: " << reason(failure.status()) << ": " << failure.what() << "\n";
    return failure.status();
  }
}

}  // namespace

int run_checker(int argc, char** argv, Job& job) {
  const JobOfThread several(job);
  install_last_resort("attest-check", static_cast<int>(Exit::internal), static_cast<int>(Exit::resource));
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is output that cannot be written
  manage_memory_of_numbers();
  MemoryBudget memory(default_memory_limit(), end_for_want);
  return static_cast<int>(guarded_run({argv + (argc > 0 ? 1 : 0), argv + argc}, memory));
}

}  // namespace attest_check
