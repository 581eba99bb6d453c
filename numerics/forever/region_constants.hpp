// The free constants of the theorems that hold in a region (T10, T11, T15): exact binary numbers chosen by
// search. A proof consists in checking them. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <algorithm>
#include <vector>

namespace attest {

struct RegionConstants {
  std::vector<double> attention;  // eps_i, per group of the facts
  std::vector<double> output;     // phi_i (T10 only)
  double path = 0;                // M (T10, T11)
  double step = 0;                // h
  double outside = 0;             // rho_bar (T11, T15)
  double pull = 0;                // C1 (T11)
  double decay = 0;               // theta (T11)
  double reach = 0;               // dX (T15)
  std::vector<bool> inside;       // P, per constraint: a superset of S with positive gaps; the others are N
};

// A search for constants raises each by this share more than the inequalities ask for: what certifying them
// in balls may lose, and more.
constexpr double inflation = 1e-6;
constexpr double inflated(double value) {
  return value * (1 + inflation) + 0x1p-1000;
}

// A round of such a search.
class ConstantsRaised {
 public:
  // To what an inequality asks for, inflated.
  void operator()(double& constant, double value) {
    const double raised = std::max(constant, inflated(value));
    if (raised > constant) largest_change_ = std::max(largest_change_, (raised - constant) / raised);
    constant = raised;
  }
  // Every change was less than the inflation: every constant exceeded its image before.
  bool settled() const { return largest_change_ < inflation / 4; }

 private:
  double largest_change_ = 0;  // relative
};

}  // namespace attest
