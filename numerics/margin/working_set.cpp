#include "numerics/margin/working_set.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "numerics/margin/guess.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/problem/integer_constraints.hpp"

namespace attest {
namespace {

constexpr std::size_t kFewestRows = 50'000;
constexpr std::size_t kRowsToUnknowns =
    512;  // measured: 1,024 unknowns gain nothing with 140 times as many rows
constexpr std::size_t kMostRows = 5'000, kMostSets = 20;  // beyond: ties without end
constexpr double kViolated = 1e-7;                        // of a margin of 1, while doubles propose

std::size_t unknowns(const TokenData& data) {
  return data.left_dimension * data.right_dimension;
}

// Some rows of a problem as a problem of their own: of each group the selected token and their losers.
class PartialProblem {
 public:
  // `rows` increasing.
  PartialProblem(const TokenData& data, const Selection& selection, const std::vector<Constraint>& rows) {
    const std::size_t d = data.left_dimension, e = data.right_dimension;
    part_.left_dimension = d;
    part_.right_dimension = e;
    std::vector<std::pair<std::size_t, std::size_t>> tokens, queries;  // ranges of entries
    const auto add = [&](std::size_t group, std::size_t token) {
      const std::size_t row = data.row(group, token);
      tokens.emplace_back(row * d, (row + 1) * d);
      part_.scores.push_back(0);
      tokens_.push_back(token);
    };
    part_.first_row.push_back(0);
    for (auto row = rows.begin(); row != rows.end();) {
      const std::size_t group = row->group, winner = selection[group], first = tokens_.size();
      while (row != rows.end() && row->group == group && row->token < winner) add(group, row++->token);
      selection_.push_back(tokens_.size() - first);
      add(group, winner);
      while (row != rows.end() && row->group == group) add(group, row++->token);
      groups_.push_back(group);
      queries.emplace_back(group * e, (group + 1) * e);
      part_.first_row.push_back(tokens_.size());
    }
    part_.token_factor = data.token_factor.ranges(tokens);
    part_.query_factor = data.query_factor.ranges(queries);
  }

  const TokenData& data() const { return part_; }
  const Selection& selection() const { return selection_; }

  // What is said of this problem, of the whole one. Of scores there are none here.
  MarginSolution whole(MarginSolution solution) const {
    const auto vector = [&](ConstraintVector& v) { rename(v.constraint); };
    const auto maybe = [&](std::optional<ConstraintVector>& v) {
      if (v) vector(*v);
    };
    maybe(solution.farkas);
    maybe(solution.separator);
    maybe(solution.complementary_multipliers);
    if (solution.spanning_conflict) {
      vector(solution.spanning_conflict->combination);
      rename(solution.spanning_conflict->spanning);
    }
    if (solution.margin_bound) vector(solution.margin_bound->combination);
    if (solution.exact) vector(solution.exact->multipliers);
    if (solution.enclosed) vector(solution.enclosed->multipliers);
    if (solution.gap) {
      vector(solution.gap->primal);
      vector(solution.gap->dual);
    }
    if (solution.support) rename(*solution.support);
    rename(solution.support_undecided);
    if (solution.complementarity_witness) {
      rename(solution.complementarity_witness->at);
      vector(solution.complementarity_witness->direction);
    }
    return solution;
  }

 private:
  void rename(Constraint& c) const { c = {groups_[c.group], tokens_[part_.row(c.group, c.token)]}; }
  void rename(std::vector<Constraint>& list) const {
    for (Constraint& c : list) rename(c);
  }

  TokenData part_;
  Selection selection_;
  std::vector<std::size_t> groups_, tokens_;  // of each group, of each row, in the whole problem
};

// numerator / denominator, with a relative error below 2^-60 unless it under- or overflows.
long double quotient(const Integer& numerator, const Integer& denominator) {
  const auto leading = [](const Integer& value, long& exponent) {
    const auto* raw = value.backend().data();
    exponent = std::max<long>(static_cast<long>(mpz_sizeinbase(raw, 2)) - 64, 0);
    Integer top;
    mpz_tdiv_q_2exp(top.backend().data(), raw, static_cast<mp_bitcnt_t>(exponent));
    const auto size = static_cast<long double>(mpz_getlimbn(top.backend().data(), 0));
    return mpz_sgn(raw) < 0 ? -size : size;
  };
  long above = 0, below = 0;
  const long double top = leading(numerator, above), bottom = leading(denominator, below);
  return std::ldexp(top / bottom, static_cast<int>(std::clamp(above - below, -20000L, 20000L)));
}

double rounded_up(const Rational& value) {
  const Rational above = dyadic_above(value, 50);
  return above.convert_to<double>() * (1 + 0x1p-30);
}

// The matrices within `radius` of a combination.
// w = sum value_c Delta_c in long double, its error into the radius: a term is within 2^-59 relatively (its
// value, two differences and products), a sum of k terms adds k 2^-63 of their lengths, the final rounding
// 2^-53 of w. `data` is that of the vector's rows.
ScanRequest ball_around(const TokenData& data, const Selection& selection, const ConstraintVector& centre,
                        const Rational& radius) {
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  const auto entry = [](const ExactArray& values, std::size_t k) -> long double {
    return values.binary64()[k];
  };
  LongMatrix sum = LongMatrix::Zero(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(e));
  LongVector token(sum.rows()), query(sum.cols());
  long double lengths = 0;
  for (std::size_t k = 0; k < centre.size(); ++k) {
    const Constraint& c = centre.constraint[k];
    const std::size_t plus = data.row(c.group, selection[c.group]) * d,
                      minus = data.row(c.group, c.token) * d;
    long double size = 0;  // of both tokens: their difference may cancel
    for (std::size_t j = 0; j < d; ++j) {
      const long double a = entry(data.token_factor, plus + j), b = entry(data.token_factor, minus + j);
      token[static_cast<Eigen::Index>(j)] = a - b;
      size += a * a + b * b;
    }
    for (std::size_t j = 0; j < e; ++j)
      query[static_cast<Eigen::Index>(j)] = entry(data.query_factor, c.group * e + j);
    const long double value = quotient(centre.numerator[k], centre.denominator);
    sum.noalias() += (value * token) * query.transpose();
    lengths += std::fabs(value) * std::sqrt(2 * size) * query.norm();
  }
  ScanRequest request;
  request.w = sum.cast<double>();
  const auto terms = static_cast<long double>(centre.size());
  const auto rounding = static_cast<double>((terms * 0x1p-62L + 0x1p-58L) * lengths);
  request.radius = rounded_up(radius) + rounding + request.w.norm() * 0x1p-52 + 0x1p-1000;
  return request;
}

class WorkingSetSolver {
 public:
  WorkingSetSolver(const TokenData& data, const Selection& selection, MarginScan& scan,
                   const MarginOptions& options)
      : data_(data),
        selection_(selection),
        scan_(scan),
        budget_(options.time_limit_seconds, options.memory_limit_bytes, options.progress, options.outer),
        rows_in_all_(constraint_count(data)),
        part_options_(options) {
    part_options_.time_limit_seconds = 0;
    part_options_.outer = &budget_;
  }

  std::optional<MarginSolution> run() {
    MarginSolution limit;
    try {
      begin();
      while (rows_.size() <= most_size()) {
        budget_.report("working set", 0);
        const PartialProblem part(data_, selection_, rows_);
        if (const std::optional<Guess> guess = guessed(part)) {
          if (take_in(guess->request, 1 - kViolated, guess->near)) continue;
        }
        MarginSolution solution = solve_margin_problem(part.data(), part.selection(), part_options_);
        const std::optional<ScanRequest> ball = enclosed(part, solution);
        if (!ball && solution.feasibility == Feasibility::feasible) return std::nullopt;
        if (!ball || !take_in(*ball, std::numeric_limits<double>::infinity(), rows_))
          return finished(part.whole(std::move(solution)));
      }
      return std::nullopt;
    } catch (const BudgetReached& reached) {
      if (reached.reason.starts_with("time")) return std::nullopt;
      limit.reason = reached.reason;
    } catch (const std::bad_alloc&) {
      limit.reason = "memory: more is needed than --memory-limit allows";
    }
    return limit;
  }

 private:
  struct Guess {
    ScanRequest request;
    std::vector<Constraint>
        near;  // the rows to go on with where others join and all are too many, increasing
  };

  std::size_t first_size() const { return 4 * unknowns(data_) + 1000; }
  std::size_t most_size() const { return kMostRows + kMostSets * unknowns(data_); }

  // Groups at even distances.
  void begin() {
    const std::size_t step = std::max<std::size_t>(1, rows_in_all_ / first_size());
    for (std::size_t i = 0; i < data_.groups(); i += step) {
      for (std::size_t t = 0; t < data_.tokens(i); ++t) {
        if (t != selection_[i] && data_.present(i, t)) rows_.push_back({i, t});
      }
    }
  }

  // A W with margins of nearly 1, in doubles; nothing if none is seen.
  std::optional<Guess> guessed(const PartialProblem& part) {
    const IntegerConstraints constraints(part.data(), part.selection());
    const ScaledConstraints scaled = scale_constraints(constraints, budget_);
    MarginGuess guess;
    guess_margin_solution(scaled, budget_, guess);
    ScanRequest request;
    std::vector<Constraint> near = rows_;
    if (guess.converged) {
      request.w = approx_combination(scaled, guess.active, guess.multiplier);
      const double norm = std::ldexp(request.w.norm(), static_cast<int>(-scaled.exponent));
      if (norm > longest_) near = nearest(approx_margins(scaled, request.w));
      longest_ = std::max(longest_, norm);
    } else if (guess.best && guess.best->least_margin > 0) {
      std::vector<std::size_t> all(scaled.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      request.w = approx_combination(scaled, all, guess.best->multiplier) / guess.best->least_margin;
    } else {
      return std::nullopt;
    }
    request.w *= std::ldexp(1.0, static_cast<int>(-scaled.exponent));
    return Guess{std::move(request), std::move(near)};
  }

  // The rows of the set with the least margins, the tight ones among them: what others leave is as hard, so W
  // grows with every round and none comes twice.
  std::vector<Constraint> nearest(const Eigen::VectorXd& margins) const {
    const std::size_t most = 2 * first_size();
    if (rows_.size() <= most || margins.size() != static_cast<Eigen::Index>(rows_.size())) return rows_;
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto less = [&](std::size_t a, std::size_t b) {
      const double of_a = margins[static_cast<Eigen::Index>(a)], of_b = margins[static_cast<Eigen::Index>(b)];
      return of_a != of_b ? of_a < of_b : a < b;
    };
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(), less);
    order.resize(most);
    std::sort(order.begin(), order.end());
    std::vector<Constraint> near;
    near.reserve(most);
    for (const std::size_t k : order) near.push_back(rows_[k]);
    return near;
  }

  // Where the solution of the part lies; nothing when there is none.
  static std::optional<ScanRequest> enclosed(const PartialProblem& part, const MarginSolution& solution) {
    const auto around = [&](const ConstraintVector& centre, const Rational& radius) {
      return ball_around(part.data(), part.selection(), centre, radius);
    };
    if (solution.exact) return around(solution.exact->multipliers, 0);
    if (solution.enclosed) return around(solution.enclosed->multipliers, solution.enclosed->radius);
    if (solution.gap)
      return around(solution.gap->primal, dyadic_above_sqrt(solution.gap->distance_squared, 32));
    if (solution.separator) return around(*solution.separator, 0);
    return std::nullopt;
  }

  // Takes in the rows that a pass leaves open, with a margin below the one said; were there any new ones?
  // Where that would be too many, `near` stays of the set, and the first ones join.
  bool take_in(ScanRequest request, double below, const std::vector<Constraint>& near) {
    request.most = rows_.size() + std::max<std::size_t>(256, unknowns(data_));
    std::vector<Constraint> found;
    for (const SeenRow& row : scan_.open_rows(request, budget_)) {
      if (row.margin < below) found.push_back(row.at);
    }
    std::vector<Constraint> all = joined(rows_, found);
    if (all.size() == rows_.size()) return false;
    if (all.size() > most_size() && near.size() < rows_.size()) {
      found.resize(std::min(found.size(), most_size() - near.size()));
      all = joined(near, found);
    }
    rows_ = std::move(all);
    return true;
  }

  // `rows` is increasing.
  static std::vector<Constraint> joined(const std::vector<Constraint>& rows, std::vector<Constraint> others) {
    std::sort(others.begin(), others.end());
    std::vector<Constraint> all;
    std::set_union(rows.begin(), rows.end(), others.begin(), others.end(), std::back_inserter(all));
    return all;
  }

  // Of the whole problem; its scores, which the part does not have, say what is locally optimal: T2 asks it
  // of the support tokens, and where a gap leaves open which those are, all that may be one suffice.
  MarginSolution finished(MarginSolution solution) const {
    solution.statistics.path = "sets+" + solution.statistics.path;
    if (solution.feasibility != Feasibility::feasible) return solution;
    solution.locally_optimal.reset();
    solution.local_witness.reset();
    if (!solution.support && !solution.gap) return solution;  // only that some W separates
    const std::vector<Constraint>& tight = solution.support ? *solution.support : solution.support_undecided;
    PassedGroups passed(data_);
    const auto lower = [&](const Constraint& c) {
      passed.before(c.group);
      return score_gap(data_, selection_, c) > 0;
    };
    const auto witness = std::find_if_not(tight.begin(), tight.end(), lower);
    if (witness == tight.end()) {
      solution.locally_optimal = true;
    } else if (solution.support) {
      solution.locally_optimal = false;
      solution.local_witness = *witness;
    }
    return solution;
  }

  const TokenData& data_;
  const Selection& selection_;
  MarginScan& scan_;
  const Budget budget_;
  const std::size_t rows_in_all_;
  MarginOptions part_options_;
  std::vector<Constraint> rows_;  // the set, increasing
  double longest_ = 0;            // of the guesses that converged
};

}  // namespace

bool suits_working_sets(const TokenData& data) {
  const std::size_t rows = constraint_count(data);
  return rows >= kFewestRows && rows / kRowsToUnknowns >= unknowns(data) && data.token_factor.is_binary64() &&
         data.query_factor.is_binary64();
}

std::optional<MarginSolution> solve_by_working_sets(const TokenData& data, const Selection& selection,
                                                    MarginScan& scan, const MarginOptions& options) {
  return WorkingSetSolver(data, selection, scan, options).run();
}

}  // namespace attest
