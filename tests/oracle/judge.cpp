// Truth of claims, from the exact answer of each problem.
#include "tests/oracle/judge.hpp"

#include <algorithm>
#include <optional>

#include "tests/oracle/linear_algebra.hpp"
#include "tests/oracle/separability.hpp"
#include "tests/oracle/smoothness.hpp"

namespace reference {

namespace {

// Which head a loss is of, and an instance has.
std::string head_of(const std::string& loss) {
  if (loss.starts_with("relu-")) return "relu";
  return loss == "cross-entropy" || loss == "classifier" ? loss : "scalar";
}

std::string head_of(const Dataset& data) {
  if (data.layer) return data.layer->classifier ? "classifier" : "relu";
  return data.y.empty() ? "scalar" : "cross-entropy";
}

constexpr std::size_t later_steps = 150;

// The sparse vector on all constraints; nothing when it names something that is not a constraint.
std::optional<Row> dense(const SparseVector& vector, const MarginAnswer& answer) {
  Row result(answer.constraints.size());
  for (const auto& [constraint, value] : vector.entries) {
    const auto position = answer.position(constraint);
    if (!position) return std::nullopt;
    result[*position] = value;
  }
  return result;
}

Number squared_distance(Row a, const Row& b) {
  a.resize(b.size());  // an empty combination is zero
  for (std::size_t j = 0; j < b.size(); ++j) a[j] -= b[j];
  return dot(a, a);
}

std::string holds(bool truth, const char* otherwise) {
  return truth ? std::string() : std::string(otherwise);
}

// Kinds a claim of this kind may cite.
bool may_cite(const Claim& claim, const Claim& cited) {
  const std::string& kind = claim.kind;
  const bool optimal = cited.kind == "optimal", enclosure = cited.kind == "optimal-enclosure";
  const bool exact_enclosure = enclosure && cited.form == "lambda-min";
  if (kind == "support" || kind == "rank" || kind == "regularisation-path" || kind == "path-residual")
    return optimal || exact_enclosure;
  if (kind == "strictly-complementary" || kind == "not-strictly-complementary")
    return cited.kind == "support";
  if (kind == "locally-optimal") return cited.kind == "support" || enclosure;
  if (kind == "robust-radius") return cited.kind == "feasible" || optimal || enclosure;
  if (kind == "run") return optimal || enclosure;
  if (kind.starts_with("norm-")) return cited.kind == "norm-optimum";
  if (kind.rfind("forever", 0) == 0) return optimal || exact_enclosure;
  return cited.kind == (claim.has_at ? "support" : "infeasible");  // not-locally-optimal
}

}  // namespace

const MarginAnswer& Judge::answer(const Choice& choice) {
  const auto found = answers_.find(choice);
  if (found != answers_.end()) return found->second;
  return answers_.emplace(choice, solve_margin(data_, choice)).first->second;
}

std::vector<Judgement> Judge::judge(const Certificate& certificate) {
  std::vector<Judgement> result;
  for (const Claim& claim : certificate.claims) {
    const std::string why = objection(certificate, claim);
    result.push_back({why.empty(), why});
  }
  return result;
}

std::string Judge::first_false(const Certificate& certificate) {
  const auto judgements = judge(certificate);
  for (std::size_t k = 0; k < judgements.size(); ++k)
    if (!judgements[k].is_true)
      return "claim " + std::to_string(k + 1) + " (" + certificate.claims[k].kind +
             "): " + judgements[k].reason;
  return "";
}

std::string Judge::enclosure_objection(const Claim& claim, const MarginAnswer& answer) {
  if (!answer.feasible) return "the problem is infeasible";
  if (answer.norm_squared < claim.numbers[0]) return "squared norm below its lower bound";
  if (answer.norm_squared > claim.numbers[1]) return "squared norm above its upper bound";
  std::vector<Row> vectors;
  for (const SparseVector& vector : claim.vectors) {
    const auto row = dense(vector, answer);
    if (!row) return "vector names no constraint";
    vectors.push_back(*row);
  }
  const Number distance = squared_distance(answer.combination(vectors[0]), answer.solution);
  if (claim.form == "gap") {
    if (distance > claim.numbers[2]) return "further from the solution than claimed";
    return "";
  }
  const Number &radius = claim.numbers[2], &multiplier_radius = claim.numbers[3],
               &lambda_min = claim.numbers[4];
  if (radius < 0 || distance > radius * radius) return "further from the solution than claimed";
  if (claim.vectors[0].entries.size() != answer.support.size()) return "not the support set";
  std::vector<Row> rows;
  Row listed;
  for (const std::size_t c : answer.support) {
    if (vectors[0][c] == 0) return "not the support set";
    rows.push_back(answer.differences[c]);
    listed.push_back(vectors[0][c]);
  }
  Matrix G(rows.size(), Row(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j) G[i][j] = dot(rows[i], rows[j]);
  if (rank(G) < G.size()) return "dependent support set";
  Row shift = solve(G, Row(G.size(), 1));  // the unique multipliers
  for (std::size_t k = 0; k < shift.size(); ++k) {
    if (shift[k] <= 0) return "a multiplier is not positive";
    shift[k] -= listed[k];
  }
  if (multiplier_radius < 0 || dot(shift, shift) > multiplier_radius * multiplier_radius)
    return "further from the multipliers than claimed";
  for (std::size_t k = 0; k < G.size(); ++k) G[k][k] -= lambda_min;
  if (lambda_min <= 0 || !positive_semidefinite(G)) return "least eigenvalue below its bound";
  return "";
}

std::string Judge::norm_objection(const Certificate& certificate, const Claim& claim,
                                  const MarginAnswer& answer) {
  if (!answer.feasible) return "the problem is infeasible";
  const Choice& selection = certificate.problems[claim.problem - 1].selection;
  const NormTruth& truth =
      norms_.try_emplace({claim.norm, selection}, answer, feature_shape(data_), claim.norm).first->second;
  if (claim.kind == "norm-optimum") return truth.optimum_objection(claim);
  if (claim.kind == "norm-solution") return truth.solution_objection(claim);
  const Claim& cited = certificate.claims[claim.from - 1];
  if (claim.kind == "norm-path") return norm_path_objection(certificate, claim, cited, answer, truth);
  if (claim.kind == "norm-near-rank")
    return cited.norm == "nuclear" ? truth.near_rank_objection(claim, cited.numbers[1])
                                   : "cites another norm";
  if (claim.kind == "norm-face")
    return cited.norm == claim.norm ? truth.face_objection(claim) : "cites another norm";
  if (cited.norm != claim.norm || cited.numbers.size() != 3) return "cites no solution in its norm";
  return claim.kind == "norm-support-within" ? truth.support_objection(claim.listed)
                                             : truth.local_objection();
}

std::string Judge::norm_path_objection(const Certificate& certificate, const Claim& claim, const Claim& cited,
                                       const MarginAnswer& answer, const NormTruth& truth) {
  const Problem& problem = certificate.problems[claim.problem - 1];
  if (problem.loss == "none" || data_.layer)
    return "not known of heads of several outputs, or without a loss";
  if (!answer.globally_optimal) return "a better token than the selected one";
  if (cited.norm != claim.norm) return "cites another norm's optimum";
  if (std::string why = truth.optimum_objection(cited); !why.empty()) return why;
  const Number &lo = cited.numbers[0], &hi = cited.numbers[1], &bound = cited.dual_norm;
  const auto multipliers = dense(cited.vectors[0], answer);
  if (!multipliers || lo <= 0 || bound <= 0) return "no direction";
  NormPath path;
  for (const Number& x : given_entries(cited)) path.ray.push_back(real(x / hi));
  for (const Number& x : answer.combination(*multipliers)) path.direction.push_back(real(x / bound));
  path.reach = real(lo / hi);
  path.size = [&](const std::vector<Real>& matrix) { return truth.size(matrix); };
  return run_truth(problem, answer).norm_path_objection(path, claim.numbers[0], claim.numbers[1]);
}

RunTruth& Judge::run_truth(const Problem& problem, const MarginAnswer& answer) {
  return runs_.try_emplace({problem.loss, problem.selection}, data_, problem, answer).first->second;
}

std::string Judge::run_objection(const Certificate& certificate, const Claim& claim,
                                 const MarginAnswer& answer) {
  const Problem& problem = certificate.problems[claim.problem - 1];
  if (problem.loss == "none") return "a run without a loss";
  RunTruth& truth = run_truth(problem, answer);
  if (data_.layer && claim.kind == "stationary") return "not known of heads of several outputs";
  if (claim.kind == "stationary") return truth.stationary_objection(*claim.run);
  if (claim.kind == "run") return truth.run_objection(*claim.run);
  if (claim.kind == "regularisation-path" || claim.kind == "path-residual") {
    if (!answer.globally_optimal) return "a better token than the selected one";
    if (claim.kind == "path-residual") return truth.residual_objection(claim.numbers[0], claim.numbers[1]);
    return truth.regularisation_objection(claim.numbers[0], claim.numbers[1]);
  }
  const RunClaim* cited = nullptr;
  if (const std::size_t run = claim.path ? claim.path->run : claim.forever->run; run != 0) {
    const Claim& other = certificate.claims[run - 1];
    if (other.kind != "run" || other.problem != claim.problem) return "cites no run of its problem";
    cited = &*other.run;
  }
  if (claim.path) return truth.path_objection(*claim.path, *cited);
  if (cited != nullptr) {
    const auto& points = cited->checkpoints;
    if (std::none_of(points.begin(), points.end(),
                     [&](const CheckpointClaim& point) { return point.at == claim.forever->at; }))
      return "cites a step that is no checkpoint";
  }
  return truth.forever_objection(*claim.forever, cited, later_steps);
}

std::string Judge::problem_objection(const Problem& problem) {
  if (!problem.plain) return "rows that this reference reads but does not judge";
  if (problem.setting != setting_words(data_)) return "not the instance's setting";
  if (problem.loss != "none" && head_of(problem.loss) != head_of(data_)) return "the loss of another head";
  if (problem.selection.size() != data_.groups()) return "selection of the wrong length";
  for (std::size_t i = 0; i < data_.groups(); ++i)
    if (problem.selection[i] >= data_.X[i].size()) return "selected token does not exist";
  for (std::size_t i = 0; i < data_.groups(); ++i)
    if (first_equal(data_, i, problem.selection[i]) != problem.selection[i])
      return "selected token equals an earlier one";
  return "";
}

std::string Judge::tie_objection(const Claim& claim) {
  if (data_.layer) return "there are no scores";
  if (claim.group >= data_.groups() || claim.tokens[0] >= claim.tokens[1] ||
      claim.tokens[1] >= data_.X[claim.group].size())
    return "no such tokens";
  for (const std::size_t t : claim.tokens)
    if (first_equal(data_, claim.group, t) != t) return "a token that equals an earlier one";
  const Number first = class_score(data_, claim.group, claim.tokens[0]);
  if (first != class_score(data_, claim.group, claim.tokens[1])) return "scores differ";
  for (std::size_t t = 0; t < data_.X[claim.group].size(); ++t)
    if (class_score(data_, claim.group, t) > first) return "another token scores more";
  return "";
}

std::string Judge::solution_objection(const Claim& claim, const MarginAnswer& exact) {
  const std::string& kind = claim.kind;
  if (kind == "feasible") return holds(exact.feasible, "infeasible");
  if (kind == "infeasible") return holds(!exact.feasible, "feasible");
  if (kind == "margin-at-most") {
    const Number& bound = claim.numbers[0];
    if (bound <= 0) return "a bound that is not positive";
    return holds(!exact.feasible || bound * bound * exact.norm_squared >= 1, "a larger margin");
  }
  if (kind == "optimal") {
    if (!exact.feasible) return "infeasible";
    if (claim.numbers[0] != exact.norm_squared) return "wrong squared norm";
    const auto multipliers = dense(claim.vectors[0], exact);
    if (!multipliers) return "vector names no constraint";
    return holds(squared_distance(exact.combination(*multipliers), exact.solution) == 0, "not the solution");
  }
  if (kind == "optimal-enclosure") return enclosure_objection(claim, exact);
  return holds(exact.feasible && exact.solution_rank == claim.count, "another rank");
}

std::string Judge::support_objection(const Claim& claim, const MarginAnswer& exact) {
  const std::string& kind = claim.kind;
  std::optional<std::size_t> position;
  if (claim.has_at) position = exact.position(claim.at);
  const bool in_support = position && exact.feasible && exact.margins[*position] == 1;
  if (kind == "support") {
    std::vector<Pair> support;
    for (const std::size_t c : exact.support) support.push_back(exact.constraints[c]);
    return holds(exact.feasible && support == claim.listed, "not the support set");
  }
  if (kind == "strictly-complementary")
    return holds(exact.feasible && reference::strictly_complementary(exact), "not strictly complementary");
  if (kind == "not-strictly-complementary")
    return holds(in_support && !multiplier_can_be_positive(exact, *position),
                 "a multiplier vector is positive there");
  if (kind == "locally-optimal") return holds(exact.locally_optimal, "not locally optimal");
  if (kind == "not-locally-optimal") {
    if (exact.locally_optimal) return "locally optimal";
    if (!claim.has_at) return holds(!exact.feasible, "feasible");
    return holds(in_support && exact.gaps[*position] <= 0, "not a witness");
  }
  if (kind == "globally-optimal") return holds(exact.globally_optimal, "not globally optimal");
  return holds(position && exact.gaps[*position] <= 0, "not a witness");
}

std::string Judge::separability_objection(const Claim& claim, const Choice& selection,
                                          const MarginAnswer& exact) {
  if (claim.kind == "conflicts") return conflicts_objection(data_, selection, claim.count);
  if (claim.kind == "separable-without") {
    if (!claim.groups.empty() && claim.groups.back() >= data_.groups()) return "no such group";
    if (claim.groups.size() == data_.groups()) return "every group is left out";
    return holds(separable_without(data_, selection, claim.groups), "the others are not separable");
  }
  if (data_.text) return "a radius of sentences, whose queries would move";
  return exact.feasible ? robust_objection(data_, selection, exact, claim.numbers[0]) : "infeasible";
}

std::string Judge::objection(const Certificate& certificate, const Claim& claim) {
  const Problem& problem = certificate.problems[claim.problem - 1];
  if (data_.text && problem.setting.starts_with("next-token ") && problem.setting != setting_words(data_)) {
    const std::string stage = data_.stage == "attention" ? "feed-forward" : "attention";
    if (!other_stage_) other_stage_ = std::make_unique<Judge>(stage_of(*data_.text, stage));
    return other_stage_->objection(certificate, claim);
  }
  if (std::string why = problem_objection(problem); !why.empty()) return why;
  if (claim.kind == "joint-attention" || claim.kind == "label-margins" || claim.kind == "joint-path" ||
      claim.kind == "joint-run" || claim.kind == "joint-forever" || claim.kind == "run-finite-part" ||
      claim.kind.starts_with("mirror-") || claim.kind.starts_with("token-") ||
      claim.kind.starts_with("factored-"))
    return "a kind that this reference reads but does not judge";
  if (claim.from != 0) {
    const Claim& cited = certificate.claims[claim.from - 1];
    if (cited.problem != claim.problem) return "cites a claim about another problem";
    if (!may_cite(claim, cited)) return "cites a claim of the wrong kind";
  }
  const MarginAnswer& exact = answer(problem.selection);
  if (!claim.norm.empty()) return norm_objection(certificate, claim, exact);
  if (claim.run || claim.path || claim.forever || claim.kind == "regularisation-path" ||
      claim.kind == "path-residual")
    return run_objection(certificate, claim, exact);
  const auto one_of = [&](std::initializer_list<const char*> kinds) {
    return std::find(kinds.begin(), kinds.end(), claim.kind) != kinds.end();
  };
  if (one_of({"feasible", "infeasible", "margin-at-most", "optimal", "optimal-enclosure", "rank"}))
    return solution_objection(claim, exact);
  if (one_of({"conflicts", "separable-without", "robust-radius"}))
    return separability_objection(claim, problem.selection, exact);
  if (claim.kind == "score-tie") return tie_objection(claim);
  if (claim.kind != "smoothness") return support_objection(claim, exact);
  if (problem.loss == "none" || head_of(data_) == "relu") return "smoothness without a loss that has it";
  return holds(at_least_smoothness_constant(data_, problem.loss, claim.numbers[0]), "below the constant");
}

}  // namespace reference
