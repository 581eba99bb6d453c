// The cones around the max-margin direction of a locally optimal selection (B.Def3):
// cone_eps(alpha) = {W: min_i max_{t low} min_{tau high} (x_it - x_itau)'W z_i >= eps ||W||}.
#pragma once

#include <optional>
#include <string>

#include "certify/catalogue/context.hpp"

namespace attest {

// Every support token has a lower score than its selected token.
Hypothesis locally_optimal(const CatalogueContext& context, const SolvedSelection& solved);

// The supremum of eps with W_mm(alpha) in cone_eps(alpha), times ||W_mm||.
struct ConeValue {
  bool unbounded = false;  // no group has a high-score token: every eps is fine
  bool empty_low = false;  // a group has high-score but no low-score tokens: no eps is
  std::size_t group = 0;   // where the minimum is attained (or the low-score tokens are missing)
  Interval value;          // min_i (least margin of a high-score token - least margin of a low-score token)
};

ConeValue cone_value(const TokenData& data, const Selection& alpha, const OptimumGeometry& geometry);

// Whether W_mm lies in cone_eps for some eps > 0.
Verdict in_some_cone(const ConeValue& cone);

// "sup of eps with W_mm in cone_eps = ...".
std::string describe(const ConeValue& cone, const OptimumGeometry& geometry);

// W_mm(alpha) among the cones; without it the row is decided.
std::optional<ConeValue> cone_at_solution(CatalogueContext& context, Row& row);

}  // namespace attest
