#include "certify/certificates/run.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// The line of one checkpoint, unless one of its quantities is too large to be written out.
std::optional<std::string> checkpoint_line(const RunPoint& point, bool least_loss) {
  const bool directed = point.one_minus_corr.is_finite() && !point.norm.contains_zero();
  const struct {
    const char* name;
    std::optional<std::string> band;
  } quantities[] = {{"norm", run_band(point.norm, true)},
                    {"along", run_band(point.along, false)},
                    {"one-minus-corr", directed ? run_band(point.one_minus_corr, true) : "none"},
                    {"loss-gap", run_band(point.loss_gap, least_loss)},
                    {"gradient", run_band(point.gradient_norm, true)},
                    {"unselected", run_band(point.max_unselected, true)}};
  std::string line = "at " + std::to_string(point.step);
  for (const auto& quantity : quantities) {
    if (!quantity.band) return std::nullopt;
    line += std::string(" ") + quantity.name + ' ' + *quantity.band;
  }
  return line;
}

// The fraction bits that the run had, from step to step. What is lost from there to the last step is a bound
// that a checker makes for itself: an eighth of the bits kept for it are added where bits were dropped.
std::string widths(const RunOutcome& outcome) {
  std::string text = " fraction-bits " + std::to_string(outcome.format.fraction_bits);
  long last = outcome.format.fraction_bits;
  for (const RunWidth& width : outcome.narrower) {
    const long bits = width.fraction_bits + (width.fraction_bits - outcome.narrower.back().fraction_bits) / 8;
    if (width.step > outcome.record.step || bits >= last) continue;
    text += " then " + std::to_string(width.step) + ' ' + std::to_string(bits);
    last = bits;
  }
  return text;
}

}  // namespace

// Ends are short. A lower end of a non-negative quantity is not below 0. A number known exactly gets a band
// too, because checkers refuse ends that the value meets; so one that is too small to be written out gets one
// on both sides of 0.
std::optional<std::string> run_band(const Ball& ball, bool nonnegative) {
  Ball wide(ball);
  arb_ptr raw = wide.raw();
  if (arb_is_finite(raw) && arb_is_exact(raw)) {
    const slong size = arf_is_zero(arb_midref(raw)) ? 0 : arf_abs_bound_lt_2exp_si(arb_midref(raw));
    arb_add_error_2exp_si(raw, size - 64);
  }
  mag_mul_2exp_si(arb_radref(raw), arb_radref(raw), 4);
  const std::optional<Interval> finite = interval_of(wide);
  if (!finite) return std::nullopt;
  const Interval& ends = *finite;
  // As many bits as the band is accurate, and eight more.
  const Rational width = ends.hi - ends.lo;
  const Rational size = std::max(abs(ends.lo), abs(ends.hi));
  long bits = 64;
  if (width > 0 && size > 0) bits = std::max(16L, approx_log2(size) - approx_log2(width) + 8);
  const unsigned mantissa = static_cast<unsigned>(std::min(bits, 8192L));
  const Rational least = power_of_two(-60000);
  Rational lo = ends.lo == 0 ? Rational(-least) : dyadic_below(ends.lo, mantissa);
  const Rational hi = ends.hi == 0 ? least : dyadic_above(ends.hi, mantissa);
  if (nonnegative && lo < 0) lo = 0;
  return certificate_number(lo) + ' ' + certificate_number(hi);
}

std::string start_line(const ExactArray& start) {
  if (start.empty()) return "start zero";
  std::string text = "start " + std::to_string(start.size());
  for (std::size_t k = 0; k < start.size(); ++k) text += ' ' + certificate_number(start.exact(k));
  return text;
}

std::string specification_line(const OptimizerSpec& spec) {
  return std::string("optimizer ") + spec.rule->word() + " schedule " + name(spec.schedule) + " step " +
         certificate_number(spec.step);
}

std::size_t write_run_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                            const OptimizerSpec& spec, const ExactArray& start, const RunOutcome& outcome) {
  const RunRecord& record = outcome.record;
  std::vector<std::string> checkpoints;
  for (const RunPoint& point : record.checkpoints) {
    // Of several outputs the loss of the selected tokens may be above the run's.
    auto line = checkpoint_line(point, !several_outputs(spec.loss));
    if (!line) return 0;
    checkpoints.push_back(std::move(*line));
  }
  const std::size_t number =
      text.claim("run", problem, "from " + std::to_string(optimum) + " steps " + std::to_string(record.step));
  text.line(specification_line(spec) + widths(outcome));
  text.line(start_line(start));
  text.line("checkpoints " + std::to_string(checkpoints.size()));
  for (const std::string& line : checkpoints) text.line(line);
  text.line("loss-decreases-until " + std::to_string(record.first_loss_increase.value_or(record.step)));
  std::size_t count = 0;
  for (const RateShape& shape : record.shapes) count += shape.whole.to != 0 && std::isfinite(shape.whole.hi);
  text.line("rates " + std::to_string(count));
  for (const RateShape& shape : record.shapes) {
    if (shape.whole.to == 0 || !std::isfinite(shape.whole.hi)) continue;
    // Above the least constant by one part in 2^24, and by what is not known of it: a checker need not
    // reproduce its last bits, nor the same band where the direction is known by a gap.
    const Rational hi(shape.whole.hi), unknown = hi - Rational(std::max(0.0, shape.whole.lo));
    const Rational constant = dyadic_above(hi * (1 + power_of_two(-24)) + 16 * unknown, 40);
    text.line("rate " + shape.name + " from " + std::to_string(shape.whole.from) + " constant " +
              certificate_number(constant));
  }
  return number;
}

void write_path_claim(CertificateText& text, std::size_t problem, std::size_t run, const PathRecord& path) {
  const LeastConstant& least = path.whole;
  if (least.to == 0 || !std::isfinite(least.lo) || !std::isfinite(least.hi)) return;
  const Rational lo(least.lo), hi(least.hi), slack = 16 * (hi - lo) + abs(hi) * power_of_two(-24),
                                             constant = hi + slack;
  text.claim("path-inequality", problem,
             "run " + std::to_string(run) + " from " + std::to_string(least.from) + " until " +
                 std::to_string(least.to) + " constant " +
                 certificate_number(constant == 0 ? constant : dyadic_above(constant, 40)));
}

std::size_t write_stationary_claim(CertificateText& text, std::size_t problem, const ExactArray& start) {
  const std::size_t number = text.claim("stationary", problem);
  text.line(start_line(start));
  return number;
}

}  // namespace attest
