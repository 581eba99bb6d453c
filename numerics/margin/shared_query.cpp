#include "numerics/margin/shared_query.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "numerics/margin/exact.hpp"
#include "numerics/margin/fingerprint.hpp"
#include "numerics/margin/kernel.hpp"
#include "numerics/margin/lifted_guess.hpp"
#include "numerics/numbers/exact_linear_solve.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {
namespace {

using boost::multiprecision::denominator;
using boost::multiprecision::numerator;

// k with z_other = k z_group, when z_group is not zero and there is one.
std::optional<Rational> query_ratio(const TokenData& data, std::size_t group, std::size_t other) {
  const std::size_t e = data.right_dimension;
  const auto entry = [&](std::size_t i, std::size_t j) { return data.query_factor.exact(i * e + j); };
  std::size_t lead = 0;
  while (lead < e && entry(group, lead) == 0) ++lead;
  if (lead == e) return std::nullopt;
  Rational ratio = entry(other, lead) / entry(group, lead);
  if (ratio == 0) return std::nullopt;
  for (std::size_t j = 0; j < e; ++j) {
    if (entry(other, j) != ratio * entry(group, j)) return std::nullopt;
  }
  return ratio;
}

ExactArray rows_of(const ExactArray& values, const std::vector<std::size_t>& rows, std::size_t columns) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const std::size_t r : rows) ranges.emplace_back(r * columns, (r + 1) * columns);
  return values.ranges(ranges);
}

// The rows of some groups of a class as a problem in R^d, each multiplied by 1/|factor|.
class ClassProblem {
 public:
  // Winner first in each group, then its rows' losers.
  ClassProblem(const TokenData& data, const std::vector<MarginRow>& rows, const std::vector<Rational>& factor)
      : factor_(factor), rows_(rows) {
    std::vector<std::size_t> tokens;
    std::vector<double> sign;
    data_.left_dimension = data.left_dimension;
    data_.first_row = {0};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const MarginRow& row = rows[k];
      if (k == 0 || rows[k - 1].group != row.group) {
        if (k > 0) data_.first_row.push_back(tokens.size());
        tokens.push_back(data.row(row.group, row.winner));
        sign.push_back(factor[k] > 0 ? 1 : -1);
      }
      tokens.push_back(data.row(row.group, row.loser));
    }
    data_.first_row.push_back(tokens.size());
    data_.token_factor = rows_of(data.token_factor, tokens, data.left_dimension);
    data_.query_factor = ExactArray::from_binary64(std::move(sign));
    data_.scores.assign(tokens.size(), Rational(0));
  }

  // A conflict of these rows; nothing when they are separable. `proved` is cleared when neither is proved.
  std::optional<ConstraintVector> conflict(const Budget& budget, bool& proved) const {
    const IntegerConstraints constraints(data_, Selection(data_.groups(), 0));
    const ScaledConstraints scaled = scale_constraints(constraints, budget);
    const LiftedGuess guess = guess_lifted_passive_set(scaled, {}, budget);
    if (certainly_separable(scaled, guess)) return std::nullopt;
    budget.needs_seconds(3 * predicted_solve_seconds(guess.at.size(), constraints.gram_bits()),
                         "an exact solve of a shared query's rows");
    MarginSolution solution;
    solve_exact_margin(constraints, guess.at, 0, budget, solution);
    if (solution.feasibility == Feasibility::undecided) proved = false;
    if (!solution.farkas) return std::nullopt;
    return lifted(*solution.farkas);
  }

 private:
  // The least-squares residual of the passive columns points to a separator when the rows have one.
  static bool certainly_separable(const ScaledConstraints& scaled, const LiftedGuess& guess) {
    const Eigen::Map<const Eigen::VectorXd> weight(guess.multiplier.data(),
                                                   static_cast<Eigen::Index>(guess.at.size()));
    const RowMatrix w = approx_combination(scaled, guess.at, weight);
    const MarginKernel kernel(scaled);
    const RigorousMargins margins = kernel.margins(w);
    for (std::size_t c = 0; c < scaled.size(); ++c) {
      if (!kernel.certainly_above(margins, c, 0)) return false;
    }
    return true;
  }

  // Values at the rows of the whole problem: sum x_c / |factor_c| Delta_c = 0.
  ConstraintVector lifted(const ConstraintVector& farkas) const {
    std::vector<Rational> value;
    ConstraintVector result;
    for (std::size_t k = 0; k < farkas.size(); ++k) {
      // Group g of the class problem has one more token than rows: row (g, t) is number first_row[g] - g + t
      // - 1.
      const Constraint& c = farkas.constraint[k];
      const std::size_t number = data_.first_row[c.group] - c.group + c.token - 1;
      result.constraint.push_back(rows_[number].constraint());
      value.push_back(farkas.value(k) / abs(factor_[number]));
    }
    for (const Rational& one : value) result.denominator = lcm(result.denominator, Integer(denominator(one)));
    Integer content = 0;
    for (const Rational& one : value) {
      result.numerator.push_back(numerator(one) * (result.denominator / denominator(one)));
      content = gcd(content, result.numerator.back());
    }
    // Any positive multiple is a Farkas vector: the one of coprime integers.
    for (Integer& entry : result.numerator) entry /= content;
    result.denominator = 1;
    return result;
  }

  TokenData data_;
  const std::vector<Rational>& factor_;  // of each row
  const std::vector<MarginRow>& rows_;
};

class SharedQueryScan {
 public:
  SharedQueryScan(const TokenData& data, const Selection& selection, const std::vector<bool>& leave_out,
                  std::size_t most, const Budget& budget)
      : data_(data), left_out_(leave_out), most_(most), budget_(budget), row_of_group_(data.groups() + 1, 0) {
    left_out_.resize(data.groups(), false);
    rows_ = margin_rows(data, selection);
    for (const MarginRow& row : rows_) ++row_of_group_[row.group + 1];
    for (std::size_t i = 0; i < data.groups(); ++i) row_of_group_[i + 1] += row_of_group_[i];
  }

  SharedQueryConflicts run() {
    try {
      bool proved = true;
      for (const QueryClass& one : query_classes(data_, budget_)) {
        while (search(one, proved)) {
          if (result_.conflicts.size() == most_) return std::move(result_);
        }
      }
      result_.complete = proved;
    } catch (const BudgetReached&) {
    }
    return std::move(result_);
  }

 private:
  bool search(const QueryClass& one, bool& proved) {
    budget_.poll();
    std::vector<MarginRow> rows;
    std::vector<Rational> factor;
    for (std::size_t k = 0; k < one.groups.size(); ++k) {
      const std::size_t group = one.groups[k];
      if (left_out_[group]) continue;
      for (std::size_t r = row_of_group_[group]; r < row_of_group_[group + 1]; ++r) {
        rows.push_back(rows_[r]);
        factor.push_back(one.factor[k]);
      }
    }
    if (rows.size() < 2) return false;
    std::optional<ConstraintVector> farkas = ClassProblem(data_, rows, factor).conflict(budget_, proved);
    if (!farkas) return false;
    result_.conflicts.push_back(make_conflict(std::move(*farkas)));
    for (const std::size_t group : result_.conflicts.back().groups) left_out_[group] = true;
    return true;
  }

  const TokenData& data_;
  std::vector<bool> left_out_;
  const std::size_t most_;
  const Budget& budget_;
  std::vector<MarginRow> rows_;
  std::vector<std::size_t> row_of_group_;
  SharedQueryConflicts result_;
};

}  // namespace

std::vector<QueryClass> query_classes(const TokenData& data, const Budget& budget) {
  budget.poll();
  const std::vector<Fingerprint> query = fingerprints(data.query_factor, data.right_dimension);
  std::map<std::uint64_t, std::size_t> class_of;
  std::vector<QueryClass> classes;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    const std::optional<Residue> direction = query[i].direction();
    if (!direction) continue;
    const auto [place, is_new] = class_of.try_emplace(direction->value, classes.size());
    if (is_new) {
      classes.push_back({{i}, {Rational(1)}});
      continue;
    }
    QueryClass& one = classes[place->second];
    if (const std::optional<Rational> ratio = query_ratio(data, one.groups.front(), i)) {
      one.groups.push_back(i);
      one.factor.push_back(*ratio);
    } else {
      classes.push_back({{i}, {Rational(1)}});
    }
  }
  return classes;
}

SharedQueryConflicts shared_query_conflicts(const TokenData& data, const Selection& selection,
                                            const std::vector<bool>& leave_out, std::size_t most,
                                            const Budget& budget) {
  return SharedQueryScan(data, selection, leave_out, most, budget).run();
}

}  // namespace attest
