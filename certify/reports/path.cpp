#include "certify/reports/path.hpp"

#include <cstdio>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/json.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/merged.hpp"

namespace attest {
namespace {

const char* verdict(PathOutcome outcome) {
  switch (outcome) {
    case PathOutcome::bounded:
      return "holds";
    case PathOutcome::undecided:
      return "undecided";
    case PathOutcome::tie:
    case PathOutcome::rival:
    case PathOutcome::infeasible:
    case PathOutcome::vacuous:
      break;
  }
  return "fails";
}

Interval norm(const PathAnswer& answer) {
  if (answer.in_norm) return answer.in_norm->optimum->value;
  const MarginSolution& solution = answer.solution;
  return square_root(solution.exact ? point(solution.exact->norm_squared) : solution.norm_squared, 256);
}

// For which n the bound holds, and the certificate's, which has 1 - lo/hi of the least norm to add.
std::string dual_text(const PathAnswer& answer) {
  const Interval value = norm(answer);
  const std::string gap = value.lo == value.hi ? "" : " + " + decimal_up(1 - value.lo / value.hi, 3);
  return fact_line("n", "every solution of the dual problem; of the certificate's: <= " +
                            decimal_up(answer.bound->claim_constant, 8) + "/r" + gap);
}

// The nuclear ball holds the products K Q' with |K|^2 + |Q|^2 <= 2r.
std::string factor_text(const PathAnswer& answer) {
  return fact_line("factors", "the same for W_r = K Q', K and Q minimisers over |K|^2 + |Q|^2 <= 2r") +
         fact_line("", "of " + std::to_string(answer.in_norm->optimum->factor_columns()) +
                           " columns or more (the certificate's n), min(d, e) or more (every n)");
}

// How far the path strays from the ray through W*.
std::string residual_text(const PathResidual& residual) {
  return fact_line("from radius", decimal_up(residual.from_radius, 8) + " on, of these W_r:") +
         fact_line("||W_r - <u, W_r> u||", "<= " + decimal_up(residual.residual, 8), true) +
         fact_line("1 - <u, W_r>/r", "<= " + decimal_up(residual.rate_constant, 8) + "/r^2", true);
}

// Why it is not known.
std::string residual_reason(const PathAnswer& answer) {
  if (answer.data.outputs) return "known of heads of one output only";
  if (answer.solution.strictly_complementary == false) return "a tight constraint has no multiplier";
  return "the support is too large, or the time was too short";
}

std::string bound_text(const PathAnswer& answer) {
  const PathBound& bound = *answer.bound;
  const bool euclidean = !answer.in_norm, nuclear = answer.norm.kind == NormKind::nuclear;
  std::string out = fact_line(euclidean ? "norm ||W*||" : "norm of W*", show(norm(answer), 20), true);
  out += fact_line("from radius", decimal_up(bound.from_radius, 8) + " on, with W_r any minimiser over " +
                                      (euclidean ? "||W|| <= r:" : "balls of radius r in this norm:"));
  out += fact_line(euclidean ? "1 - <u, W_r>/r" : "1 - <n, W_r>/r",
                   "<= " + decimal_up(bound.rate_constant, 8) + "/r", true);
  if (answer.residual) {
    out += residual_text(*answer.residual);
  } else if (answer.residual_asked) {
    out += fact_line("||W_r - <u, W_r> u||", "undecided: " + residual_reason(answer));
  }
  if (euclidean) return out;
  out += dual_text(answer);
  if (nuclear) out += factor_text(answer);
  return out;
}

}  // namespace

std::string path_problem(const PathAnswer& answer) {
  const std::string norm = answer.norm.kind == NormKind::frobenius ? "Euclidean" : answer.norm.word;
  return std::string("best tokens, ") + name(answer.loss) + " loss, " + norm + " norm";
}

std::string path_reason(const PathAnswer& answer) {
  switch (answer.outcome) {
    case PathOutcome::bounded:
      break;
    case PathOutcome::tie:
      return "tie: tokens " + std::to_string(answer.tie->first_token) + " and " +
             std::to_string(answer.tie->second_token) + " of sequence " + std::to_string(answer.tie->group) +
             " share its best score";
    case PathOutcome::rival:
      return "rival: the loss of sequence " + std::to_string(answer.rival->group) +
             " does not rise where attention moves from its best token, " +
             std::to_string(answer.selection[answer.rival->group]) + ", to token " +
             std::to_string(answer.rival->token);
    case PathOutcome::infeasible:
      return "infeasible: no W separates the best tokens" +
             (conflict_rows(answer.solution).empty() ? ""
                                                     : "; " + conflict_text(conflict_rows(answer.solution)));
    case PathOutcome::vacuous:
      return "vacuous: no sequence has two tokens, so every W is a minimiser";
    case PathOutcome::undecided:
      return answer.reason;
  }
  return {};
}

std::string path_advice(const PathAnswer& answer) {
  switch (answer.outcome) {
    case PathOutcome::bounded:
    case PathOutcome::vacuous:
      break;
    case PathOutcome::tie:
      return "leave one of the tied tokens out, or tell their scores apart; `attest selections` finds what "
             "training can select";
    case PathOutcome::rival:
      return "attention on several tokens may have the least loss, which no selection is; `attest run` "
             "follows "
             "training itself";
    case PathOutcome::infeasible:
      return "the certificate (-o) names tokens that contradict each other; without their sequences the rest "
             "may be separable";
    case PathOutcome::undecided:
      return answer.rival ? "" : "give a longer --time-limit or a larger --memory-limit";
  }
  return {};
}

std::string text(const PathAnswer& answer) {
  std::string out = fact_line("instance", answer.instance_path);
  out += fact_line("problem", path_problem(answer));
  if (!answer.merged.empty()) out += fact_line("equal tokens", merged_text(answer.merged));
  out += fact_line("verdict", verdict(answer.outcome), answer.decided());
  if (answer.bound) out += bound_text(answer);
  if (const std::string why = path_reason(answer); !why.empty()) out += fact_line("reason", why);
  if (const std::string way = path_advice(answer); !way.empty()) out += fact_line("way on", way);
  if (!answer.file.path.empty()) {
    out += fact_line("certificate", certificate_words(answer.file, answer.certificate.claims.size()));
  }
  char line[96];
  std::snprintf(line, sizeof line, "c read %.3f s, total %.3f s\n", answer.read_seconds,
                answer.total_seconds);
  return out + line + verdict_line(verdict(answer.outcome));
}

std::string json(const PathAnswer& answer) {
  Json value;
  value["verdict"] = verdict(answer.outcome);
  if (const std::string why = path_reason(answer); !why.empty()) value["reason"] = why;
  if (const std::string way = path_advice(answer); !way.empty()) value["way_on"] = way;
  if (answer.tie) value["tie"] = {answer.tie->group, {answer.tie->first_token, answer.tie->second_token}};
  if (answer.rival) value["rival"] = {answer.rival->group, answer.rival->token};
  if (const auto rows = conflict_rows(answer.solution); !rows.empty()) value["witness"] = json_conflict(rows);
  value["norm"] = answer.norm.word;
  value["loss"] = name(answer.loss);
  value["merged"] = json_merged(answer.merged);
  value["selection"] = answer.selection;
  value["from_radius"] = nullptr;
  value["rate_constant"] = nullptr;
  value["norm_value"] = nullptr;
  if (answer.bound) {
    const PathBound& bound = *answer.bound;
    value["from_radius"] = json_enclosure(Interval{bound.least_radius.lo, bound.from_radius});
    value["rate_constant"] = json_enclosure(Interval{bound.rate.lo, bound.rate_constant});
    value["norm_value"] = json_enclosure(norm(answer));
  }
  value["residual"] = nullptr;
  if (answer.residual)
    value["residual"] = {{"from_radius", decimal_up(answer.residual->from_radius, 20)},
                         {"residual", decimal_up(answer.residual->residual, 20)},
                         {"square_rate_constant", decimal_up(answer.residual->rate_constant, 20)}};
  value["vacuous"] = answer.outcome == PathOutcome::vacuous;
  value["claims"] = json_claims(answer.certificate.claims);
  value["certificate"] = json_file(answer.file);
  value["statistics"] = {{"path", answer.solution.statistics.path},
                         {"read_seconds", answer.read_seconds},
                         {"total_seconds", answer.total_seconds}};
  return written(value);
}

}  // namespace attest
