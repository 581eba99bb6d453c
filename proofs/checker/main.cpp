// attest-check INSTANCE CERT: re-checks a certificate from the instance file. Exit statuses are a contract
// (GRAMMAR.md section 6); standard output is written on success only.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "proofs/checker/checker.hpp"
#include "proofs/checker/memory.hpp"
#include "proofs/checker/patience.hpp"

namespace {

using namespace attest_check;

constexpr const char* usage =
    "Usage: attest-check [--require KIND]... [--time-limit SECONDS] [--json] INSTANCE CERT\n"
    "Re-checks every claim of the certificate CERT from the dataset INSTANCE (.npz, .json, .json.gz, or a "
    "folder of\n"
    ".npy files), in exact integer arithmetic.\n"
    "  --require KIND  also fail (exit 1) unless a claim of this kind was verified; may be repeated\n"
    "  --time-limit SECONDS  end with exit 5 when nothing is decided by then\n"
    "  --json          print one JSON object instead of text\n"
    "  --help, --version\n"
    "Exit: 0 verified, 1 rejected, 2 malformed or unreadable input or usage, 3 vacuous (no constraints),\n"
    "      4 the certificate is for another instance, 5 resource limit\n";

const char* reason(Exit status) {
  switch (status) {
    case Exit::rejected:
      return "rejected";
    case Exit::mismatch:
      return "mismatch";
    case Exit::resource:
      return "resource limit";
    default:
      return "malformed";
  }
}

void print(const Verdict& verdict, bool json) {
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
  std::cout << out << std::flush;
}

int run(const std::vector<std::string>& arguments) {
  std::vector<std::string> files, required;
  bool json = false;
  const auto wrong = [](const std::string& why) {
    std::cerr << "attest-check: usage: " << why << "\n" << usage;
    return static_cast<int>(Exit::malformed);
  };
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string& argument = arguments[k];
    if (argument == "--help" || argument == "--version") {
      std::cout << (argument == "--help" ? usage
                                         : "attest-check " ATTEST_VERSION " (certificate version 1)\n");
      return 0;
    }
    if (argument == "--json") {
      json = true;
    } else if (argument == "--require") {
      if (++k == arguments.size()) return wrong("--require needs a claim kind");
      required.push_back(arguments[k]);
    } else if (argument == "--time-limit") {
      const std::string seconds = ++k < arguments.size() ? arguments[k] : "";
      if (seconds.empty() || seconds.size() > 6 || seconds.find_first_not_of("0123456789") != std::string::npos || std::stoul(seconds) == 0)
        return wrong("--time-limit needs a number of seconds, 1 to 999999");
      limit_time(static_cast<unsigned>(std::stoul(seconds)));
    } else if (argument.starts_with("-")) {
      return wrong("unknown option " + argument);
    } else {
      files.push_back(argument);
    }
  }
  if (files.size() != 2) return wrong("two files expected, INSTANCE and CERT");
  const Verdict verdict = check(files[0], files[1], required);
  lift_time_limit();
  print(verdict, json);
  if (!std::cout) {
    std::cerr << "attest-check: standard output cannot be written\n";
    return static_cast<int>(Exit::malformed);
  }
  return static_cast<int>(verdict.vacuous ? Exit::vacuous : Exit::verified);
}

}  // namespace

int main(int argc, char** argv) {
  manage_memory_of_numbers();
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const Failure& failure) {
    std::cerr << "attest-check: " << reason(failure.status()) << ": " << failure.what() << "\n";
    return static_cast<int>(failure.status());
  } catch (const std::bad_alloc&) {
    std::cerr << "attest-check: resource limit: out of memory\n";
  } catch (const std::length_error&) {
    std::cerr << "attest-check: resource limit: a size beyond memory\n";
  }
  return static_cast<int>(Exit::resource);
}
