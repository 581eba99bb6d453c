// One claim while it is checked: see text/context.hpp.
#include "proofs/checker/text/context.hpp"

namespace attest_check {

const Fact& Claim::cite(const Citation& cited) const {
  const Fact& fact = *facts_[cited.claim - 1];
  require(&fact.claim->problem == &problem,
          "claim " + std::to_string(cited.claim) + " is about another problem");
  return fact;
}

void Claim::begin_step(std::size_t step, std::size_t steps) const {
  require_memory_kept();
  if (progress_ != nullptr) progress_->step(name(), step, steps);
}

void Claim::fail(const std::string& why) const {
  rejected(name() + ", line " + std::to_string(line) + ": " + why);
}

void Claim::fail(const std::string& what, const Rational& left, const char* relation,
                 const Rational& right) const {
  fail(what + ": " + show(left) + " " + relation + " " + show(right) + " is false");
}

void Claim::wrong_kind(const Fact& fact, const char* allowed) const {
  fail("cites claim " + std::to_string(fact.claim->number) + ", a claim of kind " + fact.claim->kind +
       "; expected " + allowed);
}

bool is_slack_nearby(const SpanElement& w, const Constraint& c, const Integer& margin,
                     const Rational& distance_squared) {
  const Integer excess = margin - w.asked(c);
  if (excess <= 0) return false;
  const Integer left =
      excess * excess * w.problem().features->product_denominator() * distance_squared.get_den();
  return left > w.scale() * w.scale() * w.problem().distance_squared(c) * distance_squared.get_num();
}

}  // namespace attest_check
