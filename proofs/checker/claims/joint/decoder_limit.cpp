// The decoder's limit: see claims/joint/decoder_limit.hpp.
#include "proofs/checker/claims/joint/decoder_limit.hpp"

#include <algorithm>

#include "proofs/checker/runs/reference_direction.hpp"

namespace attest_check {
namespace {

// Y_i times the sum of count x_it over the class of a token: integers over the rows' denominator and the
// class's multiplicity.
std::vector<Integer> class_sum(const Features& features, std::size_t group, std::size_t token) {
  const Instance& instance = features.instance();
  std::vector<Integer> sum(features.left_dimension());
  for (std::size_t t = 0; t < features.tokens_of(group); ++t) {
    if (features.representative(group, t) != token) continue;
    const std::size_t row = instance.first_row[group] + t;
    features.tokens().add_multiple(instance.Y[group] * Integer(instance.count(row)), features.row(group, t),
                                   sum.data());
  }
  return sum;
}

// The limit speaks of the selected token's row, and attention of its class.
void require_one_row(const Claim& claim, const Problem& decoder, std::size_t group) {
  const Features& features = *decoder.features;
  const std::size_t selected = decoder.selection[group];
  std::vector<Integer> one = features.tokens().row(features.row(group, selected));
  const Integer weight = features.instance().Y[group] * Integer(features.multiplicity(group, selected));
  for (Integer& x : one) x *= weight;
  claim.require(
      one == class_sum(features, group, selected),
      "tokens equal to the selected one of group " + std::to_string(group) + " have other rows of X");
}

}  // namespace

DecoderLimit decoder_limit(const Claim& claim, const SupportFact& support, unsigned bits) {
  DecoderLimit limit;
  const ReferenceDirection known = reference_direction(claim, *support.solution, bits, true);
  const Problem& problem = known.centre->problem();
  claim.require(problem.decoder, "the cited support is not about a decoder's problem");
  claim.require(problem.features->instance().offsets.size() == 0, "not known of logits with offsets");
  for (std::size_t i = 0; i < problem.selection.size(); ++i) require_one_row(claim, problem, i);
  limit.problem = &problem;
  limit.margin = known.margin;
  limit.norm = known.norm;
  const Integer denominator = known.centre->column_denominator();
  for (const Integer& entry : known.centre->column(0)) {
    const Interval near = Interval::ratio(entry, denominator, bits);
    limit.direction.push_back(Interval::hull(near - known.radius, near + known.radius) / known.norm);
  }
  for (const Constraint& c : support.support) {
    limit.supporting.push_back(c.group);
    const auto place = std::lower_bound(known.active.begin(), known.active.end(), c);
    const bool listed = place != known.active.end() && *place == c;
    limit.multipliers.push_back(listed ? known.weight[static_cast<std::size_t>(place - known.active.begin())]
                                       : Interval(0));
  }
  return limit;
}

std::vector<Interval> labelled_value(const Features& features, std::size_t group, std::size_t token,
                                     unsigned bits) {
  const Integer denominator = features.tokens().denominator() * Integer(features.multiplicity(group, token));
  std::vector<Interval> value;
  for (const Integer& sum : class_sum(features, group, token))
    value.push_back(Interval::ratio(sum, denominator, bits));
  return value;
}

}  // namespace attest_check
