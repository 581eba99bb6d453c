// The selection problem: see problem.hpp.
#include "proofs/checker/problem/problem.hpp"

namespace attest_check {
namespace {

// The right factors: z, the query tokens, or all ones.
NumberArray query_rows(const Instance& instance) {
  if (instance.setting == Setting::cross_attention) return instance.z;
  NumberArray queries;
  for (std::size_t i = 0; i < instance.groups(); ++i) {
    if (instance.setting == Setting::prompt) {
      queries.push(1, 0);
      continue;
    }
    for (std::size_t k = 0; k < instance.dimension; ++k)
      queries.push_from(instance.X, instance.query_row(i) * instance.dimension + k);
  }
  return queries;
}

std::size_t query_width(const Instance& instance) {
  if (instance.setting == Setting::prompt) return 1;
  return instance.setting == Setting::cross_attention ? instance.factor_dimension : instance.dimension;
}

}  // namespace

Features::Features(const Instance& instance)
    : instance_(instance),
      tokens_(instance.setting == Setting::prompt ? instance.K : instance.X,
              instance.setting == Setting::prompt ? instance.factor_dimension : instance.dimension),
      equal_(merge_equal_tokens(instance, tokens_)),
      queries_(query_rows(instance), query_width(instance)) {
  const Integer product = tokens_.denominator() * queries_.denominator();
  product_denominator_ = product * product;
  if (instance.scores) {
    const ScaledMatrix scores(*instance.scores, 1);
    score_denominator_ = scores.denominator();
    for (std::size_t row = 0; row < instance.first_row.back(); ++row) scores_.push_back(scores.entry(row, 0));
    return;
  }
  const ScaledMatrix v(instance.v, instance.dimension);
  const auto score_all = [&](const ScaledMatrix& X) {
    score_denominator_ = X.denominator() * v.denominator();
    for (std::size_t i = 0; i < groups(); ++i) {
      for (std::size_t t = 0; t < tokens_of(i); ++t) {
        const Integer value = X.dot(row(i, t), v, 0);
        scores_.push_back(instance.Y[i] > 0 ? value : Integer(-value));
      }
    }
  };
  scores_.reserve(instance.first_row.back());
  instance.setting == Setting::prompt ? score_all(ScaledMatrix(instance.X, instance.dimension))
                                      : score_all(tokens_);
  score_denominator_ *= average_scores(instance, equal_, scores_);
}

Rational Features::exact_score(std::size_t group, std::size_t token) const {
  return fraction(score(group, token), score_denominator_);
}

std::string show(const Constraint& constraint) {
  std::string text = "(";
  text += std::to_string(constraint.group);
  text += ", ";
  text += std::to_string(constraint.token);
  return text += ")";
}

std::size_t Problem::constraint_count() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < features->groups(); ++i) count += features->different(i) - 1;
  return count;
}

std::vector<Integer> Problem::difference(const Constraint& c) const {
  const MarginRow at = row(c);
  return features->tokens().difference(features->row(at.group, at.winner), features->row(at.group, at.loser));
}

int Problem::gap_sign(const Constraint& c) const {
  const MarginRow at = row(c);
  return cmp(features->score(at.group, at.winner), features->score(at.group, at.loser));
}

Integer Problem::distance_squared(const Constraint& c) const {
  Integer sum;
  for (const Integer& x : difference(c)) mpz_addmul(sum.get_mpz_t(), x.get_mpz_t(), x.get_mpz_t());
  return sum * features->queries().dot(c.group, features->queries(), c.group);
}

}  // namespace attest_check
