#include "certify/reports/certify.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "certify/numbers/decimal.hpp"
#include "certify/numbers/decimal_enclosure.hpp"
#include "certify/reports/certify_norm.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/json_parts.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/merged.hpp"

namespace attest {
namespace {

// Decimal digits that show the requested precision, at least 40.
std::size_t significant_digits(long precision_bits) {
  return std::max<std::size_t>(
      40, static_cast<std::size_t>(std::ceil(static_cast<double>(precision_bits) * 0.30103)) + 4);
}

// What both forms of the answer say.
struct Verdicts {
  std::string verdict;
  bool solved = false;  // norm and margin are enclosed
  DecimalEnclosure norm, margin;
  std::optional<bool> locally_optimal;
  std::optional<Constraint> global_witness;
};

Verdicts verdicts(const CertifyAnswer& answer) {
  const MarginSolution& solution = answer.solution;
  Verdicts found;
  switch (solution.feasibility) {
    case Feasibility::feasible:
      found.verdict = "feasible";
      found.locally_optimal = solution.locally_optimal;
      break;
    case Feasibility::infeasible:
      found.verdict = "infeasible";
      found.locally_optimal = false;
      break;
    case Feasibility::undecided:
      found.verdict = "undecided";
      break;
  }
  found.solved =
      solution.feasibility == Feasibility::feasible && (solution.exact || solution.enclosed || solution.gap);
  if (found.solved) {
    const std::size_t digits = significant_digits(answer.precision_bits);
    const Interval squared = solution.exact
                                 ? Interval{solution.exact->norm_squared, solution.exact->norm_squared}
                                 : solution.norm_squared;
    found.norm = decimal_square_root(squared, digits);
    found.margin = answer.vacuous() ? DecimalEnclosure{"Infinity", "Infinity"}
                                    : decimal_inverse_square_root(squared, digits);
  }
  found.global_witness = global_optimality_witness(answer.data, answer.selection);
  return found;
}

// Six digits: for reading.
std::string approximate(const Rational& value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", mpq_get_d(value.backend().data()));
  return text;
}

class CertifyText {
 public:
  explicit CertifyText(const CertifyAnswer& answer) : answer_(answer), solution_(answer.solution) {}

  std::string run() {
    const Verdicts found = verdicts(answer_);
    describe_problem();
    fact("verdict", found.verdict, found.verdict != "undecided");
    if (!solution_.reason.empty()) fact("reason", solution_.reason);
    if (const auto rows = conflict_rows(solution_); !rows.empty())
      fact("conflict", conflict_text(rows), true);
    if (found.solved) {
      enclosure("norm ||W*||", found.norm);
      enclosure("margin 1/||W*||", found.margin);
    }
    if (solution_.margin_bound) {  // rounded up
      fact("margin", "at most " + approximate(solution_.margin_bound->bound * Rational(100001, 100000)),
           true);
    }
    below_resolution();
    describe_support();
    optimality("locally optimal", found.locally_optimal, solution_.local_witness,
               "a support token that scores no less");
    optimality("globally optimal", !found.global_witness, found.global_witness, "it scores no less");
    if (answer_.rank) fact("rank of W*", std::to_string(answer_.rank->rank), true);
    if (answer_.smoothness) {
      fact("smoothness", approximate(*answer_.smoothness) + " (" + answer_.loss + " loss)", true);
    }
    if (!answer_.file.path.empty())
      fact("certificate", certificate_words(answer_.file, answer_.certificate.claims.size()));
    statistics();
    out_ += verdict_line(found.verdict, answer_.vacuous());
    return std::move(out_);
  }

 private:
  void fact(const std::string& what, const std::string& value, bool checked = false) {
    out_ += fact_line(what, value, checked);
  }

  void describe_problem() {
    const Instance& instance = answer_.instance;
    fact("instance", answer_.instance_path);
    std::string shape = setting_words(instance);
    shape += ", " + std::to_string(instance.sequences()) + " sequences, " +
             std::to_string(instance.first_row.back()) + " tokens, dimension " +
             std::to_string(instance.dimension) + ", " + std::to_string(constraint_count(answer_.data)) +
             " constraints";
    fact("problem", shape);
    if (!answer_.merged.empty()) fact("equal tokens", merged_text(answer_.merged));
  }

  void below_resolution() {
    if (!answer_.resolution || answer_.resolution->standing != Resolution::Standing::below) return;
    const Resolution& resolution = *answer_.resolution;
    fact("resolution",
         "margin below it: moving feature rows by " + decimal_up(resolution.robust_radius->hi, 4) +
             " makes it infeasible",
         true);
    fact("", "rounding to " + resolution.number_format + " moved them by up to " +
                 decimal_up(*resolution.unit, 4) + ": this says nothing about where they came from");
  }

  // "[0.01234567890123, 0.01234567890124]" when short, else the shared digits.
  void enclosure(const std::string& what, const DecimalEnclosure& value) {
    fact(what, value.lo == value.hi ? value.lo : shared_digits(value, 44), true);
  }

  void describe_support() {
    if (solution_.feasibility != Feasibility::feasible) return;
    if (!solution_.support) {
      fact("support tokens",
           solution_.support_undecided.empty()
               ? "undecided"
               : "undecided at " + std::to_string(solution_.support_undecided.size()) + " constraints");
      return;
    }
    const std::vector<Constraint>& support = *solution_.support;
    constexpr std::size_t most_shown = 8;
    std::string text =
        std::to_string(support.size()) + " of " + std::to_string(constraint_count(answer_.data));
    if (!support.empty()) text += ":";
    for (std::size_t k = 0; k < std::min(support.size(), most_shown); ++k)
      text += " " + short_place(support[k]);
    if (support.size() > most_shown) text += " ...";
    fact("support tokens", text, true);
    if (!solution_.strictly_complementary) {
      fact("strictly complementary", "undecided");
    } else if (*solution_.strictly_complementary) {
      fact("strictly complementary", "yes", true);
    } else {
      fact("strictly complementary",
           "no: multiplier always 0 at " + short_place(solution_.complementarity_witness->at), true);
    }
  }

  void optimality(const std::string& what, std::optional<bool> holds,
                  const std::optional<Constraint>& witness, const std::string& why) {
    if (!holds) {
      fact(what, "undecided");
    } else if (*holds) {
      fact(what, "yes", true);
    } else if (witness) {
      fact(what, "no: token " + short_place(*witness) + ", " + why, true);
    } else {
      fact(what, "no: infeasible", true);
    }
  }

  void statistics() {
    char line[256];
    const SolverStatistics& s = solution_.statistics;
    std::snprintf(
        line, sizeof line,
        "c read %.3f s, solve %.3f s (guess %.3f, proof %.3f, exact %.3f), write %.3f s, total %.3f s\n",
        answer_.read_seconds, answer_.solve_seconds, s.guess_seconds, s.proof_seconds, s.exact_seconds,
        answer_.write_seconds, answer_.total_seconds);
    out_ += line;
    out_ += "c path " + s.path + ", precision " + std::to_string(s.precision_bits) + " bits, exact pivots " +
            std::to_string(s.exact_pivots) + "\n";
  }

  const CertifyAnswer& answer_;
  const MarginSolution& solution_;
  std::string out_;
};

Json json_enclosure(const DecimalEnclosure& value) {
  return {{"lo", value.lo}, {"hi", value.hi}};
}

Json json_bool(std::optional<bool> value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_statistics(const CertifyAnswer& answer) {
  const SolverStatistics& s = answer.solution.statistics;
  return {{"path", s.path},
          {"precision_bits", s.precision_bits},
          {"exact_pivots", s.exact_pivots},
          {"guess_seconds", s.guess_seconds},
          {"proof_seconds", s.proof_seconds},
          {"exact_seconds", s.exact_seconds},
          {"read_seconds", answer.read_seconds},
          {"solve_seconds", answer.solve_seconds},
          {"write_seconds", answer.write_seconds},
          {"total_seconds", answer.total_seconds},
          {"certificate_bytes", answer.file.bytes},
          {"certificate_lines", answer.certificate.lines}};
}

}  // namespace

std::string text(const CertifyAnswer& answer) {
  if (answer.norm.kind != NormKind::frobenius) return norm_text(answer);
  return CertifyText(answer).run();
}

std::string json(const CertifyAnswer& answer) {
  return written(json_value(answer));
}

Json json_value(const CertifyAnswer& answer) {
  if (answer.norm.kind != NormKind::frobenius) return norm_json_value(answer);
  const MarginSolution& solution = answer.solution;
  const Verdicts found = verdicts(answer);
  const bool feasible = solution.feasibility == Feasibility::feasible;
  Json value;
  value["verdict"] = found.verdict;
  if (!solution.reason.empty()) value["reason"] = solution.reason;
  value["setting"] = name(answer.instance.setting);
  value["norm"] = "euclidean";
  value["merged"] = json_merged(answer.merged);
  value["selection"] = answer.selection;
  value["margin"] = found.solved ? json_enclosure(found.margin) : Json(nullptr);
  value["margin_at_most"] =
      solution.margin_bound ? Json(certificate_number(solution.margin_bound->bound)) : Json(nullptr);
  if (answer.resolution)
    value["below_resolution"] = answer.resolution->standing == Resolution::Standing::below;
  value["norm_value"] = found.solved ? json_enclosure(found.norm) : Json(nullptr);
  value["support"] = feasible && solution.support ? json_places(*solution.support) : Json(nullptr);
  value["support_undecided"] = json_places(solution.support_undecided);
  value["strictly_complementary"] = feasible ? json_bool(solution.strictly_complementary) : Json(nullptr);
  value["locally_optimal"] = json_bool(found.locally_optimal);
  value["globally_optimal"] = !found.global_witness;
  Json witness = Json::object();
  if (solution.complementarity_witness)
    witness["strictly_complementary"] = json_place(solution.complementarity_witness->at);
  if (feasible && solution.local_witness) witness["locally_optimal"] = json_place(*solution.local_witness);
  if (found.global_witness) witness["globally_optimal"] = json_place(*found.global_witness);
  if (const auto rows = conflict_rows(solution); !rows.empty()) witness.update(json_conflict(rows));
  value["witness"] = std::move(witness);
  value["rank"] = answer.rank ? Json(answer.rank->rank) : Json(nullptr);
  if (answer.smoothness) {
    value["smoothness"] = {{"loss", answer.loss}, {"beta", certificate_number(*answer.smoothness)}};
  }
  value["vacuous"] = answer.vacuous();
  value["claims"] = json_claims(answer.certificate.claims);
  value["certificate"] = json_file(answer.file);
  value["statistics"] = json_statistics(answer);
  return value;
}

}  // namespace attest
