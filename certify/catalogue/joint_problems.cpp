#include "certify/catalogue/joint_problems.hpp"

#include <algorithm>

#include "certify/catalogue/decoder.hpp"

namespace attest {
namespace {

// The attention's rows; `relaxed` increases.
std::vector<MarginRow> attention_rows(const TokenData& data, const Selection& selection,
                                      const std::vector<std::size_t>& relaxed) {
  std::vector<MarginRow> rows = margin_rows(data, selection);
  for (MarginRow& row : rows) {
    if (std::binary_search(relaxed.begin(), relaxed.end(), row.group)) row.sense = Sense::at_least_zero;
  }
  return rows;
}

}  // namespace

JointProblems solve_joint_problems(const Instance& instance, const TokenData& data,
                                   const Selection& selection, const MarginOptions& options) {
  JointProblems problems;
  problems.decoder_data = decoder_data(instance, selection);
  problems.decoder = solve_decoder(problems.decoder_data, selection, options);
  const MarginSolution& decoder = problems.decoder;
  if (decoder.feasibility != Feasibility::feasible || !decoder.support ||
      (!decoder.exact && !decoder.enclosed))
    return problems;
  problems.supporting.emplace();
  for (std::size_t i = 0, k = 0; i < selection.size(); ++i) {
    const bool supports = k < decoder.support->size() && (*decoder.support)[k].group == i;
    if (supports) ++k;
    (supports ? *problems.supporting : problems.relaxed).push_back(i);
  }
  problems.attention =
      problems.relaxed.empty()
          ? solve_margin_problem(data, selection, options)
          : solve_margin_rows(data, attention_rows(data, selection, problems.relaxed), options);
  return problems;
}

Feasibility JointProblems::feasibility() const {
  if (attention) return attention->feasibility;
  return decoder.feasibility == Feasibility::infeasible ? Feasibility::infeasible : Feasibility::undecided;
}

std::string JointProblems::reason() const {
  if (feasibility() != Feasibility::undecided) return {};
  if (attention) return attention->reason;
  if (!decoder.reason.empty()) return decoder.reason;
  return "precision: it is open which sequences support the decoder (--form exact)";
}

bool JointProblems::vacuous(const TokenData& data) const {
  for (std::size_t i = 0; i < data.groups(); ++i) {
    if (data.different(i) > 1 && !std::binary_search(relaxed.begin(), relaxed.end(), i)) return false;
  }
  return true;
}

}  // namespace attest
