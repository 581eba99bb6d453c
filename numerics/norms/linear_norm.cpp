// The norms whose problems are linear programs: the sum of all magnitudes (l1) and the largest one (linf). A
// simplex method in doubles finds a basis; the square systems that it stands for are solved in rational
// numbers, and what comes out is measured on both sides without rounding (theory.md T5): at a basis that is
// optimal both are the same number.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "numerics/norms/active_multipliers.hpp"
#include "numerics/norms/dictionary.hpp"
#include "numerics/norms/exact_rows.hpp"
#include "numerics/norms/prepared_problem.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/numbers/exact_linear_solve.hpp"

namespace attest {
namespace {

using Index = Eigen::Index;

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr long guess_bits = 100;  // of doubles as integers

Integer sum_of_magnitudes(const std::vector<Integer>& values) {
  Integer sum;
  for (const Integer& x : values) sum += abs(x);
  return sum;
}

// A matrix and multipliers, each up to a factor.
struct Proposal {
  std::vector<Integer> primal, multipliers;  // multipliers at `active`
  std::vector<std::size_t> active;
};

// l1: the multipliers lambda >= 0 of the largest sum with -1 <= M(lambda)_j <= 1, from lambda = 0 on; W_j is
// what the sum gains by the bound of M_j. linf: -1 <= V_j <= 1 of the largest least margin s, from V_j = -1
// on, where the margins are above s by y_c >= 0; y_c costs lambda_c.
class LinearSolver {
 public:
  LinearSolver(const PreparedProblem& problem, NormAnswer& answer)
      : problem_(problem),
        answer_(answer),
        sums_(problem.request.norm.kind == NormKind::one),
        rows_(problem.constraints),
        count_(rows_.size()),
        entries_(rows_.entries()) {}

  void run() {
    const auto cells = static_cast<double>(count_) * static_cast<double>(entries_);
    problem_.budget.reserve(3 * sizeof(double) * cells, "the linear program of the norm");
    Dictionary program = sums_ ? of_multipliers() : of_entries();
    const bool ended = program.maximise(problem_.budget);
    answer_.path = "simplex";
    prove(guess(program), false);
    if (!ended) return;
    const std::optional<Proposal> basis = solve_basis(program);
    if (!basis) return;
    answer_.path = "simplex+exact";
    prove(*basis, true);
  }

 private:
  // Delta_c in doubles, one a row.
  RowMatrix all_rows() const {
    const ScaledConstraints& scaled = problem_.scaled;
    RowMatrix rows(static_cast<Index>(count_), static_cast<Index>(entries_));
    for (Index c = 0; c < rows.rows(); ++c) {
      const auto group = static_cast<Index>(scaled.group[static_cast<std::size_t>(c)]);
      const RowMatrix outer = scaled.difference.row(c).transpose() * scaled.query.row(group);
      rows.row(c) = Eigen::Map<const Eigen::RowVectorXd>(outer.data(), outer.size());
    }
    return rows;
  }

  Dictionary of_multipliers() const {
    std::vector<VariableRange> ranges(count_, {0, unbounded});
    ranges.resize(count_ + entries_, {-1, 1});
    return {all_rows().transpose(), Eigen::RowVectorXd::Ones(static_cast<Index>(count_)), std::move(ranges)};
  }

  // The constraint of the least margin at the start gives s, and its y_c is a column.
  Dictionary of_entries() {
    RowMatrix rows = all_rows();
    rows.rowwise().sum().maxCoeff(&first_);
    const Eigen::RowVectorXd lowest = rows.row(first_);
    rows.rowwise() -= lowest;
    rows.row(first_) = lowest;
    RowMatrix wide(rows.rows(), rows.cols() + 1);
    wide << rows, Eigen::VectorXd::Ones(rows.rows());
    wide(first_, rows.cols()) = -1;
    std::vector<VariableRange> ranges(entries_, {-1, 1});
    ranges.resize(entries_ + 1 + count_, {0, unbounded});
    ranges[entries_ + 1 + static_cast<std::size_t>(first_)] = {-unbounded, unbounded};
    const Eigen::RowVectorXd objective = wide.row(first_);
    return {std::move(wide), objective, std::move(ranges)};
  }

  // The numbers of variables: M_j or V_j, and lambda_c or y_c.
  std::size_t entry_variable(std::size_t j) const { return sums_ ? count_ + j : j; }
  std::size_t row_variable(std::size_t c) const {
    if (sums_) return c;
    return c == static_cast<std::size_t>(first_) ? entries_ : entries_ + 1 + c;
  }

  Proposal guess(const Dictionary& program) const {
    Proposal found;
    for (std::size_t j = 0; j < entries_; ++j) {
      const double w = sums_ ? program.gain(entry_variable(j)) : program.value(j);
      found.primal.push_back(rounded_integer(w, guess_bits));
    }
    for (std::size_t c = 0; c < count_; ++c) {
      const double multiplier = sums_ ? program.value(c) : -program.gain(row_variable(c));
      if (!(multiplier > 0)) continue;
      found.active.push_back(c);
      found.multipliers.push_back(rounded_integer(multiplier, guess_bits));
    }
    return found;
  }

  // With the active constraints A and the free entries S of the basis. l1: W is 0 off S and has margins 1 on
  // A, and M(lambda)_j is the bound where the basis has it, j in S. linf: V_j is the bound off S and margins
  // are s on A, M(lambda)_j = 0 for j in S, and sum lambda = 1.
  std::optional<Proposal> solve_basis(const Dictionary& program) const {
    Proposal found;
    std::vector<std::size_t> free;
    for (std::size_t c = 0; c < count_; ++c) {
      if (program.basic(row_variable(c)) == sums_) found.active.push_back(c);
    }
    for (std::size_t j = 0; j < entries_; ++j) {
      if (program.basic(entry_variable(j)) != sums_) free.push_back(j);
    }
    const std::size_t size = found.active.size();
    if (size != free.size() + (sums_ ? 0 : 1) || size == 0) return std::nullopt;
    std::vector<Integer> matrix(size * size), primal_side(size), dual_side(size);
    found.primal.resize(entries_);
    for (std::size_t k = 0; k < size; ++k) {
      for (std::size_t j = 0; j < free.size(); ++j)
        matrix[k * size + j] = rows_.entry(found.active[k], free[j]);
      if (!sums_) matrix[k * size + free.size()] = -1;
    }
    for (std::size_t j = 0; j < entries_; ++j) {
      const bool bounded = !program.basic(entry_variable(j));
      if (bounded) found.primal[j] = program.value(entry_variable(j)) > 0 ? 1 : -1;
    }
    for (std::size_t k = 0; k < size; ++k) {
      if (sums_) {
        primal_side[k] = 1;
        dual_side[k] = found.primal[free[k]];
        continue;
      }
      for (std::size_t j = 0; j < entries_; ++j)
        if (found.primal[j] != 0) primal_side[k] -= found.primal[j] * rows_.entry(found.active[k], j);
    }
    if (!sums_) dual_side.back() = -1;
    std::vector<Integer> turned(size * size);
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t j = 0; j < size; ++j) turned[j * size + k] = matrix[k * size + j];
    const auto primal = solve_exactly(matrix, primal_side, problem_.budget);
    const auto dual = primal ? solve_exactly(turned, dual_side, problem_.budget) : std::nullopt;
    if (!dual) return std::nullopt;
    for (Integer& x : found.primal) x *= sums_ ? Integer(0) : primal->denominator;
    for (std::size_t j = 0; j < free.size(); ++j) found.primal[free[j]] = primal->numerator[j];
    found.multipliers = dual->numerator;
    return found;
  }

  // Measures both sides exactly. Of a guess the ends are rounded.
  void prove(const Proposal& proposal, bool exact) {
    NormOptimum found;
    Integer total;
    for (std::size_t k = 0; k < proposal.active.size(); ++k) {
      const Integer& x = proposal.multipliers[k];
      if (x < 0) return;
      if (x == 0) continue;
      found.multipliers.constraint.push_back(problem_.constraints.constraint(proposal.active[k]));
      found.multipliers.numerator.push_back(x);
      total += x;
    }
    const std::vector<Integer> margins = rows_.margins(proposal.primal);
    const Integer least = *std::min_element(margins.begin(), margins.end());
    if (total == 0 || least <= 0) return;
    const std::vector<Integer> combination = rows_.combination(proposal.active, proposal.multipliers);
    const Integer dual = sums_ ? largest_magnitude(combination) : sum_of_magnitudes(combination);
    const Integer norm = sums_ ? sum_of_magnitudes(proposal.primal) : largest_magnitude(proposal.primal);
    if (dual == 0) return;
    // Multipliers are divided by what makes the dual norm 1.
    found.multipliers.denominator = 1;
    const Rational scale(rows_.unit(), dual);
    for (Integer& x : found.multipliers.numerator) x *= numerator(scale);
    found.multipliers.denominator = denominator(scale);
    found.dual_bound = 1;
    found.value = {Rational(total * rows_.unit(), dual), Rational(norm * rows_.unit(), least)};
    if (!exact)
      found.value = {dyadic_below(found.value.lo, guess_bits), dyadic_above(found.value.hi, guess_bits)};
    const Rational factor(rows_.unit(), least);
    found.left = {static_cast<std::size_t>(problem_.scaled.d()),
                  static_cast<std::size_t>(problem_.scaled.e()), proposal.primal, denominator(factor)};
    for (Integer& x : found.left.numerator) x *= numerator(factor);
    if (is_narrowest(answer_, found)) answer_.optimum = std::move(found);
  }

  const PreparedProblem& problem_;
  NormAnswer& answer_;
  const bool sums_;  // l1
  const ExactRows rows_;
  const std::size_t count_, entries_;
  Index first_ = 0;  // linf: the constraint of the least margin at the start
};

}  // namespace

void solve_linear_norm(const PreparedProblem& problem, NormAnswer& answer) {
  LinearSolver(problem, answer).run();
}

}  // namespace attest
