#include "certify/commands/norm_options.hpp"

#include "certify/audits/certify.hpp"

namespace attest {
namespace {

// Why the option's value is refused; empty when it is not.
std::string norm_problem(const std::string& text) {
  return parse_norm(text)
             ? ""
             : "not a norm that is there: fro, nuc, l1, linf, or lP with P > 1, as l7/4 or l1.75";
}

std::string gap_problem(const std::string& text) {
  return parse_gap(text) ? "" : "not a number above 0 and at most 1";
}

}  // namespace

std::pair<CLI::Option*, CLI::Option*> add_norm(CLI::App& app, NormRequest& request) {
  CLI::Option* const norm =
      app.add_option_function<std::string>(
             "--norm", [&request](const std::string& text) { request.norm = *parse_norm(text); },
             "Norm of W: fro (Frobenius, default), nuc (nuclear), lP (entrywise, P > 1: l7/4, l3), l1, linf")
          ->check(CLI::Validator(norm_problem, "NORM"));
  CLI::Option* const gap =
      app.add_option_function<std::string>(
             "--gap", [&request](const std::string& text) { request.gap = *parse_gap(text); },
             "Relative gap that is asked for in other norms than fro (default 1e-30)")
          ->check(CLI::Validator(gap_problem, "GAP"));
  return {norm, gap};
}

}  // namespace attest
