// The iteration of a run and its losses: see runs/specification.hpp.
#include "proofs/checker/runs/specification.hpp"

#include <algorithm>

namespace attest_check {

Interval Specification::step_size(std::size_t t, unsigned bits) const {
  const Interval size(step, bits);
  const Interval count(static_cast<long>(t + 1));
  switch (schedule) {
    case Schedule::inverse:
      return size / count;
    case Schedule::inverse_root:
      return size / square_root(count * Interval::between(1, 1, 0, bits));
    case Schedule::constant:
      break;
  }
  return size;
}

namespace {

constexpr const char* rules[] = {"gd", "ngd", "polyak"};
constexpr const char* schedules[] = {"constant", "inverse", "invsqrt"};

// The place of the next word in a list.
template <std::size_t count>
std::size_t choose(Line& line, const char* const (&words)[count]) {
  for (std::size_t k = 0; k + 1 < count; ++k) {
    if (line.accept(words[k])) return k;
  }
  line.expect(words[count - 1]);
  return count - 1;
}

}  // namespace

std::string words(const Specification& specification) {
  return std::string("optimizer ") + rules[static_cast<std::size_t>(specification.rule)] + " schedule " +
         schedules[static_cast<std::size_t>(specification.schedule)] + " step " +
         canonical(specification.step);
}

std::string words(const StartPoint& start) {
  const bool zero = std::all_of(start.begin(), start.end(), [](const Rational& entry) { return entry == 0; });
  return "start " + (zero ? "zero" : hash_words(start));
}

Specification read_specification(Line& line) {
  Specification specification;
  line.expect("optimizer");
  specification.rule = static_cast<Rule>(choose(line, rules));
  line.expect("schedule");
  specification.schedule = static_cast<Schedule>(choose(line, schedules));
  line.expect("step");
  specification.step = line.rational();
  if (specification.step <= 0) line.bad("a step must be positive");
  return specification;
}

StartPoint read_start(CertificateText& text, const Features& features) {
  StartPoint start;
  Line line = text.next();
  line.expect("start");
  if (!line.accept("zero")) {
    const std::size_t count = line.index();
    if (count != features.left_dimension() * features.right_dimension())
      line.bad("the start must have one number for each entry of W");
    for (std::size_t k = 0; k < count; ++k) start.push_back(line.rational());
  }
  line.finish();
  return start;
}

Interval loss_slope(Loss loss, const Interval& f) {
  if (loss == Loss::correlation) return Interval(1);
  if (loss == Loss::exponential) return exponential(-f);
  return Interval(1) / (Interval(1) + exponential(f));
}

Interval loss_curvature_ratio(Loss loss, const Interval& f) {
  if (loss == Loss::correlation) return Interval(0);
  if (loss == Loss::exponential) return Interval(1);
  return Interval(1) / (Interval(1) + exponential(-f));  // e^f/(1 + e^f)
}

Interval loss_excess(Loss loss, const Interval& score, const Interval& deficit) {
  if (loss == Loss::correlation) return deficit;
  const Interval growth = exponential_minus_one(deficit);
  if (loss == Loss::exponential) return exponential(-score) * growth;
  // log((1 + e^(-s + x))/(1 + e^-s)) = log(1 + (e^x - 1)/(1 + e^s))
  return logarithm_of_one_plus(growth / (Interval(1) + exponential(score)));
}

Rational token_distance_squared(const Features& features, std::size_t group, std::size_t a, std::size_t b) {
  Integer sum;
  for (const Integer& x : features.tokens().difference(features.row(group, a), features.row(group, b)))
    sum += x * x;
  return fraction(sum * features.queries().dot(group, features.queries(), group),
                  features.product_denominator());
}

}  // namespace attest_check
