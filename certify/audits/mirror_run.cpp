#include "certify/audits/mirror_run.hpp"

#include <cmath>

#include "certify/certificates/margin.hpp"
#include "certify/certificates/mirror.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/mirror/entrywise_bits.hpp"

namespace attest {
namespace {

Result<MirrorSpec> mirror_spec(const RunRequest& request, const TokenData& data) {
  MirrorSpec spec;
  spec.normalised = request.optimizer == "nmd";
  Result<Rational> exponent = potential_of(request);
  if (auto* error = std::get_if<InputError>(&exponent)) return std::move(*error);
  spec.exponent = std::get<Rational>(std::move(exponent));
  // The rest is that of gd: a step, a schedule, a loss.
  RunRequest plain = request;
  plain.optimizer = "gd";
  Result<OptimizerSpec> steps = optimizer_spec(plain, data);
  if (auto* error = std::get_if<InputError>(&steps)) return std::move(*error);
  spec.steps = std::get<OptimizerSpec>(std::move(steps));
  if (several_outputs(spec.steps.loss))
    return bad_option("--optimizer", "mirror descent does not follow heads of several outputs");
  if (data.offsets) return bad_option("--optimizer", "mirror descent does not follow logits with offsets");
  return spec;
}

// The norms to compare with.
Result<std::vector<Norm>> norms_against(const std::string& words) {
  std::vector<Norm> norms;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    const std::optional<Norm> norm = parse_norm(words.substr(begin, end - begin));
    if (!norm)
      return bad_option("--against",
                        "fro, nuc, l1, linf or lP with P > 1, more than one with commas between them");
    norms.push_back(*norm);
    begin = end + 1;
  }
  return norms;
}

// What is proved beyond the run: the point of it.
ChartLine later_line(const MirrorProof& proof, const Rational& step, std::uint64_t steps) {
  ChartLine line{"proved for all later steps", Hue::vermillion, Dash::dashed, 2, {}};
  const MirrorRegion& region = proof.region;
  const double eta = mpq_get_d(step.backend().data()), t0 = static_cast<double>(proof.t0);
  for (double t = t0; t < 10.0 * static_cast<double>(steps + 1); t = t * 1.2 + 1) {
    const double zeta = region.zeta + region.growth * eta * (t - t0);
    line.points.emplace_back(t, region.direction / std::pow(zeta, region.power));
  }
  return line;
}

class MirrorCase : public FollowedRunCase {
 public:
  // Both must outlive it.
  MirrorCase(const RunRequest& request, MirrorRunAnswer& answer) : request_(request), answer_(answer) {}

  std::string words() const override { return "mirror descent"; }
  BitsRange precisions() const override { return {53, 4000}; }
  std::optional<InputError> not_offered() const override { return of_factors_only(request_); }
  std::vector<std::string> inputs() const override {
    if (!request_.init.starts_with("@")) return {};
    return {request_.init.substr(1)};
  }

  std::optional<InputError> prepare(const Instance& instance, const TokenData& data) override {
    instance_ = &instance;
    data_ = &data;
    Result<MirrorSpec> spec = mirror_spec(request_, data);
    if (auto* error = std::get_if<InputError>(&spec)) return std::move(*error);
    answer_.spec = std::get<MirrorSpec>(std::move(spec));
    Result<ExactArray> start = initial_point(request_, instance, data);
    if (auto* error = std::get_if<InputError>(&start)) return std::move(*error);
    start_ = std::get<ExactArray>(std::move(start));
    Result<std::vector<Norm>> against = norms_against(request_.against);
    if (auto* error = std::get_if<InputError>(&against)) return std::move(*error);
    against_ = std::get<std::vector<Norm>>(std::move(against));
    return std::nullopt;
  }

  void follow(const TokenData& data, const BallRunOptions& given) override {
    MirrorOptions options;
    static_cast<BallRunOptions&>(options) = given;
    options.until_forever = request_.until_forever;
    options.against = against_;
    options.plan = !request_.certificate.empty();
    answer_.outcome = mirror_run(data, answer_.spec, start_, options);
  }

  // Of a run that ends on the selection whose solution it is seen from.
  Certificate certificate(const AuditWatch& watch) const override {
    const MirrorOutcome& outcome = answer_.outcome;
    if (!outcome.settled() || outcome.record.checkpoints.empty()) return {};
    try {
      return certificate_of(outcome, watch.budget());
    } catch (const BudgetReached&) {
      return {};
    }
  }

  std::string without_certificate() const override {
    if (answer_.outcome.settled()) return "no time was left for it";
    return "the run did not settle on tokens whose margin problem is solved in this norm";
  }

  FollowedPictures pictures() const override {
    const MirrorOutcome& outcome = answer_.outcome;
    const OptimizerSpec& steps = answer_.spec.steps;
    FollowedPictures pictures{outcome.record.trace, {}, {}};
    pictures.plot.title = answer_.optimizer + ", P = " + show(answer_.spec.exponent) + ", step " +
                          show(steps.step) + ", " + name(steps.loss) + " loss";
    pictures.plot.measured = "1 - Bregman correlation with the direction of least P-norm";
    if (outcome.limit) pictures.plot.bands.push_back(certified_band(pictures.trace));
    if (outcome.proof && steps.schedule == Schedule::constant && outcome.proof->region.growth > 0)
      pictures.plot.lines.push_back(later_line(*outcome.proof, steps.step, request_.steps));
    return pictures;
  }

 private:
  Certificate certificate_of(const MirrorOutcome& outcome, const Budget& budget) const {
    constexpr double most_bits = 65536;  // of the grammar
    const MirrorSpec& spec = answer_.spec;
    MarginOptions options;
    options.outer = &budget;
    const MarginSolution solution = solve_margin_problem(*data_, outcome.limit->selection, options);
    const double bits = entrywise_bits(*data_, spec, start_, outcome.record.step, budget, most_bits);
    if (!(bits <= most_bits)) return {};
    CertifiedFacts facts;
    facts.instance = instance_;
    facts.data = data_;
    facts.selection = &outcome.limit->selection;
    facts.solution = &solution;
    facts.loss = name(spec.steps.loss);
    facts.more = [&](CertificateText& text, std::size_t problem, std::size_t) {
      write_mirror_claims(text, problem, {&spec, &start_, &outcome, static_cast<long>(bits)});
    };
    return write_certificate(facts);
  }

  const RunRequest& request_;
  MirrorRunAnswer& answer_;
  const Instance* instance_ = nullptr;
  const TokenData* data_ = nullptr;
  ExactArray start_;
  std::vector<Norm> against_;
};

}  // namespace

Result<Rational> potential_of(const RunRequest& request) {
  if (request.potential.empty())
    return bad_option("--potential", "needed for md and nmd: P > 1, as 7/4 or 3");
  Result<Rational> exponent = exact_option("--potential", request.potential);
  const auto* value = std::get_if<Rational>(&exponent);
  if (value != nullptr && (*value <= 1 || numerator(*value) > 64 || denominator(*value) > 64))
    return bad_option("--potential", "above 1, numerator and denominator at most 64");
  return exponent;
}

bool is_mirror_descent(const std::string& optimizer) {
  return optimizer == "md" || optimizer == "nmd";
}

Result<MirrorRunAnswer> mirror_run(const RunRequest& request, AuditWatch& watch,
                                   const PageOf<MirrorRunAnswer>& page) {
  MirrorRunAnswer answer;
  MirrorCase run(request, answer);
  if (auto error = follow_run(run, answer, request, watch, [&] { return page(answer); }))
    return std::move(*error);
  return answer;
}

}  // namespace attest
