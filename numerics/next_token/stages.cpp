#include "numerics/next_token/stages.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "numerics/next_token/order_problem.hpp"

namespace attest {
namespace {

// Rows gathered from the embeddings.
class EmbeddedRows {
 public:
  EmbeddedRows(const ExactArray& embeddings, std::size_t dimension)
      : embeddings_(embeddings), dimension_(dimension) {}

  void add(TokenId token) { ranges_.emplace_back(token * dimension_, (token + 1) * dimension_); }
  ExactArray take() && { return embeddings_.ranges(ranges_); }

 private:
  const ExactArray& embeddings_;
  std::size_t dimension_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
};

void append_scores(TokenData& data, std::size_t tokens, std::size_t selected) {
  for (std::size_t t = 0; t < tokens; ++t) data.scores.push_back(t == selected ? 1 : 0);
  data.first_row.push_back(data.first_row.back() + tokens);
}

// What a score costs with its allocations.
constexpr double score_bytes = 100;

// Entries over one denominator, which grows as needed; sorted at the end.
class GrowingVector {
 public:
  void add(const Constraint& at, const Rational& value) { entries_.emplace_back(at, value); }

  ConstraintVector take() {
    std::sort(entries_.begin(), entries_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    ConstraintVector vector;
    for (const auto& [at, value] : entries_)
      vector.denominator = boost::multiprecision::lcm(vector.denominator, denominator(value));
    for (const auto& [at, value] : entries_) {
      vector.constraint.push_back(at);
      vector.numerator.push_back(numerator(value) * (vector.denominator / denominator(value)));
    }
    return vector;
  }

 private:
  std::vector<std::pair<Constraint, Rational>> entries_;
};

// Puts the solutions of all orders together.
class AttentionSolution {
 public:
  AttentionSolution() {
    whole_.feasibility = Feasibility::feasible;
    whole_.strictly_complementary = true;
    whole_.locally_optimal = true;
    whole_.exact.emplace();
    whole_.support.emplace();
    whole_.statistics.path = "exact, by query";
  }

  // False when nothing more can be said than that one's reason.
  bool add(const OrderProblem& order, const MarginSolution& part) {
    if (!part.exact || !part.support || !part.strictly_complementary) {
      whole_ = {};
      whole_.reason = part.reason.empty() ? "precision: no exact solution of one order" : part.reason;
      return false;
    }
    const ConstraintVector& multipliers =
        part.complementary_multipliers ? *part.complementary_multipliers : part.exact->multipliers;
    for (std::size_t k = 0; k < multipliers.size(); ++k) {
      const std::vector<Constraint>& all = order.all_of(multipliers.constraint[k]);
      for (const Constraint& c : all) multipliers_.add(c, multipliers.value(k) / all.size());
    }
    whole_.exact->norm_squared += part.exact->norm_squared;
    for (const Constraint& c : *part.support) {
      const std::vector<Constraint>& all = order.all_of(c);
      whole_.support->insert(whole_.support->end(), all.begin(), all.end());
    }
    if (!*part.strictly_complementary && *whole_.strictly_complementary) take_witness(order, part);
    whole_.statistics.exact_pivots += part.statistics.exact_pivots;
    return true;
  }

  MarginSolution take() {
    if (whole_.feasibility == Feasibility::feasible) {
      whole_.exact->multipliers = multipliers_.take();
      std::sort(whole_.support->begin(), whole_.support->end());
      whole_.norm_squared = {whole_.exact->norm_squared, whole_.exact->norm_squared};
    }
    return std::move(whole_);
  }

 private:
  void take_witness(const OrderProblem& order, const MarginSolution& part) {
    whole_.strictly_complementary = false;
    const ComplementarityWitness& found = *part.complementarity_witness;
    GrowingVector direction;
    for (std::size_t k = 0; k < found.direction.size(); ++k)
      direction.add(order.all_of(found.direction.constraint[k]).front(), found.direction.value(k));
    whole_.complementarity_witness = ComplementarityWitness{order.all_of(found.at).front(), direction.take()};
  }

  MarginSolution whole_;
  GrowingVector multipliers_;
};

// Equal embeddings make equal tokens (theory.md T18): the first stands for all.
void merge(StageProblem& problem) {
  merge_equal_tokens(problem.data, {});
  for (const TokenClass& equal : equal_tokens(problem.data)) {
    std::size_t& selected = problem.selection[equal.group];
    if (std::find(equal.tokens.begin(), equal.tokens.end(), selected) != equal.tokens.end())
      selected = equal.tokens.front();
  }
}

}  // namespace

StageProblem feed_forward_problem(const Sentences& sentences, const Collocation& collocation,
                                  const ExactArray& embeddings, const Budget& budget) {
  const std::size_t outputs = sentences.vocabulary, count = collocation.pairs().size();
  const bool one_hot = embeddings.empty();
  const double rows = static_cast<double>(count) * static_cast<double>(outputs);
  budget.reserve(rows * (score_bytes + (one_hot ? 0 : 8.0 * static_cast<double>(outputs))),
                 "the feed-forward stage");
  StageProblem problem;
  TokenData& data = problem.data;
  data.first_row.push_back(0);
  data.left_dimension = outputs;
  data.right_dimension = one_hot ? outputs : embeddings.size() / sentences.vocabulary;
  for (const auto& [x, next] : collocation.pairs()) {
    budget.poll();
    append_scores(data, outputs, next);
    problem.selection.push_back(next);
  }
  if (one_hot) return problem;
  std::vector<double> units(count * outputs * outputs, 0.0);
  for (std::size_t row = 0; row < count * outputs; ++row) units[row * outputs + row % outputs] = 1;
  data.token_factor = ExactArray::from_binary64(std::move(units));
  EmbeddedRows queries(embeddings, data.right_dimension);
  for (const auto& [x, next] : collocation.pairs()) queries.add(x);
  data.query_factor = std::move(queries).take();
  return problem;
}

StageProblem attention_problem(const Sentences& sentences, const std::vector<AttentionGroup>& groups,
                               const Collocation& collocation, const ExactArray& embeddings,
                               const Budget& budget) {
  const std::size_t dimension =
      embeddings.empty() ? sentences.vocabulary : embeddings.size() / sentences.vocabulary;
  StageProblem problem;
  TokenData& data = problem.data;
  data.first_row.push_back(0);
  data.left_dimension = data.right_dimension = dimension;
  for (const AttentionGroup& group : groups) {
    problem.selection.push_back(*selected_token(group, collocation));
    append_scores(data, group.tokens.size(), problem.selection.back());
  }
  if (embeddings.empty()) return problem;
  const std::size_t rows = data.first_row.back() + groups.size();
  budget.reserve(8.0 * static_cast<double>(rows) * static_cast<double>(dimension), "the attention stage");
  EmbeddedRows tokens(embeddings, dimension), queries(embeddings, dimension);
  for (const AttentionGroup& group : groups) {
    for (const TokenId token : group.tokens) tokens.add(token);
    queries.add(group.query);
  }
  data.token_factor = std::move(tokens).take();
  data.query_factor = std::move(queries).take();
  merge(problem);
  return problem;
}

MarginSolution solve_one_hot_feed_forward(const StageProblem& problem) {
  // For each x alone: w = sum_{u != n(x)} (e_{n(x)} - e_u)/V has V - 1 over V at n(x) and -1/V elsewhere, so
  // all margins are 1, and ||w||^2 = (V - 1)/V (theory.md T2).
  const std::size_t outputs = problem.data.left_dimension;
  MarginSolution solution;
  solution.feasibility = Feasibility::feasible;
  ExactOptimum& optimum = solution.exact.emplace();
  optimum.multipliers.constraint = constraints(problem.data, problem.selection);
  const std::size_t rows = optimum.multipliers.constraint.size();
  if (rows > 0) optimum.multipliers.denominator = outputs;
  optimum.multipliers.numerator.assign(rows, 1);
  optimum.norm_squared = rows == 0 ? Rational(0) : Rational(Integer(rows), Integer(outputs));
  solution.norm_squared = {optimum.norm_squared, optimum.norm_squared};
  solution.support = optimum.multipliers.constraint;
  solution.strictly_complementary = true;
  solution.locally_optimal = true;
  solution.statistics.path = "closed form";
  return solution;
}

MarginSolution solve_one_hot_attention(const std::vector<TokenOrder>& orders, const MarginOptions& options) {
  AttentionSolution whole;
  MarginOptions exact = options;
  exact.form = Form::exact;
  exact.progress = {};
  std::size_t done = 0;
  for (const TokenOrder& order : orders) {
    if (options.progress)
      options.progress("orders", static_cast<double>(done++) / static_cast<double>(orders.size()));
    if (order.rows.empty()) continue;
    const OrderProblem problem(order);
    if (!whole.add(problem, solve_margin_problem(problem.data, problem.selection, exact))) break;
  }
  return whole.take();
}

MarginSolution infeasible_by(const OrderCycle& cycle) {
  MarginSolution solution;
  solution.feasibility = Feasibility::infeasible;
  solution.locally_optimal = false;
  ConstraintVector& farkas = solution.farkas.emplace();
  for (const OrderRow& row : cycle.rows) farkas.constraint.push_back({row.group, row.token});
  std::sort(farkas.constraint.begin(), farkas.constraint.end());
  farkas.numerator.assign(cycle.rows.size(), 1);
  solution.statistics.path = "cycle";
  return solution;
}

}  // namespace attest
