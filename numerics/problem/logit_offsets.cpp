#include "numerics/problem/logit_offsets.hpp"

#include <algorithm>

#include "numerics/problem/selection_problem.hpp"

namespace attest {

LogitOffsets::LogitOffsets(const ExactArray& values, const std::vector<std::uint64_t>& counts,
                           const std::vector<std::uint32_t>& stands)
    : terms_(stands.size()) {
  for (std::size_t row = 0; row < stands.size(); ++row) {
    std::vector<Term>& terms = terms_[stands[row]];
    const Rational offset = values.exact(row);
    const Integer count(counts.empty() ? 1 : counts[row]);
    const auto same =
        std::find_if(terms.begin(), terms.end(), [&](const Term& term) { return term.offset == offset; });
    if (same != terms.end()) {
      same->count += count;
    } else {
      terms.push_back({offset, count});
      if (offset > terms.front().offset) std::swap(terms.front(), terms.back());
    }
  }
}

Ball LogitOffsets::log_multiplicity(std::size_t row, long bits) const {
  const std::vector<Term>& terms = terms_[row];
  Ball largest(terms.front().offset, bits);
  if (terms.size() == 1 && terms.front().count == 1) return largest;
  Ball sum(Rational(terms.front().count), bits);
  for (std::size_t k = 1; k < terms.size(); ++k) {
    const Ball below(Rational(terms[k].offset - terms.front().offset), bits);
    sum = add(sum, mul(exp(below, bits), Ball(Rational(terms[k].count), bits), bits), bits);
  }
  return add(largest, log(sum, bits), bits);
}

Ball multiplicity_ratio(const TokenData& data, std::size_t group, std::size_t token, std::size_t other,
                        long bits) {
  if (!data.offsets)
    return Ball(Rational(data.multiplicity(group, token), data.multiplicity(group, other)), bits);
  const Ball own = data.offsets->log_multiplicity(data.row(group, token), bits);
  return exp(sub(own, data.offsets->log_multiplicity(data.row(group, other), bits), bits), bits);
}

}  // namespace attest
