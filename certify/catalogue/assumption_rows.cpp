// Rows that are assumptions on the data: B.B1, B.B2, B.D and C.global's data conditions (B.C:
// first_step_row.cpp).
#include <algorithm>
#include <vector>

#include "certify/catalogue/catalogue.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/margin/selection_search.hpp"

namespace attest {
namespace {

// max |<x_a, x_b>| / (||x_a|| ||x_b||) over pairs of different token rows, leaving out pairs of optimal
// tokens (they are to be aligned). The same vector in two sequences counts: the condition is about the whole
// training set.
//
// A pass in doubles, without guarantee, proposes the pair; the exact pair gives a lower bound of the maximum.
// That is a proof of failure of exact orthogonality; that all products vanish is only ever concluded exactly.
Hypothesis orthogonal_tokens(const CatalogueContext& context) {
  const TokenData& data = context.data();
  const ExactArray& x = data.token_factor;
  const std::size_t rows = data.first_row.back(), d = data.left_dimension;
  constexpr std::size_t kLargestPass = 200000000;  // multiplications
  if (rows > 0 && rows * rows / 2 > kLargestPass / std::max<std::size_t>(d, 1)) {
    return {"tokens nearly orthogonal", Verdict::undecided, "budget: too many pairs of tokens"};
  }
  std::vector<bool> optimal(rows, false);
  std::vector<bool> present(rows, true);
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    optimal[data.row(i, context.best()[i])] = true;
    for (std::size_t t = 0; t < data.tokens(i); ++t) present[data.row(i, t)] = data.present(i, t);
  }
  std::vector<double> approx(rows * d), square(rows, 0.0);
  for (std::size_t k = 0; k < rows * d; ++k) {
    approx[k] = x.approx(k);
    square[k / d] += approx[k] * approx[k];
  }
  double largest = -1;
  std::size_t one = 0, other = 0;
  bool all_exactly_zero = true;
  for (std::size_t a = 0; a < rows; ++a) {
    context.budget().poll();
    for (std::size_t b = a + 1; b < rows; ++b) {
      if ((optimal[a] && optimal[b]) || !present[a] || !present[b]) continue;
      double product = 0;
      for (std::size_t j = 0; j < d; ++j) product += approx[a * d + j] * approx[b * d + j];
      const double cosine_squared = product * product / std::max(square[a] * square[b], 1e-300);
      if (cosine_squared > largest) {
        largest = cosine_squared;
        one = a;
        other = b;
      }
      // A computed product that is not zero may still be a rounding error, and a zero one may hide a tiny
      // product.
      if (all_exactly_zero && exact_dot(x, a, x, b, d) != 0) {
        all_exactly_zero = false;
        if (largest <= 0) {
          one = a;
          other = b;
        }
      }
    }
  }
  if (all_exactly_zero) return {"tokens nearly orthogonal", Verdict::holds, "all tokens exactly orthogonal"};
  const Rational product = exact_dot(x, one, x, other, d);
  const Rational lengths = exact_dot(x, one, x, one, d) * exact_dot(x, other, x, other, d);
  if (product == 0 || lengths == 0) {
    return {"tokens nearly orthogonal", Verdict::undecided,
            "not-finite: the paper's threshold is not explicit; tokens are not all orthogonal"};
  }
  return {"tokens nearly orthogonal", Verdict::undecided,
          "not-finite: the paper's threshold is not explicit; max |cos| over tokens is at least " +
              decimal_down(square_root(Rational(product * product / lengths)).lo, 8) + " (token rows " +
              std::to_string(one) + " and " + std::to_string(other) + ")"};
}

// Optimal tokens of sequences with the same label are positive multiples of each other.
Hypothesis aligned_best_tokens(const CatalogueContext& context) {
  const TokenData& data = context.data();
  const ExactArray& x = data.token_factor;
  const std::size_t d = data.left_dimension;
  const std::string title = "optimal tokens aligned within a class";
  if (context.instance().scores) return {title, Verdict::undecided, "the instance gives scores, not labels"};
  for (const int label : {1, -1}) {
    std::optional<std::size_t> first;
    PassedGroups passed(data);
    for (std::size_t i = 0; i < data.groups(); ++i) {
      passed.before(i);
      if (context.instance().Y[i] != label) continue;
      const std::size_t row = data.row(i, context.best()[i]);
      if (!first) {
        first = row;
        continue;
      }
      const Rational product = exact_dot(x, *first, x, row, d);
      const Rational lengths = exact_dot(x, *first, x, *first, d) * exact_dot(x, row, x, row, d);
      if (product > 0 && product * product == lengths) continue;
      std::string detail = "the optimal tokens of two sequences of label " + std::to_string(label) +
                           " (rows " + std::to_string(*first) + " and " + std::to_string(row) +
                           ") are not parallel";
      if (lengths > 0 && product > 0) {
        detail += ": cosine in " + show(square_root(Rational(product * product / lengths)), 8);
      }
      if (product <= 0) return {title, Verdict::fails, detail + ": inner product " + show(product) + " <= 0"};
      return {title, Verdict::undecided, "not-finite: the paper's threshold is not explicit; " + detail};
    }
  }
  return {title, Verdict::holds, "parallel within each class (exact)"};
}

// A count; of one that is too long to be read a lower bound: "over 7.6e305".
std::string counted(const Integer& number) {
  std::string digits = number.str();
  if (digits.size() <= 12) return digits;
  return "over " + digits.substr(0, 1) + "." + digits.substr(1, 1) + "e" + std::to_string(digits.size() - 1);
}

}  // namespace

void decide_all_tight(CatalogueContext& context, Row& row) {
  row.require(best_tokens_unique(context));
  const SolvedSelection& solved = context.solved_best();
  row.require(feasible("opt", solved));
  const std::size_t total = constraint_count(context.data());
  if (solved.solution.feasibility == Feasibility::feasible) {
    Hypothesis tight{"all tokens are support tokens", Verdict::undecided,
                     "precision: the support set is open"};
    if (solved.solution.support && solved.solution.support->size() == total) {
      tight = {tight.name, Verdict::holds, "all " + std::to_string(total) + " margins equal 1"};
    } else if (solved.geometry || solved.solution.support) {
      for (const Constraint& c : constraints(context.data(), context.best())) {
        const bool known_slack =
            solved.solution.support
                ? !std::binary_search(solved.solution.support->begin(), solved.solution.support->end(), c)
                : solved.geometry->margin(context.data(), context.best(), c).lo > 1;
        if (!known_slack) continue;
        tight = {tight.name, Verdict::fails, "token " + show(c) + " is not a support token"};
        if (solved.geometry) {
          tight.detail +=
              ": its margin is in " + show(solved.geometry->margin(context.data(), context.best(), c));
        }
        break;
      }
    }
    row.require(tight);
  }
  settle(row);
}

void decide_equal_scores(CatalogueContext& context, Row& row) {
  row.require(best_tokens_unique(context));
  row.require(equal_other_scores(context));
  settle(row);
}

void decide_no_other_local(CatalogueContext& context, Row& row) {
  row.require(best_tokens_unique(context));
  if (row.hypotheses.back().verdict == Verdict::fails) {
    settle(row);
    return;
  }
  const SupportSweep sweep = sweep_support_condition(
      context.data(), context.best(), context.options().enumeration_budget, context.remaining());
  const std::string counts = std::to_string(sweep.examined) + " selections solved, " +
                             std::to_string(sweep.infeasible) + " of them infeasible and skipped, " +
                             counted(sweep.pruned) +
                             " skipped without solving (they contain an infeasible part)";
  Hypothesis condition{"opt is a support token wherever it is left", Verdict::undecided, counts};
  if (sweep.counterexample) {
    condition = {condition.name, Verdict::fails,
                 "alpha = " + show(*sweep.counterexample) +
                     ": no i with alpha_i != opt_i has opt_i among alpha's support tokens (" + counts + ")"};
  } else if (sweep.complete && sweep.undecided == 0) {
    condition.verdict = Verdict::holds;
    condition.detail = "all " + sweep.total.str() + " selections other than opt covered: " + counts;
  } else {
    context.budget().poll();
    condition.detail =
        (sweep.complete ? std::to_string(sweep.undecided) + " selections undecided: "
                        : "budget: " + counted(sweep.total) + " selections, no counterexample in ") +
        counts;
  }
  row.require(condition);
  if (condition.verdict == Verdict::holds) {
    row.conclusion = "no selection other than opt is locally optimal (checked)";
  }
  settle(row);
}

void decide_data_conditions(CatalogueContext& context, Row& row) {
  row.require(best_tokens_unique(context));
  row.require(orthogonal_tokens(context));
  Hypothesis equal = equal_other_scores(context);
  equal.name = "non-optimal scores (nearly) equal";
  if (equal.verdict == Verdict::fails) {
    equal.verdict = Verdict::undecided;
    equal.detail = "not-finite: the paper's threshold is not explicit; " + equal.detail;
  }
  row.require(equal);
  row.require(aligned_best_tokens(context));
  settle(row);
  if (row.verdict == Verdict::holds) {
    row.conclusion =
        "the conditions hold in their strictest form; convergence from any start is the paper's theorem "
        "(recalled, not checked here)";
  }
}

}  // namespace attest
