// The registry of claim kinds, and what all of them share.
#include "proofs/checker/context.hpp"

namespace attest_check {

std::unique_ptr<Fact> check_feasible(Claim&);                     // claims_solution.cpp
std::unique_ptr<Fact> check_infeasible(Claim&);                   //
std::unique_ptr<Fact> check_optimal(Claim&);                      //
std::unique_ptr<Fact> check_optimal_enclosure(Claim&);            // claims_enclosure.cpp
std::unique_ptr<Fact> check_support(Claim&);                      // claims_support.cpp
std::unique_ptr<Fact> check_strictly_complementary(Claim&);       //
std::unique_ptr<Fact> check_not_strictly_complementary(Claim&);   //
std::unique_ptr<Fact> check_locally_optimal(Claim&);              // claims_selection.cpp
std::unique_ptr<Fact> check_not_locally_optimal(Claim&);          //
std::unique_ptr<Fact> check_globally_optimal(Claim&);             //
std::unique_ptr<Fact> check_not_globally_optimal(Claim&);         //
std::unique_ptr<Fact> check_score_tie(Claim&);                    //
std::unique_ptr<Fact> check_rank(Claim&);                         // claims_rank.cpp
std::unique_ptr<Fact> check_smoothness(Claim&);                   // claims_smoothness.cpp

namespace {

struct ClaimKind {
  std::string_view name;
  ClaimChecker check;
};

constexpr ClaimKind kinds[] = {
    {"feasible", check_feasible},
    {"infeasible", check_infeasible},
    {"optimal", check_optimal},
    {"optimal-enclosure", check_optimal_enclosure},
    {"support", check_support},
    {"strictly-complementary", check_strictly_complementary},
    {"not-strictly-complementary", check_not_strictly_complementary},
    {"locally-optimal", check_locally_optimal},
    {"not-locally-optimal", check_not_locally_optimal},
    {"globally-optimal", check_globally_optimal},
    {"not-globally-optimal", check_not_globally_optimal},
    {"score-tie", check_score_tie},
    {"rank", check_rank},
    {"smoothness", check_smoothness},
};

}  // namespace

ClaimChecker find_claim_kind(std::string_view kind) {
  for (const ClaimKind& candidate : kinds) {
    if (candidate.name == kind) return candidate.check;
  }
  return nullptr;
}

const Fact& Claim::cite() {
  line.expect("from");
  const std::size_t cited = line.index();
  if (cited == 0 || cited >= number_) line.bad("claim " + std::to_string(cited) + " is not an earlier claim");
  const Fact& fact = *context_.facts[cited - 1];
  require(fact.problem == &problem, "claim " + std::to_string(cited) + " is about another problem");
  return fact;
}

void Claim::fail(const std::string& why) const {
  rejected("claim " + std::to_string(number_) + " (" + kind_ + "), line " + std::to_string(line.number()) + ": " + why);
}

void Claim::fail(const std::string& what, const Rational& left, const char* relation, const Rational& right) const {
  fail(what + ": " + show(left) + " " + relation + " " + show(right) + " is false");
}

void Claim::wrong_kind(const Fact& fact, const char* allowed) const {
  fail("cites claim " + std::to_string(fact.claim) + ", a claim of kind " + fact.kind + "; expected " + allowed);
}

bool margin_exceeds_one_nearby(const SpanElement& w, const Constraint& c, const Integer& margin,
                               const Rational& distance_squared) {
  const Integer excess = margin - w.scale();
  if (excess <= 0) return false;
  const Integer left = excess * excess * w.problem().features->product_denominator() * distance_squared.get_den();
  return left > w.scale() * w.scale() * w.problem().distance_squared(c) * distance_squared.get_num();
}

}  // namespace attest_check
