// The smoothness constant against MPFR, where its last bit counts: scores so far apart that no other rounding
// hides that of the losses' derivatives.
#include <doctest/doctest.h>
#include <mpfr.h>

#include "proofs/checker/problem/smoothness.hpp"
#include "tests/unit/proofs/checker/claims.hpp"

using namespace attest_check;
using namespace checker_tests;

TEST_CASE("the smoothness constant is above the exact one in its last bit, and within 2^-120 of it") {
  mpfr_t e, root;
  mpfr_inits2(2000, e, root, static_cast<mpfr_ptr>(nullptr));
  for (const bool logistic : {false, true}) {
    // One group, tokens and scores low and low + 2^100.
    for (long n = 1; n <= 40; ++n) {
      CAPTURE(n);
      const Rational low(n, 8), spread = scale_by_power_of_two(1, 100), high = low + spread;
      const Instance instance =
          read_instance(TemporaryFile(R"({"X": [[[")" + low.get_str() + R"("], [")" + high.get_str() +
                                      R"("]]], "Y": [1], "v": ["1"], "z": [[1]]})")
                            .path());
      const Features features(instance);
      Problem problem;
      problem.features = &features;
      problem.loss = logistic ? Loss::logistic : Loss::exponential;
      problem.selection = {0};
      // q = e^-low; |l'| = q or q/(1 + q), l'' = q or q/(1 + q)^2.
      mpfr_set_q(e, Rational(-low).get_mpq_t(), MPFR_RNDN);
      mpfr_exp(e, e, MPFR_RNDN);
      Rational q, least;
      mpfr_get_q(q.get_mpq_t(), e);
      const Rational first = logistic ? Rational(q / (1 + q)) : q,
                     second = logistic ? Rational(first / (1 + q)) : q;
      mpfr_set_ui(root, 108, MPFR_RNDN);
      mpfr_rec_sqrt(root, root, MPFR_RNDN);
      mpfr_get_q(least.get_mpq_t(), root);
      const Rational exact = spread * spread * spread * (first * least + second * spread / 16);
      const Rational bound = smoothness_bound(problem), hair = scale_by_power_of_two(1, -120);
      CHECK(bound >= exact);
      CHECK(bound <= exact * (1 + hair));
    }
  }
  mpfr_clears(e, root, static_cast<mpfr_ptr>(nullptr));
}

TEST_CASE("where the loss is linear, the constant is above the exact one by its root's last bit alone") {
  // Distance and spread 1: the square of 1/(6 sqrt 3) is 1/108.
  const Instance instance = read_instance(TemporaryFile(one_constraint).path());
  const Features features(instance);
  Problem problem;
  problem.features = &features;
  problem.loss = Loss::correlation;
  problem.selection = {0};
  const Rational bound = smoothness_bound(problem);
  CHECK(bound * bound * 108 > 1);
  CHECK(bound * bound * 108 < 1 + scale_by_power_of_two(1, -120));
}
