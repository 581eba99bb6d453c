// The checker's own pseudo-orbit: the constants of a run. See replay.hpp.
#include "proofs/checker/runs/replay.hpp"

#include <algorithm>
#include <bit>

namespace attest_check {
Replay::Replay(const ReferenceDirection& direction, const Specification& specification,
               const StartPoint& start, unsigned fraction_bits)
    : direction_(direction),
      problem_(direction.centre->problem()),
      features_(*problem_.features),
      specification_(specification),
      rule_(update_rule(specification.rule)),
      fraction_bits_(fraction_bits),
      bits_(fraction_bits + 32),
      run_groups_(features_),
      query_images_(run_groups_),
      growth_(features_, run_groups_.active),
      token_denominator_(features_.tokens().denominator()),
      gram_denominator_(features_.queries().denominator() * features_.queries().denominator()),
      start_norm_squared_(squared_norm(start), bits_) {
  const Integer& queries = features_.queries().denominator();
  const StartImage started = start_image(features_, start);
  Rational spread;
  std::size_t next = 0;
  for (const std::size_t i : run_groups_.active) add_group(i, started, next, spread);
  gram_row_ = divide_ceil(query_images_.largest_row(), queries * queries);
  mpz_sqrt(root_left_.get_mpz_t(), Integer(features_.left_dimension()).get_mpz_t());
  root_left_ += 1;
  score_exponent_ =
      static_cast<long>(bit_length(spread.get_num())) - static_cast<long>(bit_length(spread.get_den())) + 1;
  sensitivity_ = Interval(16) + Interval(4) * Interval::between(most_tokens_, most_tokens_, 0, 64) +
                 Interval::between(8, 8, score_exponent_, 64);
  for (Group& group : groups_) {
    if (features_.outputs() != nullptr) {
      store_outputs(group);
      continue;
    }
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const Rational gap = (features_.exact_score(group.index, 0) - features_.exact_score(group.index, t)) *
                           scale_by_power_of_two(1, static_cast<long>(fraction_bits_) - score_exponent_);
      group.score.push_back(divide_floor(gap.get_num(), gap.get_den()));
    }
  }
}

Integer Replay::log_multiplicity(std::size_t group, std::size_t token) const {
  if (!features_.present(group, token)) return 0;
  const Interval value = logarithm(multiplicity(features_, group, token, 0, bits_));
  Integer low = value.floor_at(fraction_bits_);
  if (value.ceil_at(fraction_bits_) > low + 2) throw Imprecise{};
  return low;
}

Integer Replay::plain_margin(const Group& group, std::size_t token) const {
  if (group.log_multiplicity.empty()) return group.margin[token];
  return group.margin[token] - group.log_multiplicity[group.reference] + group.log_multiplicity[token];
}

// `next` is the first of the direction's constraints in group i or a later one.
void Replay::add_group(std::size_t i, const StartImage& started, std::size_t& next, Rational& spread) {
  const std::size_t left = features_.left_dimension();
  const Integer &tokens = features_.tokens().denominator(), &queries = features_.queries().denominator();
  const ConstraintVector& listed = direction_.centre->vector();
  Group& group = groups_.emplace_back();
  group.index = i;
  group.tokens = features_.tokens_of(i);
  group.best = best_token(problem_, i);
  Integer tokens_with_multiplicity;
  const bool offsets = features_.instance().offsets.size() > 0;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    if (offsets) group.log_multiplicity.push_back(log_multiplicity(i, t));
    const std::uint64_t count = features_.multiplicity(i, t);
    group.multiplicity.push_back(offsets ? std::min<std::uint64_t>(count, 1) : count);
    tokens_with_multiplicity += Integer(group.multiplicity.back());
    if (group.multiplicity.back() > 0)
      multiplicity_bits_ =
          std::max(multiplicity_bits_, static_cast<unsigned>(std::bit_width(group.multiplicity.back() - 1)));
  }
  most_tokens_ = std::max(most_tokens_, tokens_with_multiplicity);
  std::vector<std::vector<Integer>> rows;
  Integer apart;  // the largest squared distance of two tokens
  for (std::size_t t = 0; t < group.tokens; ++t) {
    rows.push_back(features_.tokens().row(features_.row(i, t)));
    for (std::size_t s = 0; s < t; ++s) {
      Integer sum, squares;
      for (std::size_t k = 0; k < left; ++k) {
        mpz_sub(scratch_.get_mpz_t(), rows[s][k].get_mpz_t(), rows[t][k].get_mpz_t());
        add_magnitude(sum, scratch_);
        add_product(squares, scratch_, scratch_);
      }
      apart = std::max(apart, squares);
      group.reach_one = std::max(group.reach_one, divide_ceil(sum, tokens));
    }
  }
  if (features_.outputs() != nullptr) {
    add_outputs(group, spread);
  } else {
    Integer lowest = features_.score(i, 0);
    for (std::size_t t = 1; t < group.tokens; ++t) lowest = std::min(lowest, features_.score(i, t));
    const Integer apart_by = features_.score(i, group.best) - lowest;
    spread = std::max(spread, fraction(apart_by, features_.score_denominator()));
    group.moves = apart_by != 0;
  }
  group.rows = WordTable(group.tokens, left, [&](std::size_t t, std::size_t k) { return rows[t][k]; });
  group.columns = WordTable(left, group.tokens, [&](std::size_t k, std::size_t t) { return rows[t][k]; });
  const Integer square = features_.queries().dot(i, features_.queries(), i);
  queries_ += square_root(Interval::ratio(square, queries * queries, 64));
  const Interval reach =
      square_root(Interval::ratio(apart * square, features_.product_denominator(), 64)).upper_end();
  widest_ = maximum(widest_, reach);
  reaches_ += Interval(static_cast<long>(group.tokens - 1)) * reach;

  group.direction.resize(left);
  for (; next < listed.size() && listed.at[next].group == i; ++next) {
    const std::vector<Integer> difference = problem_.difference(listed.at[next]);
    for (std::size_t k = 0; k < left; ++k)
      add_product(group.direction[k], listed.numerator[next], difference[k]);
  }
  for (Integer& x : group.direction) x = divide_floor(x << fraction_bits_, listed.denominator * tokens);
  for (const Integer& x : started.rows[i])
    group.start.push_back(divide_floor(x << fraction_bits_, started.denominator));
  group.position.resize(left);
  group.image = group.start;
  group.velocity.resize(left);
  group.velocity_image.resize(left);
  group.margin.resize(group.tokens);
  group.odds.resize(group.tokens);
  group.weight.resize(group.tokens);
}

}  // namespace attest_check
