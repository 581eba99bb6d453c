// What is known of all numbers of an array: see survey.hpp.
#include "proofs/checker/base/survey.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "proofs/checker/base/job.hpp"

namespace attest_check {

void Survey::add_small(std::int64_t mantissa, std::int32_t exponent) {
  if (mantissa == 0) return;
  const auto magnitude = static_cast<std::uint64_t>(std::abs(mantissa));
  least_exponent = std::min(least_exponent, exponent);
  bits = std::max(bits, long{exponent} + static_cast<long>(std::bit_width(magnitude)));
}

void Survey::add(const Survey& others) {
  first_not_finite = std::min(first_not_finite, others.first_not_finite);
  all_small = all_small && others.all_small;
  least_exponent = std::min(least_exponent, others.least_exponent);
  bits = std::max(bits, others.bits);
}

Survey survey_of_all(const Survey& own) {
  Survey all;
  for (const Survey& part : gathered<Survey>({own})) all.add(part);
  return all;
}

}  // namespace attest_check
