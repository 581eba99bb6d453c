#include "certify/catalogue/decoder.hpp"

namespace attest {
namespace {

void rename(std::vector<Constraint>& constraints, const Selection& selection) {
  for (Constraint& c : constraints) c.token = selection[c.group];
}

template <class Evidence>
void rename(std::optional<Evidence>& evidence, const Selection& selection);

void rename(Constraint& c, const Selection& selection) {
  c.token = selection[c.group];
}
void rename(ConstraintVector& vector, const Selection& selection) {
  rename(vector.constraint, selection);
}
void rename(SpanningConflict& conflict, const Selection& selection) {
  rename(conflict.combination, selection);
  rename(conflict.spanning, selection);
}
void rename(MarginBound& bound, const Selection& selection) {
  rename(bound.combination, selection);
}
void rename(ExactOptimum& optimum, const Selection& selection) {
  rename(optimum.multipliers, selection);
}
void rename(EnclosedOptimum& optimum, const Selection& selection) {
  rename(optimum.multipliers, selection);
}
void rename(GapOptimum& optimum, const Selection& selection) {
  rename(optimum.primal, selection);
  rename(optimum.dual, selection);
}
void rename(ComplementarityWitness& witness, const Selection& selection) {
  rename(witness.at, selection);
  rename(witness.direction, selection);
}

template <class Evidence>
void rename(std::optional<Evidence>& evidence, const Selection& selection) {
  if (evidence) rename(*evidence, selection);
}

}  // namespace

TokenData decoder_data(const Instance& instance, const Selection& selection) {
  const std::size_t n = instance.sequences(), d = instance.dimension;
  TokenData data;
  data.left_dimension = d;
  for (std::size_t i = 0; i <= n; ++i) data.first_row.push_back(2 * i);
  const auto selected = [&](std::size_t i) { return (instance.first_row[i] + selection[i]) * d; };
  if (instance.X.is_binary64()) {
    std::vector<double> rows(2 * n * d, 0);
    PassedNumbers passed(instance.X.binary64());
    for (std::size_t i = 0; i < n; ++i) {
      passed.before(selected(i));
      for (std::size_t j = 0; j < d; ++j) rows[2 * i * d + j] = instance.X.approx(selected(i) + j);
    }
    data.token_factor = ExactArray::from_binary64(std::move(rows));
  } else {
    std::vector<Rational> rows(2 * n * d, Rational(0));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) rows[2 * i * d + j] = instance.X.exact(selected(i) + j);
    }
    data.token_factor = ExactArray::from_rationals(std::move(rows));
  }
  data.query_factor = ExactArray::from_binary64(std::vector<double>(instance.Y.begin(), instance.Y.end()));
  data.scores.assign(2 * n, 0);
  for (std::size_t i = 0; i < n; ++i) data.scores.set(2 * i, 1);
  return data;
}

MarginSolution solve_decoder(const TokenData& decoder, const Selection& selection,
                             const MarginOptions& options) {
  MarginSolution solution = solve_margin_problem(decoder, Selection(decoder.groups(), 0), options);
  rename(solution.farkas, selection);
  rename(solution.spanning_conflict, selection);
  rename(solution.margin_bound, selection);
  rename(solution.separator, selection);
  rename(solution.exact, selection);
  rename(solution.enclosed, selection);
  rename(solution.gap, selection);
  rename(solution.support, selection);
  rename(solution.support_undecided, selection);
  rename(solution.complementary_multipliers, selection);
  rename(solution.complementarity_witness, selection);
  return solution;
}

std::optional<std::size_t> sequence_without_row(const Instance& instance, const TokenData& data,
                                                const Selection& selection) {
  const std::size_t d = instance.dimension;
  const auto same_rows = [&](std::size_t a, std::size_t b) {
    for (std::size_t j = 0; j < d; ++j)
      if (instance.X.exact(a * d + j) != instance.X.exact(b * d + j)) return false;
    return true;
  };
  for (const TokenClass& merged : equal_tokens(data)) {
    if (merged.tokens.front() != selection[merged.group]) continue;
    for (const std::size_t token : merged.tokens) {
      if (!same_rows(data.row(merged.group, token), data.row(merged.group, merged.tokens.front())))
        return merged.group;
    }
  }
  return std::nullopt;
}

}  // namespace attest
