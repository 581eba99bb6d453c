#include "certify/audits/watched_sets.hpp"

#include <algorithm>
#include <utility>

#include "certify/audits/sets_file.hpp"
#include "certify/certificates/run.hpp"
#include "certify/certificates/stated_bounds.hpp"

namespace attest {
namespace {

constexpr long kStatedBits = 160;
constexpr long kStatedExponent = 60000;  // numbers beyond 2^60000, or as close to 0, are not written out

// Sixteenfold, as those of the run's own claim are, and by 2^-kStatedBits of its size: checkers may have no
// more bits than twice that.
Ball widened(Ball ball) {
  arb_ptr raw = ball.raw();
  mag_mul_2exp_si(arb_radref(raw), arb_radref(raw), 4);
  if (arb_is_finite(raw) && !arf_is_zero(arb_midref(raw)))
    arb_add_error_2exp_si(raw, arf_abs_bound_lt_2exp_si(arb_midref(raw)) - kStatedBits);
  return ball;
}

Integer most_denominator() {
  return numerator(power_of_two(kStatedExponent));
}

// A bound of attention that is written out; of none at all 0.
Rational stated_share(const Ball& share, bool above) {
  const Rational least = power_of_two(-kStatedExponent);
  const Rational end = above ? share.upper() : share.lower();
  if (above) return end == 0 && share.is_exact() ? Rational(0) : std::max(claimed_above(share), least);
  return end < least ? Rational(0) : claimed_below(share);
}

}  // namespace

WatchedSets::WatchedSets(const RunGeometry& geometry, SelectedSets sets, const MarginOptions& options,
                         const Budget& budget)
    : equations_(*geometry.data, sets, budget), prover_(equations_, budget) {
  seen_.sets = std::move(sets);
  seen_.solution = solve_margin_rows(*geometry.data, margin_rows(*geometry.data, seen_.sets), options);
}

Result<std::unique_ptr<WatchedSets>> WatchedSets::read(const RunRequest& request, const std::string& sets,
                                                       const Instance& instance, const RunGeometry& geometry,
                                                       const Budget& budget) {
  const TokenData& data = *geometry.data;
  if (request.arithmetic != "validated") return bad_option("--selected-sets", "needs validated arithmetic");
  if (request.resume) return bad_option("--selected-sets", "needs the whole run: leave --resume out");
  if (data.offsets) return bad_option("--selected-sets", "not with logits that have offsets");
  Result<SetsFile> read = read_sets(sets, instance, data);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  SetsFile& file = std::get<SetsFile>(read);
  MarginOptions options;
  options.precision_bits = std::max(192L, request.bits + 64);
  options.memory_limit_bytes = request.memory_limit;
  options.outer = &budget;
  std::unique_ptr<WatchedSets> watched(new WatchedSets(geometry, std::move(file.sets), options, budget));
  std::optional<std::vector<Ball>> values;
  if (!request.ratios.empty()) {
    auto ratios = read_ratios(request.ratios, data, file.listed, watched->equations_);
    if (auto* error = std::get_if<InputError>(&ratios)) return std::move(*error);
    const auto& given = std::get<std::vector<Rational>>(ratios);
    watched->seen_.finite = solve_finite_part(watched->equations_, given, options.precision_bits);
    watched->seen_.proof =
        prove_finite_part(watched->equations_, given, *watched->seen_.finite, options.precision_bits, budget);
    values = logarithms(given, options.precision_bits);
  }
  const bool contradicted = watched->seen_.finite && watched->seen_.finite->contradiction;
  const MarginSolution none;  // without W_fin there is no combination to compare with
  if (values)
    watched->own_.emplace(geometry, watched->seen_.sets, watched->equations_, watched->seen_.solution,
                          std::nullopt);
  watched->observer_.emplace(geometry, watched->seen_.sets, watched->equations_,
                             contradicted ? none : watched->seen_.solution, std::move(values));
  return watched;
}

void WatchedSets::watch(const EnclosedPoint& enclosed, std::uint64_t step) {
  seen_.points.push_back(observer_->observe(step, enclosed));
  state(enclosed, own_ ? own_->observe(step, enclosed) : seen_.points.back());
}

void WatchedSets::state(const EnclosedPoint& enclosed, const FinitePartPoint& seen) {
  const long bits = std::min<long>(enclosed.precision(), kStatedBits);
  std::vector<Ball> margins = observer_->margins(enclosed);
  for (Ball& margin : margins) margin = widened(margin);
  std::optional<EnclosedFinitePart> part = prover_.enclose(margins, bits);
  if (!part || part->coefficients.denominator > most_denominator()) return;
  StatedFinitePart stated{seen.step, std::move(*part), {}, {}, 0, 0};
  if (seen.factor && seen.one_minus_corr) {
    stated.factor = run_band(widened(*seen.factor), true);
    stated.one_minus_corr = run_band(widened(*seen.one_minus_corr), true);
  }
  stated.selected = stated_share(widened(seen.least_selected), false);
  stated.masked = stated_share(widened(seen.greatest_masked), true);
  seen_.stated.points.push_back(std::move(stated));
}

}  // namespace attest
