// The selection problem: see problem.hpp.
#include "proofs/checker/problem/problem.hpp"

#include <algorithm>
#include <numeric>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/instance/sentences.hpp"

namespace attest_check {
namespace {

ScaledMatrix unit_matrix(std::size_t size) {
  std::vector<std::uint32_t> ones(size);
  std::iota(ones.begin(), ones.end(), 0U);
  return ScaledMatrix::unit_rows(std::move(ones), size);
}

// The left factors: X, K, or the table of a next-token stage.
ScaledMatrix token_rows(const Instance& instance) {
  if (instance.setting == Setting::prompt) return {instance.K, instance.factor_dimension};
  if (instance.setting != Setting::next_token) return {instance.X, instance.dimension};
  const Sentences& sentences = *instance.sentences;
  if (instance.stage == Stage::feed_forward || sentences.embeddings.size() == 0)
    return unit_matrix(sentences.vocabulary);
  return {sentences.embeddings, sentences.dimension};
}

// One row for each of these.
ScaledMatrix column(const std::vector<int>& entries) {
  NumberWriter numbers;
  for (const int entry : entries) numbers.push(entry, 0);
  return {numbers.numbers(), 1};
}

// The right factors: z, the query tokens, or all ones.
ScaledMatrix query_rows(const Instance& instance) {
  std::vector<std::size_t> rows;
  switch (instance.setting) {
    case Setting::prompt:
      return column(std::vector<int>(instance.groups(), 1));
    case Setting::cross_attention:
      return {instance.z, instance.factor_dimension};
    case Setting::self_attention:
      for (std::size_t i = 0; i < instance.groups(); ++i) rows.push_back(instance.query_row(i));
      return {instance.X.rows(std::move(rows), instance.dimension), instance.dimension};
    case Setting::next_token:
      break;
  }
  const Sentences& sentences = *instance.sentences;
  if (sentences.embeddings.size() == 0)
    return ScaledMatrix::unit_rows(instance.query_of, sentences.vocabulary);
  rows.assign(instance.query_of.begin(), instance.query_of.end());
  return {sentences.embeddings.rows(std::move(rows), sentences.dimension), sentences.dimension};
}

// The decoder's problem has the rows of X as its features, and the attention's classes.
EqualTokens equal_tokens(const Instance& instance, const ScaledMatrix& tokens) {
  if (instance.setting == Setting::prompt) return {instance, token_rows(instance)};
  return {instance, tokens};
}

// Runs ask for every score at every step: v'x is kept of so many tokens at most, at about 50 bytes each.
constexpr std::size_t most_kept_scores = std::size_t{1} << 18;

}  // namespace

Features::Features(const Instance& instance, Unknown unknown)
    : instance_(instance),
      tokens_(unknown == Unknown::decoder ? ScaledMatrix(instance.X, instance.dimension)
                                          : token_rows(instance)),
      equal_(equal_tokens(instance, tokens_)),
      queries_(unknown == Unknown::decoder ? column(instance.Y) : query_rows(instance)) {
  const Integer product = tokens_.denominator() * queries_.denominator();
  product_denominator_ = product * product;
  if (unknown == Unknown::decoder) return;
  if (instance.outputs) {
    if (instance.setting == Setting::prompt && instance.offsets.size() > 0)
      too_large("a head of several outputs in the prompt setting is not known with offsets");
    outputs_.emplace(instance, equal_);
    return;
  }
  if (instance.cross_entropy()) {
    score_denominator_ = 1;
    return;
  }
  if (instance.scores) {
    const ScaledMatrix& scores = given_.emplace(*instance.scores, 1);
    score_denominator_ = scores.denominator();
    if (!equal_.any()) return;
    for (std::size_t row = 0; row < instance.first_row.back(); ++row) scores_.push_back(scores.entry(row, 0));
    score_denominator_ *= average_scores(instance, equal_, scores_);
    return;
  }
  const ScaledMatrix& v = decoder_.emplace(instance.v, instance.dimension);
  if (instance.setting != Setting::prompt) {
    score_denominator_ = tokens_.denominator() * v.denominator();
    return;
  }
  const ScaledMatrix X(instance.X, instance.dimension);
  for (std::size_t i = 0; i < groups(); ++i) {
    for (std::size_t t = 0; t < tokens_of(i); ++t) scores_.push_back(instance.Y[i] * X.dot(row(i, t), v, 0));
  }
  score_denominator_ = X.denominator() * v.denominator() * average_scores(instance, equal_, scores_);
}

Integer Features::score(std::size_t group, std::size_t token) const {
  if (outputs_) throw Failure(Exit::internal, "a score of a head of several outputs");
  if (!scores_.empty()) return scores_[position(group, token)];
  if (instance_.cross_entropy()) return token == representative(group, instance_.y[group]) ? 1 : 0;
  if (given_) return given_->entry(position(group, token), 0);
  if (instance_.first_row.back() > most_kept_scores) return decoded_score(group, token);
  std::vector<Integer> all;
  for (std::size_t i = 0; i < groups(); ++i) {
    for (std::size_t t = 0; t < tokens_of(i); ++t) all.push_back(decoded_score(i, t));
  }
  scores_ = std::move(all);
  return scores_[position(group, token)];
}

Integer Features::decoded_score(std::size_t group, std::size_t token) const {
  return instance_.Y[group] * tokens_.dot(row(group, token), *decoder_, 0);
}

Rational Features::exact_score(std::size_t group, std::size_t token) const {
  return fraction(score(group, token), score_denominator_);
}

std::string show(const Constraint& constraint) {
  std::string text = "(";
  return text += std::to_string(constraint.group) + ", " + std::to_string(constraint.token) + ")";
}

std::size_t Problem::constraint_count() const {
  if (decoder) return features->groups();
  std::size_t count = 0;
  for (std::size_t i = 0; i < features->groups(); ++i) count += features->different(i) - 1;
  return count;
}

Sense Problem::sense(const Constraint& c) const {
  if (!sets.empty() && std::binary_search(sets[c.group].begin(), sets[c.group].end(), c.token))
    return Sense::equal_to_zero;
  if (std::binary_search(relaxed.begin(), relaxed.end(), c.group)) return Sense::at_least_zero;
  return Sense::at_least_one;
}

std::vector<Integer> Problem::difference(const Constraint& c) const {
  const MarginRow at = row(c);
  if (decoder) return features->tokens().row(features->row(at.group, at.winner));
  return features->tokens().difference(features->row(at.group, at.winner), features->row(at.group, at.loser));
}

int Problem::gap_sign(const Constraint& c) const {
  const MarginRow at = row(c);
  if (features->outputs() != nullptr) return features->outputs()->gap_sign(at.group, at.winner, at.loser);
  return cmp(features->score(at.group, at.winner), features->score(at.group, at.loser));
}

Integer Problem::distance_squared(const Constraint& c) const {
  const std::vector<Integer> x = difference(c);
  return dot(x.data(), x.data(), x.size()) * features->queries().dot(c.group, features->queries(), c.group);
}

}  // namespace attest_check
