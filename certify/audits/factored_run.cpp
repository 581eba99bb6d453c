#include "certify/audits/factored_run.hpp"

#include <cmath>

#include "certify/certificates/factored.hpp"
#include "certify/certificates/margin.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/factored/entrywise_bits.hpp"

namespace attest {
namespace {

constexpr std::size_t most_rank = 4096;

Result<FactoredSpec> factored_spec(const RunRequest& request, const TokenData& data) {
  FactoredSpec spec;
  if (request.optimizer != "gd" && request.optimizer != "ngd")
    return bad_option("--optimizer", "training of (K,Q) knows gd and ngd");
  spec.normalised = request.optimizer == "ngd";
  Result<OptimizerSpec> steps = optimizer_spec(request, data);
  if (auto* error = std::get_if<InputError>(&steps)) return std::move(*error);
  spec.steps = std::get<OptimizerSpec>(std::move(steps));
  if (several_outputs(spec.steps.loss))
    return bad_option("--optimizer", "training of (K,Q) does not follow heads of several outputs");
  if (data.offsets) return bad_option("--optimizer", "training of (K,Q) does not follow logits with offsets");
  spec.rank = data.left_dimension;
  if (request.rank.empty()) return spec;
  const Result<Rational> rank = exact_option("--rank", request.rank);
  const Rational* value = std::get_if<Rational>(&rank);
  if (value == nullptr || denominator(*value) != 1 || *value < 1 || *value > most_rank)
    return bad_option("--rank", "an integer from 1 to " + std::to_string(most_rank));
  spec.rank = static_cast<std::size_t>(numerator(*value).convert_to<unsigned long>());
  return spec;
}

struct Start {
  FactoredStart factors;
  std::string words;
};

Result<Start> given_start(const RunRequest& request, const TokenData& data, FactoredSpec& spec) {
  if (!request.left_start.given() || !request.right_start.given())
    return bad_option(request.left_start.given() ? "--Q0" : "--K0", "K_0 and Q_0 are given together");
  if (!request.init.empty() || !request.init_scale.empty())
    return bad_option("--init", "the start is given by --K0 and --Q0");
  std::optional<std::size_t> columns;
  if (!request.rank.empty()) columns = spec.rank;
  Result<WeightMatrix> left =
      read_weights(request.left_start, "K0", data.left_dimension, columns, request.memory_limit);
  if (auto* error = std::get_if<InputError>(&left)) return std::move(*error);
  const std::size_t rank = std::get<WeightMatrix>(left).columns;
  if (rank < 1 || rank > most_rank) return bad_option("--K0", "1 to 4096 columns");
  Result<WeightMatrix> right =
      read_weights(request.right_start, "Q0", data.right_dimension, rank, request.memory_limit);
  if (auto* error = std::get_if<InputError>(&right)) return std::move(*error);
  spec.rank = rank;
  return Start{
      {std::move(std::get<WeightMatrix>(left).entries), std::move(std::get<WeightMatrix>(right).entries)},
      "given K_0 and Q_0"};
}

// scale I, the first columns of it.
ExactArray identity_like(std::size_t rows, std::size_t columns, const Rational& scale) {
  std::vector<Rational> entries(rows * columns);
  for (std::size_t j = 0; j < std::min(rows, columns); ++j) entries[j * columns + j] = scale;
  return ExactArray::from_rationals(std::move(entries));
}

Result<Start> start_of(const RunRequest& request, const TokenData& data, FactoredSpec& spec) {
  if (request.left_start.given() || request.right_start.given()) return given_start(request, data, spec);
  const std::size_t d = data.left_dimension, e = data.right_dimension, m = spec.rank;
  std::optional<Rational> scale;
  if (!request.init_scale.empty()) {
    Result<Rational> read = exact_option("--init-scale", request.init_scale);
    if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
    scale = std::get<Rational>(std::move(read));
    if (*scale <= 0) return bad_option("--init-scale", "must be positive");
  }
  if (request.init.empty() || request.init == "identity") {
    const Rational factor = scale.value_or(Rational(1));
    return Start{{identity_like(d, m, factor), identity_like(e, m, factor)},
                 "K_0 = Q_0 = " + show(factor) + " times the identity's first columns"};
  }
  if (!request.init.starts_with("random:"))
    return bad_option("--init", "with --parameterization kq one of identity, random:SEED; or --K0 and --Q0");
  Result<std::vector<double>> read = random_entries(request.init, (d + e) * m);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  const std::vector<double>& units = std::get<std::vector<double>>(read);
  const auto scaled = [&](std::size_t first, std::size_t rows) {
    const Rational factor = scale.value_or(Rational(1 / std::sqrt(static_cast<double>(rows))));
    std::vector<Rational> entries;
    for (std::size_t k = 0; k < rows * m; ++k) entries.push_back(factor * Rational(units[first + k]));
    return ExactArray::from_rationals(std::move(entries));
  };
  return Start{
      {scaled(0, d), scaled(d * m, e)},
      request.init + " times " + (scale ? show(*scale) : std::string("the inverse root of the rows"))};
}

class FactoredCase : public FollowedRunCase {
 public:
  // Both must outlive it.
  FactoredCase(const RunRequest& request, FactoredRunAnswer& answer) : request_(request), answer_(answer) {}

  std::string words() const override { return "training of (K,Q)"; }
  BitsRange precisions() const override { return {100, 60000}; }
  std::optional<InputError> not_offered() const override {
    if (request_.until_forever)
      return bad_option("--until-forever", "no theorem proves the limit of training (K,Q)");
    if (!request_.potential.empty()) return bad_option("--potential", "is that of mirror descent: md, nmd");
    return of_mirror_descent_only(request_);
  }
  std::vector<std::string> inputs() const override {
    std::vector<std::string> paths;
    for (const WeightSource* source : {&request_.left_start, &request_.right_start}) {
      if (!source->path.empty()) paths.push_back(weight_file(source->path));
    }
    return paths;
  }

  std::optional<InputError> prepare(const Instance& instance, const TokenData& data) override {
    instance_ = &instance;
    data_ = &data;
    Result<FactoredSpec> spec = factored_spec(request_, data);
    if (auto* error = std::get_if<InputError>(&spec)) return std::move(*error);
    answer_.spec = std::get<FactoredSpec>(std::move(spec));
    Result<Start> start = start_of(request_, data, answer_.spec);
    if (auto* error = std::get_if<InputError>(&start)) return std::move(*error);
    answer_.start = std::get<Start>(start).words;
    start_ = std::move(std::get<Start>(start).factors);
    return std::nullopt;
  }

  void follow(const TokenData& data, const BallRunOptions& options) override {
    answer_.outcome = factored_run(data, answer_.spec, start_, options);
  }

  // Of a run that ends on the selection it is seen from.
  Certificate certificate(const AuditWatch& watch) const override {
    if (!certified()) return {};
    try {
      return certificate_of(watch.budget());
    } catch (const BudgetReached&) {
      return {};
    }
  }

  std::string without_certificate() const override {
    if (certified()) return "no time was left for it, or a replay takes too many bits";
    return "the run did not settle on tokens whose margin problem is solved";
  }

  // The trace has the Frobenius correlation.
  FollowedPictures pictures() const override {
    const FactoredLimits& limits = answer_.outcome.limits;
    FollowedPictures pictures;
    ChartBand nuclear{"certified band, with the nuclear norm's matrix", Hue::vermillion, {}};
    NamedColumns& columns = pictures.columns;
    columns = {{"one_minus_corr_nuclear_lo", {}}, {"one_minus_corr_nuclear_hi", {}}};
    for (const FactoredTraceRow& traced : answer_.outcome.record.trace) {
      pictures.trace.push_back(traced.row);
      columns[0].second.push_back(traced.nuclear_lo);
      columns[1].second.push_back(traced.nuclear_hi);
      nuclear.points.push_back({static_cast<double>(traced.row.step), traced.nuclear_lo, traced.nuclear_hi});
    }
    const OptimizerSpec& steps = answer_.spec.steps;
    pictures.plot.title =
        "(K,Q), " + answer_.optimizer + ", step " + show(steps.step) + ", " + name(steps.loss) + " loss";
    pictures.plot.measured = "1 - correlation of KQ' with the max-margin directions";
    if (limits.euclidean) {
      pictures.plot.bands.push_back(
          certified_band(pictures.trace, "certified band, with the Frobenius norm's solution"));
    }
    if (limits.nuclear) pictures.plot.bands.push_back(std::move(nuclear));
    return pictures;
  }

 private:
  bool certified() const {
    return answer_.outcome.settled() && !answer_.outcome.record.checkpoints.empty() &&
           !answer_.outcome.left.empty();
  }

  Certificate certificate_of(const Budget& budget) const {
    constexpr double most_bits = 65536;  // of the grammar
    const FactoredOutcome& outcome = answer_.outcome;
    MarginOptions options;
    options.outer = &budget;
    const MarginSolution solution = solve_margin_problem(*data_, outcome.limits.selection, options);
    const double bits = entrywise_bits(*data_, answer_.spec, start_, outcome.record.step, budget, most_bits);
    if (!(bits <= most_bits)) return {};
    CertifiedFacts facts;
    facts.instance = instance_;
    facts.data = data_;
    facts.selection = &outcome.limits.selection;
    facts.solution = &solution;
    facts.loss = name(answer_.spec.steps.loss);
    facts.more = [&](CertificateText& text, std::size_t problem, std::size_t optimum) {
      write_factored_claims(text, problem, optimum,
                            {&answer_.spec, &start_, &outcome, static_cast<long>(bits)});
    };
    return write_certificate(facts);
  }

  const RunRequest& request_;
  FactoredRunAnswer& answer_;
  const Instance* instance_ = nullptr;
  const TokenData* data_ = nullptr;
  FactoredStart start_;
};

}  // namespace

bool trains_factors(const RunRequest& request) {
  return request.parameterization == "kq";
}

Result<FactoredRunAnswer> factored_run(const RunRequest& request, AuditWatch& watch,
                                       const PageOf<FactoredRunAnswer>& page) {
  FactoredRunAnswer answer;
  FactoredCase run(request, answer);
  if (auto error = follow_run(run, answer, request, watch, [&] { return page(answer); }))
    return std::move(*error);
  return answer;
}

}  // namespace attest
