// The bounded residual around the natural centre: see forever/residual.hpp.
#include "proofs/checker/forever/residual.hpp"

namespace attest_check {
namespace {

// The region of T10 or T11, in which T14 bounds the residual.
template <class Inner>
class ResidualRegion : public Inner {
 public:
  template <class Evidence>
  ResidualRegion(const LaterSteps& where, const Residual& residual, const Evidence& region)
      : Inner(where, region, residual.path), residual_(residual) {}

 private:
  void require_theorem() override {
    Inner::require_theorem();
    this->require_residual(residual_.eigenvalue, Inner::evidence_.step_bound);
  }
  bool bounded_residual() const override { return true; }

  const Residual& residual_;
};

}  // namespace

void Residual::read(Reader& in) {
  constexpr const char* regions[] = {Local::word, Absorbing::word};
  std::size_t place = 0;
  in.next("region");
  in.one_of(regions, place);
  in("path", path);
  in.next(eigenvalue);
  if (place == 0) region.emplace<Local>();
  std::visit([&](Theorem& inner) { inner.read(in); }, region);
}

void Residual::require(const LaterSteps& where) const {
  if (const auto* local = std::get_if<Local>(&region)) {
    ResidualRegion<LocalRegion>(where, *this, *local).require();
  } else {
    ResidualRegion<AbsorbingRegion>(where, *this, std::get<Absorbing>(region)).require();
  }
}

void Region::require_residual(const EigenvalueBound& bound, const Rational& step_bound) const {
  const Interval step = number(step_bound), eigenvalue = least_eigenvalue(bound);
  Interval top, widest;                   // sum_S bhi e^-r; E_S^2
  Interval bottom;                        // min_S blo e^-r
  Interval share(Rational(1, 2), bits_);  // mu_min, at most 1/2
  for (std::size_t k = 0; k < direction_.active.size(); ++k) {
    const Row& row = active_row(k);
    const Interval scale = exponential(-row.excess), low = row.lower * scale;
    bottom = k == 0 ? low : minimum(bottom, low);
    top += row.upper * scale;
    widest = maximum(widest, row.spread2);
    share = minimum(share, direction_.weight[k]);
  }
  Interval far;  // Lambda_U
  for (const Row& row : rows_) {
    if (std::binary_search(direction_.active.begin(), direction_.active.end(),
                           Constraint{row.group, row.token}))
      continue;
    const Interval beyond = row.slope - gamma_, one(1);
    claim_.require(beyond.positive(), "a constraint off the support is not proved to be slack");
    // J_c with kappa_c = beta_c (1 - 1/(1 + z)).
    const Interval q = row.spread2 * path_ / (Interval(4) * beyond);
    const Interval z = (q + square_root(q * (q + Interval(4)))) / Interval(2);
    const Interval weight = row.upper * exponential(z - row.excess - floor_ + beyond * step / (one + z));
    far += square_root(row.spread2) * weight * (one + z) / (speed_ * beyond);
  }
  const Interval ratio = maximum(logarithm(top / bottom), Interval(0));            // A_S
  const Interval pull = share * square_root(eigenvalue / (Interval(1) - share));   // kappa
  const Interval still = (ratio + step * widest / (Interval(2) * speed_)) / pull;  // X1
  const Interval inner = maximum(still, square_root(Interval(2) * step * pull * still / speed_));
  const Interval residual = inner + far;
  at_most(residual * residual, conclusion_.excess, "squared residual of the theorem against excess");
}

}  // namespace attest_check
