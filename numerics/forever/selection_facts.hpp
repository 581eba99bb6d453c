// What the theorems about all later steps need to know of a selection and its max-margin direction
// (DYNAMICS.md section 1): constants of the data, the same at every step. Symbols:
// proofs/statements/GLOSSARY.md.
//
// Written over a number type: BallNumber encloses the true values, double approximates them (a guess).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "numerics/forever/ball_number.hpp"
#include "numerics/runs/reference_direction.hpp"

namespace attest {

template <typename Number>
struct ConstraintFacts {
  std::size_t group = 0;        // index into SelectionFacts::groups
  std::size_t row = 0;          // of the RunGeometry
  bool active = false;          // multiplier > 0: member of S (exact)
  Number gap{0.0};              // gap_c; of several outputs Gamma_c, of a classifier times its slope
  Number margin_rate{0.0};      // gamma_c
  Number excess{0.0};           // beta_c; exactly 0 on S
  Number norm{0.0};             // ||Delta_c||
  Number spread{0.0};           // delta_c
  Number share{0.0};            // mu_c; 0 off S
  std::optional<Number> ratio;  // kappa_c, where it is not 1
  std::vector<Number> shift;    // of a classifier: d_tu, see SelectionGroup

  // x times kappa_c: a factor of b_c, and of e^-m_c wherever it stands for odds.
  Number counted(const Number& x) const { return ratio ? *ratio * x : x; }
};

template <typename Number>
struct SelectionGroup {
  std::size_t first = 0, last = 0;  // its constraints [first, last)
  std::size_t original = 0;         // index in the TokenData
  Number score{0.0};                // g_{i,alpha_i}; of ReLU units their output there, of a classifier 0
  Number gap_above{0.0}, gap_below{0.0};  // G+ = max(0, max gap), G- = max(0, -min gap)
  // Of several outputs: c_{alpha,u}, and bounds over all t of d_tu = c_tu - c_{alpha,u}, 0 among them. Of
  // ReLU units those with an effect.
  std::vector<Number> origin, lowest, highest;
  Number swing{0.0};  // of a classifier: A = max_t sum_u p_u |d_tu|, p at the selected token
};

template <typename Number>
struct SelectionFacts {
  Loss loss = Loss::logistic;                        // of ReLU units that of their output
  bool globally_optimal = false;                     // every gap > 0 (exact)
  bool least_loss = false;                           // and the loss of the selected tokens is its infimum
  std::vector<bool> better;                          // per constraint: gap <= 0 (exact)
  std::vector<ConstraintFacts<Number>> constraints;  // by (group, token)
  std::vector<SelectionGroup<Number>> groups;        // with at least two different tokens
  Number weight{0.0};                                // wt_i, the same for all groups
  Number margin{0.0};                                // gamma
  Number norm_bound{0.0};                            // D
  Number least_cosine{0.0};                          // cmin
  Number spread_ratio{0.0};                          // max delta_c / gamma_c
  Number smoothness{0.0};                            // T6's beta (an upper bound), not of ReLU units
  Number feature_diameter{0.0};                      // Dm = max_i D_i (an upper bound)
};

// Enclosures from a solved margin problem: exact multipliers or an enclosure with a proved active set. A
// string tells why there are none (not feasible, multipliers not enclosed, no constraints). `direction` is
// reference_direction() of the same solution. Cost O(groups^2 d + tokens d) ball operations. Throws
// BudgetReached.
struct EnclosedFacts {
  std::optional<SelectionFacts<BallNumber>> facts;
  std::string reason;
};
EnclosedFacts enclose_facts(const RunGeometry& geometry, const ReferenceDirection& direction,
                            const MarginSolution& solution, Loss loss, const Budget& budget = Budget());

// Midpoints.
SelectionFacts<double> approximate(const SelectionFacts<BallNumber>& facts);

}  // namespace attest
