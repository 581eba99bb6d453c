// Two layers of ReLU units, l(Y sum_u r_u max(0, z_u)): see runs/head.hpp. While no sign of a unit with an
// effect changes it is the scalar head with the scores -sum_u c_tu over the active units (DYNAMICS.md section
// 11), whose ranges hold where that is certain.
#include <algorithm>

#include "proofs/checker/runs/output_point.hpp"
#include "proofs/checker/runs/scalar_head.hpp"

namespace attest_check {
namespace {

class ReluHead : public ScalarHead {
 public:
  ReluHead(const Problem& problem, unsigned bits)
      : ScalarHead(problem, bits), outputs_(*problem.features->outputs()) {}

  // z_u where at least `kept` of the attention is on the selected token: c_tu is within (1 - kept) times its
  // differences to the selected token's, of either sign, of that one.
  std::optional<std::size_t> open_unit(std::size_t group, const Rational& kept) const override {
    const Features& features = *problem_.features;
    for (std::size_t u = 0; u < outputs_.count(); ++u) {
      if (!outputs_.effective(u)) continue;
      const Rational top = outputs_.value(group, problem_.selection[group], u);
      Rational lowest, highest;
      for (std::size_t t = 0; t < features.tokens_of(group); ++t) {
        if (!features.present(group, t)) continue;
        const Rational apart = outputs_.value(group, t, u) - top;
        lowest = std::min(lowest, apart);
        highest = std::max(highest, apart);
      }
      const Rational low = top + (1 - kept) * lowest, high = top + (1 - kept) * highest;
      if (low <= 0 && high >= 0) return u;
    }
    return std::nullopt;
  }
  Rational best(std::size_t group) const override {
    return output_at(outputs_, group, problem_.selection[group]);
  }
  Rational gap(const Constraint& c) const override {
    Rational sum;
    for (std::size_t u = 0; u < outputs_.count(); ++u) {
      const Rational top = outputs_.value(c.group, problem_.selection[c.group], u);
      if (outputs_.active(c.group, u, sgn(top))) sum += outputs_.value(c.group, c.token, u) - top;
    }
    return sum;
  }
  // L - L* may be negative.
  bool locks_in() const override { return false; }

 private:
  const Outputs& outputs_;
};

}  // namespace

std::unique_ptr<const Head> relu_head(const Problem& problem, unsigned bits) {
  return std::make_unique<ReluHead>(problem, bits);
}

}  // namespace attest_check
