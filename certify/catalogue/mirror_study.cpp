#include "certify/catalogue/mirror_study.hpp"

#include <algorithm>

namespace attest {
namespace {

constexpr long point_bits = 192;
constexpr long most_doublings = 24;
constexpr std::size_t most_constraints = 400;

}  // namespace

MirrorStudy::MirrorStudy(CatalogueContext& context)
    : context_(context), potential_(context.options().potential) {
  spec_.exponent = context.options().potential;
  spec_.steps = OptimizerSpec{update_rule("gd"), Schedule::constant, context.options().mirror_step,
                              context.options().loss};
}

const std::optional<MirrorLimit>& MirrorStudy::limit() {
  if (solved_) return limit_;
  solved_ = true;
  if (const std::size_t count = constraint_count(context_.data()); count > most_constraints) {
    limit_reason_ =
        "budget: " + std::to_string(count) + " constraints take long in this norm: attest certify --norm";
    return limit_;
  }
  limit_ = mirror_limit(context_.data(), context_.selection(), potential_, context_.budget(), limit_reason_);
  return limit_;
}

const MirrorOutcome* MirrorStudy::run() {
  if (context_.options().mirror_steps == 0 || constraint_count(context_.data()) > most_constraints)
    return nullptr;
  if (run_) return &*run_;
  MirrorOptions options;
  options.steps = context_.options().mirror_steps;
  options.budget = &context_.budget();
  for (const char* word : {"l7/4", "fro", "l3"}) options.against.push_back(*parse_norm(word));
  const bool listed = std::any_of(options.against.begin(), options.against.end(),
                                  [&](const Norm& norm) { return norm.exponent == spec_.exponent; });
  if (!listed) options.against.push_back(*parse_norm("l" + spec_.exponent.str()));
  for (const char* word : {"l1", "linf", "nuc"}) options.against.push_back(*parse_norm(word));
  run_ = mirror_run(context_.data(), spec_, context_.instance().W0.value_or(ExactArray()), options);
  return &*run_;
}

const std::optional<MirrorPointProof>& MirrorStudy::proof() {
  if (tried_ || !limit()) return proof_;
  MirrorRegionProver attempt(spec_.exponent);
  const WrittenMatrix& w = limit_->optimum.left;
  for (long k = 0; k <= most_doublings && !proof_; ++k) {
    context_.budget().poll();
    std::vector<Ball> start;
    for (const Integer& x : w.numerator)
      start.push_back(scale_by_power_of_two(Ball(Rational(x, w.denominator), point_bits), k));
    const auto region =
        attempt(context_.data(), spec_, potential_, *limit_, start, context_.budget(), proof_reason_);
    if (region) proof_ = MirrorPointProof{k, *region};
  }
  tried_ = true;
  return proof_;
}

}  // namespace attest
