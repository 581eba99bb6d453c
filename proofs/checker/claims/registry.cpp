// The registry of claim kinds, and what all of them share.
#include "proofs/checker/text/context.hpp"

namespace attest_check {

Check read_feasible(const Claim&, Line&, CertificateText&);                    // claims/solution.cpp
Check read_infeasible(const Claim&, Line&, CertificateText&);                  //
Check read_optimal(const Claim&, Line&, CertificateText&);                     //
Check read_optimal_enclosure(const Claim&, Line&, CertificateText&);           // claims/enclosure.cpp
Check read_support(const Claim&, Line&, CertificateText&);                     // claims/support.cpp
Check read_strictly_complementary(const Claim&, Line&, CertificateText&);      //
Check read_not_strictly_complementary(const Claim&, Line&, CertificateText&);  //
Check read_locally_optimal(const Claim&, Line&, CertificateText&);             // claims/selection.cpp
Check read_not_locally_optimal(const Claim&, Line&, CertificateText&);         //
Check read_globally_optimal(const Claim&, Line&, CertificateText&);            //
Check read_not_globally_optimal(const Claim&, Line&, CertificateText&);        //
Check read_score_tie(const Claim&, Line&, CertificateText&);                   //
Check read_rank(const Claim&, Line&, CertificateText&);                        // claims/rank.cpp
Check read_smoothness(const Claim&, Line&, CertificateText&);                  // claims/smoothness.cpp
Check read_stationary(const Claim&, Line&, CertificateText&);                  // claims/stationary.cpp
Check read_run(const Claim&, Line&, CertificateText&);                         // claims/run.cpp
Check read_path_inequality(const Claim&, Line&, CertificateText&);             // claims/path.cpp
Check read_forever_from_point(const Claim&, Line&, CertificateText&);          // claims/forever.cpp
Check read_forever_from_run(const Claim&, Line&, CertificateText&);            //
Check read_regularisation_path(const Claim&, Line&, CertificateText&);  // claims/regularisation_path.cpp

namespace {

struct ClaimKind {
  std::string_view name;
  ClaimReader read;
};

constexpr ClaimKind kinds[] = {
    {"feasible", read_feasible},
    {"infeasible", read_infeasible},
    {"optimal", read_optimal},
    {"optimal-enclosure", read_optimal_enclosure},
    {"support", read_support},
    {"strictly-complementary", read_strictly_complementary},
    {"not-strictly-complementary", read_not_strictly_complementary},
    {"locally-optimal", read_locally_optimal},
    {"not-locally-optimal", read_not_locally_optimal},
    {"globally-optimal", read_globally_optimal},
    {"not-globally-optimal", read_not_globally_optimal},
    {"score-tie", read_score_tie},
    {"rank", read_rank},
    {"smoothness", read_smoothness},
    {"stationary", read_stationary},
    {"run", read_run},
    {"path-inequality", read_path_inequality},
    {"forever-from-point", read_forever_from_point},
    {"forever-from-run", read_forever_from_run},
    {"regularisation-path", read_regularisation_path},
};

}  // namespace

ClaimReader find_claim_kind(std::string_view kind) {
  for (const ClaimKind& candidate : kinds) {
    if (candidate.name == kind) return candidate.read;
  }
  return nullptr;
}

std::size_t Claim::read_citation(Line& line, const char* word) const {
  line.expect(word);
  const std::size_t cited = line.index();
  if (cited == 0 || cited >= number) line.bad("claim " + std::to_string(cited) + " is not an earlier claim");
  return cited;
}

const Fact& Claim::cite(std::size_t cited) const {
  const Fact& fact = *context_.facts[cited - 1];
  require(fact.problem == &problem, "claim " + std::to_string(cited) + " is about another problem");
  return fact;
}

void Claim::fail(const std::string& why) const {
  rejected("claim " + std::to_string(number) + " (" + kind + "), line " + std::to_string(line_) + ": " + why);
}

void Claim::fail(const std::string& what, const Rational& left, const char* relation,
                 const Rational& right) const {
  fail(what + ": " + show(left) + " " + relation + " " + show(right) + " is false");
}

void Claim::wrong_kind(const Fact& fact, const char* allowed) const {
  fail("cites claim " + std::to_string(fact.claim) + ", a claim of kind " + fact.kind + "; expected " +
       allowed);
}

bool margin_exceeds_one_nearby(const SpanElement& w, const Constraint& c, const Integer& margin,
                               const Rational& distance_squared) {
  const Integer excess = margin - w.scale();
  if (excess <= 0) return false;
  const Integer left =
      excess * excess * w.problem().features->product_denominator() * distance_squared.get_den();
  return left > w.scale() * w.scale() * w.problem().distance_squared(c) * distance_squared.get_num();
}

}  // namespace attest_check
