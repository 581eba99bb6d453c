// Separability of the rest: see claims/margin/separable_without.hpp.
#include "proofs/checker/claims/margin/separable_without.hpp"

#include <algorithm>

namespace attest_check {

void SeparableWithout::read(Reader& in) {
  std::size_t count = 0;
  in("groups", count);
  while (left_out.size() < count) {
    std::size_t group = 0;
    in(group);
    if (group >= in.features().groups()) in.bad("no such group");
    if (!left_out.empty() && group <= left_out.back()) in.bad("groups must strictly increase");
    left_out.push_back(group);
  }
  separator = in.vector("separator");
}

std::unique_ptr<Fact> SeparableWithout::check(const Claim& claim) const {
  claim.require(left_out.size() < claim.problem.features->groups(), "every group is left out");
  const SpanElement w(claim.problem, separator);
  for_each_margin(w, [&](const Constraint& c, const Integer& margin) {
    if (margin >= w.scale() || std::binary_search(left_out.begin(), left_out.end(), c.group)) return;
    claim.fail("margin at " + show(c), fraction(margin, w.scale()), ">=", 1);
  });
  return std::make_unique<Fact>();
}

void SeparableWithout::describe(const Claim&, Statement& say) const {
  say("groups", left_out.size());
  for (const std::size_t group : left_out) say(group);
}

}  // namespace attest_check
