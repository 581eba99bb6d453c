// One optimiser step at a given precision: the fixed-point trajectory (validated: residual and Jacobian bound
// included) beside the same arithmetic done with arb_dot and with Boost's mpfr_float. Also whole validated
// runs of S1 and S2.
//
//   bench_runs [bits]       default 256
#include <boost/multiprecision/mpfr.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "numerics/runs/plain_run.hpp"
#include "numerics/runs/validated_run.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using Mpfr = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<0>,
                                           boost::multiprecision::et_off>;

namespace {

// The least processor time of one call over several rounds: the machine may be busy with other things.
template <typename Call>
double least_seconds(int rounds, Call call) {
  double least = 1e9;
  for (int k = 0; k < rounds; ++k) {
    const std::clock_t start = std::clock();
    call();
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

// The products and exponentials of one step with arb_dot: images through the Gram matrix, logits, softmax,
// velocity.
class ArbStep {
 public:
  ArbStep(const RunGeometry& geometry, slong bits)
      : n_(geometry.groups.size()), d_(geometry.dimension), tokens_(geometry.groups[0].tokens), bits_(bits) {
    const TokenData& data = *geometry.data;
    for (std::size_t k = 0; k < n_ * tokens_ * d_; ++k) x_.emplace_back(data.token_factor.exact(k), bits);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) {
        h_.emplace_back(exact_dot(data.query_factor, i, data.query_factor, j, data.right_dimension), bits);
      }
    }
    for (std::size_t k = 0; k < n_ * d_; ++k)
      p_.emplace_back(Rational(static_cast<long>(k % 7) + 1, 3), bits);
    q_ = v_ = p_;
    logit_.resize(n_ * tokens_);
  }
  void operator()() {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < d_; ++j) {
        arb_dot(q_[i * d_ + j].raw(), nullptr, 0, h_[i * n_].raw(), 1, p_[j].raw(), static_cast<slong>(d_),
                static_cast<slong>(n_), bits_);
      }
      for (std::size_t t = 0; t < tokens_; ++t) {
        arb_ptr logit = logit_[i * tokens_ + t].raw();
        arb_dot(logit, nullptr, 0, x_[(i * tokens_ + t) * d_].raw(), 1, q_[i * d_].raw(), 1,
                static_cast<slong>(d_), bits_);
        arb_exp(logit, logit, bits_);
      }
      for (std::size_t j = 0; j < d_; ++j) {
        arb_dot(v_[i * d_ + j].raw(), nullptr, 0, logit_[i * tokens_].raw(), 1,
                x_[i * tokens_ * d_ + j].raw(), static_cast<slong>(d_), static_cast<slong>(tokens_), bits_);
      }
    }
    // The norm of V and V z_i need the Gram matrix once more.
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < d_; ++j) {
        arb_dot(q_[i * d_ + j].raw(), nullptr, 0, h_[i * n_].raw(), 1, v_[j].raw(), static_cast<slong>(d_),
                static_cast<slong>(n_), bits_);
      }
    }
  }

 private:
  std::size_t n_, d_, tokens_;
  slong bits_;
  std::vector<Ball> x_, h_, p_, q_, v_, logit_;
};

void compare(const char* name, std::size_t n, std::size_t tokens, std::size_t d, long bits) {
  const TokenData data = attest_test::gaussian_instance(std::vector<std::size_t>(n, tokens), d, d, 0);
  const RunGeometry geometry(data, 6);
  OptimizerSpec spec;
  spec.rule = update_rule("ngd");
  spec.step = Rational(1, 10);
  const std::size_t limbs = static_cast<std::size_t>((bits + 32 + 63) / 64);
  const auto run = make_iteration({geometry, spec, {}, FixedFormat{limbs, bits}});
  bool ok = true;
  const double ours = least_seconds(60, [&] {
    ok = ok && run->evaluate() == IterationStatus::ok && run->advance() == IterationStatus::ok;
  });
  // The part that corresponds to the peers' work: enclosed gradient at a point, without the Jacobian bound.
  const double arithmetic = least_seconds(60, [&] { ok = ok && run->evaluate() == IterationStatus::ok; });
  ArbStep arb(geometry, bits);
  const double with_arb = least_seconds(20, arb);
  Mpfr::default_precision(static_cast<unsigned>(static_cast<double>(bits) * 0.30103) + 1);
  PlainRun<Mpfr> plain(geometry, spec, {}, GradientForm::cancellation_free);
  const double with_mpfr = least_seconds(20, [&] { ok = ok && plain.advance(); });
  std::printf(
      "%s, one step, %ld bits: validated %.3f ms, of which the enclosed gradient %.3f ms; the products and "
      "exponentials alone with arb_dot %.3f ms (%.1f x that gradient), a step with mpfr_float %.3f ms (%.1f "
      "x)%s\n",
      name, bits, 1e3 * ours, 1e3 * arithmetic, 1e3 * with_arb, with_arb / arithmetic, 1e3 * with_mpfr,
      with_mpfr / arithmetic, ok ? "" : " FAILED");
}

void whole(const char* name, std::size_t n, std::size_t tokens, std::size_t d, std::uint64_t steps) {
  const TokenData data = attest_test::gaussian_instance(std::vector<std::size_t>(n, tokens), d, d, 0);
  const RunGeometry geometry(data, 6);
  OptimizerSpec spec;
  spec.rule = update_rule("ngd");
  spec.step = Rational(1, 10);
  RunOptions options;
  options.steps = steps;
  RunOutcome outcome;
  const double seconds =
      least_seconds(steps > 5000 ? 1 : 3, [&] { outcome = validated_run(geometry, spec, {}, options); });
  std::printf("%s, %llu normalised steps with every observation: %.3f s, %ld correct bits\n", name,
              static_cast<unsigned long long>(steps), seconds, outcome.record.correct_bits);
}

}  // namespace

int main(int argc, char** argv) {
  const long bits = argc > 1 ? std::atol(argv[1]) : 256;
  compare("S1", 6, 8, 10, bits);
  compare("S2", 20, 16, 32, bits);
  whole("S1", 6, 8, 10, 2000);
  whole("S2", 20, 16, 32, 2000);
  whole("S1", 6, 8, 10, 20000);
  return 0;
}
