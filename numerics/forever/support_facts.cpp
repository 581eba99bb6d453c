#include "numerics/forever/support_facts.hpp"

#include <arb_mat.h>

#include "numerics/forever/group_images.hpp"
#include "numerics/forever/head.hpp"

namespace attest {
namespace {

template <typename Number>
Number form_of(const std::vector<Number>& matrix, const std::vector<Number>& t) {
  Number sum(0.0);
  for (std::size_t a = 0; a < t.size(); ++a) sum += row_product(matrix, a * t.size(), t) * t[a];
  return sum;
}

// Enclosures of <Delta_c, Delta_k> = <x_c, x_k> <z_c, z_k>, x_c the difference of the two tokens.
class ConstraintProducts {
 public:
  ConstraintProducts(const RunGeometry& geometry, const ReferenceDirection& direction,
                     const SelectionFacts<BallNumber>& facts, const Budget& budget)
      : facts_(facts), dimension_(geometry.dimension), groups_(geometry.groups.size()) {
    const TokenData& data = *geometry.data;
    for (const ConstraintFacts<BallNumber>& c : facts.constraints) {
      budget.poll();
      const std::size_t i = geometry.groups[c.group].original;
      const std::size_t selected = data.row(i, direction.selection[i]);
      const std::size_t other = data.row(i, c.row - geometry.groups[c.group].first_row);
      for (std::size_t j = 0; j < dimension_; ++j) {
        differences_.emplace_back(data.token_factor.exact(selected * dimension_ + j) -
                                      data.token_factor.exact(other * dimension_ + j),
                                  bits);
      }
    }
    for (std::size_t i = 0; i < groups_; ++i) {
      budget.poll();
      for (std::size_t k = 0; k < groups_; ++k) {
        queries_.emplace_back(exact_dot(data.query_factor, geometry.groups[i].original, data.query_factor,
                                        geometry.groups[k].original, geometry.query_dimension),
                              bits);
      }
    }
  }

  BallNumber operator()(std::size_t c, std::size_t k) const {
    const Ball tokens = dot(std::span(differences_).subspan(c * dimension_, dimension_),
                            std::span(differences_).subspan(k * dimension_, dimension_), bits);
    const Ball& queries = queries_[facts_.constraints[c].group * groups_ + facts_.constraints[k].group];
    return BallNumber(mul(tokens, queries, bits));
  }

 private:
  static constexpr long bits = BallNumber::bits + 64;
  const SelectionFacts<BallNumber>& facts_;
  std::size_t dimension_, groups_;
  std::vector<Ball> differences_;  // constraints x dimension
  std::vector<Ball> queries_;      // groups x groups
};

// Measured: 3 to 4 s for 481 rows.
double predicted_inverse_seconds(std::size_t size) {
  const auto n = static_cast<double>(size);
  return n * n * n * 4e-8;
}

// The inverse of a matrix that is proved to have one, by an approximate inverse: with many more digits than a
// Cholesky factorisation in balls leaves at some hundred rows, in the same time or half of it.
std::optional<std::vector<BallNumber>> inverse_of(const std::vector<BallNumber>& matrix, std::size_t size) {
  const auto n = static_cast<slong>(size);
  arb_mat_t a, inverse;
  arb_mat_init(a, n, n);
  arb_mat_init(inverse, n, n);
  for (slong r = 0; r < n; ++r) {
    for (slong c = 0; c < n; ++c) {
      arb_set(arb_mat_entry(a, r, c), matrix[static_cast<std::size_t>(r * n + c)].ball().raw());
    }
  }
  std::optional<std::vector<BallNumber>> result;
  if (arb_mat_inv(inverse, a, BallNumber::bits + 64) != 0) {
    result.emplace();
    for (slong r = 0; r < n; ++r) {
      for (slong c = 0; c < n; ++c) {
        Ball entry;
        arb_set(entry.raw(), arb_mat_entry(inverse, r, c));
        result->emplace_back(std::move(entry));
      }
    }
  }
  arb_mat_clear(a);
  arb_mat_clear(inverse);
  return result;
}

}  // namespace

double row_product(const std::vector<double>& matrix, std::size_t first, const std::vector<double>& t) {
  double sum = 0;
  for (std::size_t b = 0; b < t.size(); ++b) sum += matrix[first + b] * t[b];
  return sum;
}

BallNumber row_product(const std::vector<BallNumber>& matrix, std::size_t first,
                       const std::vector<BallNumber>& t) {
  static_assert(sizeof(BallNumber) == sizeof(arb_struct), "arrays of balls are arrays of arb_struct");
  Ball sum;
  arb_dot(sum.raw(), nullptr, 0, matrix[first].ball().raw(), 1, t.front().ball().raw(), 1,
          static_cast<slong>(t.size()), BallNumber::bits);
  return BallNumber(sum);
}

double quadratic_form(const std::vector<double>& matrix, const std::vector<double>& t) {
  return form_of(matrix, t);
}

BallNumber quadratic_form(const std::vector<BallNumber>& matrix, const std::vector<BallNumber>& t) {
  return form_of(matrix, t);
}

std::optional<SupportFacts<BallNumber>> enclose_support(const SelectionFacts<BallNumber>& facts,
                                                        const RunGeometry& geometry,
                                                        const ReferenceDirection& direction,
                                                        const Budget& budget) {
  SupportFacts<BallNumber> result;
  for (std::size_t c = 0; c < facts.constraints.size(); ++c) {
    const ConstraintFacts<BallNumber>& k = facts.constraints[c];
    if (k.active) {
      if (facts.better[c]) return std::nullopt;
      result.support.push_back(c);
    } else if (!positive(k.excess)) {
      return std::nullopt;
    }
  }
  const std::size_t size = result.support.size();
  const double left = budget.remaining_seconds();
  if (left >= 0 && predicted_inverse_seconds(size) > left / 4) return std::nullopt;
  const ConstraintProducts product(geometry, direction, facts, budget);
  std::vector<BallNumber> gram(size * size);
  for (std::size_t a = 0; a < size; ++a) {
    budget.poll();
    for (std::size_t b = 0; b <= a; ++b) {
      gram[a * size + b] = gram[b * size + a] = product(result.support[a], result.support[b]);
    }
  }
  for (std::size_t a = 0; a < size; ++a) {
    budget.poll();
    for (std::size_t b = 0; b < a; ++b) {
      const BallNumber square =
          gram[a * size + a] + gram[b * size + b] - BallNumber(2.0) * gram[a * size + b];
      result.diameter = fmax(result.diameter, sqrt(square));
    }
  }
  auto inverse = inverse_of(gram, size);  // a Gram matrix that has one is positive definite
  if (!inverse) return std::nullopt;
  result.inverse = std::move(*inverse);

  BallNumber squares(0.0);
  for (const BallNumber& entry : result.inverse) squares += entry * entry;
  result.least_eigenvalue = BallNumber(1.0) / sqrt(squares);

  BallNumber mean(0.0);
  for (const std::size_t c : result.support) {
    const ConstraintFacts<BallNumber>& k = facts.constraints[c];
    const BallNumber limit = with_head(
        facts.loss, facts.weight, [&](const auto& head) { return head.limit(facts.groups[k.group], k); });
    result.limit.push_back(log(k.counted(limit) / k.share));
    mean += k.share * result.limit.back();
  }
  for (BallNumber& value : result.limit) value = value - mean;
  result.limit_norm = sqrt(quadratic_form(result.inverse, result.limit));

  for (const SelectionGroup<BallNumber>& group : facts.groups) {
    std::optional<BallNumber> least;
    for (std::size_t c = group.first; c < group.last; ++c) {
      if (!facts.constraints[c].active) continue;
      least = least ? fmin(*least, facts.constraints[c].gap) : facts.constraints[c].gap;
    }
    if (!least) {
      result.sensitivity.emplace_back(0.0);
      continue;
    }
    result.sensitivity.push_back(with_head(facts.loss, facts.weight,
                                           [&](const auto& head) { return head.limit_rate(group, *least); }));
  }
  return result;
}

SupportFacts<double> approximate(const SupportFacts<BallNumber>& support) {
  const auto mids = [](const std::vector<BallNumber>& values) {
    std::vector<double> result;
    for (const BallNumber& value : values) result.push_back(value.ball().approx_mid());
    return result;
  };
  const auto mid = [](const BallNumber& value) { return value.ball().approx_mid(); };
  return {support.support,          mids(support.inverse),         mids(support.limit),
          mid(support.limit_norm),  mid(support.least_eigenvalue), mid(support.diameter),
          mids(support.sensitivity)};
}

ResidualLimit compare_with_limit(const SupportFacts<BallNumber>& support,
                                 const StartPoint<BallNumber>& point) {
  std::vector<BallNumber> products, distances;
  for (std::size_t k = 0; k < support.support.size(); ++k) {
    products.push_back(point.offsets[support.support[k]]);
    distances.push_back(products.back() - support.limit[k]);
  }
  return {point.step, sqrt(quadratic_form(support.inverse, products)), support.limit_norm,
          sqrt(quadratic_form(support.inverse, distances))};
}

}  // namespace attest
