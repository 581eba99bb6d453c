// What T17's conditions ask of a point W_0, the data and the limit, as doubles rounded to the safe side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/mirror/divergence.hpp"
#include "numerics/mirror/mirror_iteration.hpp"
#include "numerics/mirror/mirror_limit.hpp"

namespace attest {

// Ranges of b_c = omega_c e^(m_c) while all margins are at least given bounds.
struct WeightRanges {
  std::vector<double> high;        // of b_c on P
  std::vector<double> outside;     // of |b_c| on N
  std::vector<double> unselected;  // per group with constraints: 1 - s
  double multiplier_level = 0;     // K = sum mu_c log(b_c/mu_c), lower bound
};

// P: constraints with a positive score gap; N, "outside": the others.
struct RegionData {
  double p = 0, q = 0;
  double gamma = 0, gamma_high = 0;
  double height = 0, height_high = 0;                               // y_0 = <n,W_0>
  double zeta = 0;                                                  // <Z_0,u>, lower bound
  std::vector<double> direction, direction_radius, direction_high;  // u; of |u|
  std::vector<double> offset, offset_radius;                        // p = W_0 - y_0 u
  std::vector<double> normal_high;                                  // of |n|
  std::vector<bool> moves;                                          // entries that some constraint has
  std::vector<double> margin;                                       // m_c(W_0), lower bounds
  std::vector<double> excess;                                       // gamma y_0 - m_c(W_0), upper bounds
  std::vector<double> along, along_high;                            // gamma_c
  std::vector<bool> outside;
  std::vector<std::vector<double>> size;  // |Delta_c| entry by entry
  bool local = false;                     // N is not empty
  double along_outside = 0;               // max over N of gamma_c
  double longest = 0, diameter = 0;       // max ||Delta_c||_Q and max ||Delta_c - Delta_c'||_Q

  // False, with the reason, where T17 does not apply at all.
  bool read(const TokenData& data, const MirrorSpec& spec, const Potential& potential,
            const MirrorLimit& limit, const std::vector<Ball>& w0, std::string& reason);

  double margin_excess(std::size_t c) const { return excess[c]; }
  // Nothing where some weight on P might be 0.
  std::optional<WeightRanges> ranges(const std::vector<double>& low) const;
  // C of theory.md section 4.
  double concentration(const WeightRanges& ranges) const;

  // The ray for heights from `from` to `to`, which may be infinite.
  RaySpan ray(double from, double to) const;
  bool ray_is_near(double from) const;
  // |n - (1/(P-1)) u grad' psi(a/y)| entry by entry; for P > 2 where the ray is not near, what bounds the
  // whole.
  std::vector<double> ray_slopes(const RaySpan& ray, double from, double to, double energy) const;
  // D(yu, a) + D(yu + 2p, a), and its share of zeta^power at all heights from y_0 on.
  double ray_cost(double y) const;
  double ray_cost_share(double power) const;

 private:
  struct Group {
    double best = 0;  // score of the selected token
    std::vector<std::size_t> constraints;
  };
  bool read_limit(const MirrorLimit& limit, const std::vector<Ball>& w0, const Potential& potential,
                  std::string& reason);
  void read_constraints(const TokenData& data, const MirrorLimit& limit, const std::vector<Ball>& w0);

  Loss loss_ = Loss::logistic;
  double share_ = 0;  // 1/n
  double near_ratio_ = 1;
  std::vector<Group> groups_;
  std::vector<double> gap_, count_;  // score gaps; k_t/k_selected
  std::vector<double> multiplier_low_, multiplier_high_;
};

}  // namespace attest
