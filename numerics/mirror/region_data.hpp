// What T17's conditions ask of a point W_0, the data and the limit (MIRROR.md sections 3 to 8). Number is
// double (a guess) or DoubleInterval: then everything encloses, and bounds returned as doubles hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/mirror/divergence.hpp"
#include "numerics/mirror/iteration.hpp"
#include "numerics/mirror/limit.hpp"

namespace attest {

// Ranges of b_c = omega_c e^(m_c) while all margins are at least given bounds.
template <typename Number>
struct WeightRanges {
  std::vector<Number> high;        // upper bounds of b_c on P
  std::vector<Number> outside;     // of |b_c| on N
  std::vector<double> unselected;  // per group with constraints, of 1 - s
  Number multiplier_level{0.0};    // K = sum mu_c log(b_c/mu_c), a lower bound
  Number loss{0.0};                // above that of the selected tokens alone, an upper bound
};

// P: constraints with a positive score gap; N, "outside": the others.
template <typename Number>
struct RegionData {
  explicit RegionData(const Rational& exponent) : exponents(exponent) {}

  Exponents exponents;
  Number p{0.0}, q{0.0};
  Number gamma{0.0}, height{0.0}, zeta{0.0};  // y_0 = <n,W_0>, zeta_0 = <Z_0,u>
  std::vector<Number> direction, normal;      // u, n
  std::vector<Number> offset;                 // p = W_0 - y_0 u
  std::vector<bool> moves;                    // entries that some constraint has
  std::vector<Number> margin, excess, along;  // m_c(W_0), gamma y_0 - m_c(W_0), gamma_c
  std::vector<bool> outside;
  std::vector<std::vector<Number>> rows;  // Delta_c
  std::vector<std::vector<double>> size;  // |Delta_c| entry by entry, upper bounds
  bool local = false;                     // N is not empty
  double along_outside = 0;               // max over N of gamma_c
  double longest = 0, diameter = 0;       // max ||Delta_c||_Q and max ||Delta_c - Delta_c'||_Q

  // False, with the reason, where T17 does not apply at all.
  bool read(const TokenData& data, const MirrorSpec& spec, const Potential& potential,
            const MirrorLimit& limit, const std::vector<Ball>& w0, std::string& reason);

  const Number& multiplier(std::size_t c) const { return multiplier_[c]; }

  // Nothing where some weight on P might be 0.
  std::optional<WeightRanges<Number>> ranges(const std::vector<double>& least) const;
  // C of Lemma 2, an upper bound.
  double concentration(const WeightRanges<Number>& ranges) const;

  // The ray for heights from `from` to `to`, which may be infinite.
  RaySpan ray(double from, double to) const;
  bool ray_is_near(double from) const;
  // |n - (1/(P-1)) u grad' psi(a/y)| entry by entry; for P > 2 where the ray is not near, what bounds the
  // whole.
  std::vector<double> ray_slopes(const RaySpan& ray, double from, double energy, double floor) const;
  // D(yu, a) + D(yu + 2p, a), and its share of zeta^power at all heights from y_0 on.
  double ray_cost(double y) const;
  double ray_cost_share() const;

 private:
  struct Group {
    Number best{0.0};  // score of the selected token
    std::vector<std::size_t> constraints;
  };
  bool read_limit(const MirrorLimit& limit, const std::vector<Ball>& w0, const Potential& potential,
                  std::string& reason);
  void read_constraints(const TokenData& data, const MirrorLimit& limit, const std::vector<Ball>& w0);
  void read_lengths();

  Loss loss_ = Loss::logistic;
  Number share_{0.0};  // 1/n
  double near_ratio_ = 1;
  std::vector<Group> groups_;
  std::vector<Number> gap_, count_;  // score gaps; k_t/k_selected
  std::vector<Number> multiplier_;
};
extern template struct RegionData<double>;
extern template struct RegionData<DoubleInterval>;

}  // namespace attest
