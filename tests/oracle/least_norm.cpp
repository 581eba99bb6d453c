// The least norm of a matrix with margins of at least 1, for powers and the nuclear norm: minimise ||W||
// subject to <Delta_c, W> >= 1. Its dual is to maximise sum lambda_c, lambda >= 0, where M = sum lambda_c
// Delta_c is at most 1 in the dual norm. For every lambda and every W with least margin m > 0
//   sum lambda / ||M||_dual <= least norm <= ||W|| / m.
// Both come from points on the central path of a barrier: of the dual for the nuclear norm and powers up to
// 2, whose dual norms are smooth, of the problem itself for larger powers.
#include <algorithm>

#include "tests/oracle/norm_truth.hpp"

namespace reference {

namespace {

using Vector = std::vector<Real>;

Real dot(const Vector& a, const Vector& b) {
  Real sum;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// x with A x = b for a symmetric positive definite A, b the right-hand side.
Vector solve_definite(std::vector<Vector> A, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real factor = A[i][k] / A[k][k];
      if (factor == 0) continue;
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return b;
}

// A convex function where it is finite, with its derivatives.
struct Expansion {
  bool inside = false;
  Real value;
  Vector gradient;
  std::vector<Vector> second;
};

// A barrier of a ball of matrices M, with its gradient, and how that changes along each direction asked for.
struct Barrier {
  bool inside = false;
  Real value;
  Vector gradient;
  std::vector<Vector> seconds;
};

// -log(1 - sum |M_j|^q).
Barrier power_barrier(const Vector& M, const std::vector<Vector>& directions, const Real& q) {
  Barrier barrier;
  Real rest = 1;
  for (const Real& x : M) {
    if (x != 0) rest -= pow(abs(x), q);
  }
  if (rest <= 0) return barrier;
  barrier.inside = true;
  barrier.value = -log(rest);
  Vector first(M.size()), curvature(M.size());
  for (std::size_t j = 0; j < M.size(); ++j) {
    if (M[j] == 0) {
      if (q == 2) curvature[j] = 2 / rest;
      continue;
    }
    const Real power = pow(abs(M[j]), q - 2);
    first[j] = q * power * M[j] / rest;
    curvature[j] = q * (q - 1) * power / rest;
  }
  for (const Vector& E : directions) {
    const Real along = dot(first, E);
    Vector second(M.size());
    for (std::size_t j = 0; j < M.size(); ++j) second[j] = curvature[j] * E[j] + first[j] * along;
    barrier.seconds.push_back(std::move(second));
  }
  barrier.gradient = std::move(first);
  return barrier;
}

Vector product(const Vector& A, const Vector& B, std::size_t rows, std::size_t inner, std::size_t columns) {
  Vector C(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < inner; ++k)
      for (std::size_t j = 0; j < columns; ++j) C[i * columns + j] += A[i * inner + k] * B[k * columns + j];
  return C;
}

Vector transposed(const Vector& A, std::size_t rows, std::size_t columns) {
  Vector B(A.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) B[j * rows + i] = A[i * columns + j];
  return B;
}

// -log det(I - M M'): with S the inverse, its gradient is 2 S M, and that changes along E by 2 S E + 2 S (E
// M'
// + M E') S M.
Barrier spectral_barrier(const Vector& M, const std::vector<Vector>& directions, Pair shape) {
  const auto [d, e] = shape;
  Barrier barrier;
  // [I - M M' | I] to [I | S]; the pivots are positive inside and only there.
  Vector G = product(M, transposed(M, d, e), d, e, d), S(d * d);
  for (Real& x : G) x = -x;
  for (std::size_t i = 0; i < d; ++i) G[i * d + i] += 1, S[i * d + i] = 1;
  for (std::size_t k = 0; k < d; ++k) {
    const Real pivot = G[k * d + k];
    if (pivot <= 0) return barrier;
    barrier.value -= log(pivot);
    for (std::size_t j = 0; j < d; ++j) G[k * d + j] /= pivot, S[k * d + j] /= pivot;
    for (std::size_t i = 0; i < d; ++i) {
      const Real factor = G[i * d + k];
      if (i == k || factor == 0) continue;
      for (std::size_t j = 0; j < d; ++j) {
        G[i * d + j] -= factor * G[k * d + j];
        S[i * d + j] -= factor * S[k * d + j];
      }
    }
  }
  barrier.inside = true;
  const Vector SM = product(S, M, d, d, e);
  for (const Real& x : SM) barrier.gradient.push_back(2 * x);
  for (const Vector& E : directions) {
    Vector mixed = product(E, transposed(M, d, e), d, e, d);
    const Vector other = transposed(mixed, d, d);
    for (std::size_t k = 0; k < mixed.size(); ++k) mixed[k] += other[k];
    Vector second = product(mixed, SM, d, d, e);
    for (std::size_t k = 0; k < second.size(); ++k) second[k] += E[k];
    second = product(S, second, d, d, e);
    for (Real& x : second) x *= 2;
    barrier.seconds.push_back(std::move(second));
  }
  return barrier;
}

// Damped Newton steps from a point inside, until the next would gain nothing worth while.
template <class Function>
void minimise(const Function& function, Vector& x) {
  const Real enough("1e-60");
  Expansion at = function(x);
  for (int k = 0; k < 500; ++k) {
    const Vector step = solve_definite(at.second, at.gradient);
    const Real gain = dot(step, at.gradient);
    if (!(gain > enough)) return;
    for (Real share = 1;; share /= 2) {
      if (share < Real("1e-40")) return;
      Vector y = x;
      for (std::size_t j = 0; j < y.size(); ++j) y[j] -= share * step[j];
      Expansion next = function(y);
      if (!next.inside || next.value > at.value - share * gain / 4) continue;
      x = std::move(y);
      at = std::move(next);
      break;
    }
  }
}

class NormProblem {
 public:
  // Scaled so that the Euclidean solution has norm 1; q is the dual norm's power, 0 for the nuclear norm.
  NormProblem(const MarginAnswer& answer, Pair shape, const Number& exponent)
      : shape_(shape), p_(real(exponent)), scale_(sqrt(real(answer.norm_squared))) {
    if (exponent != 0) q_ = p_ / (p_ - 1);
    for (const Row& difference : answer.differences) {
      rows_.emplace_back();
      for (const Number& x : difference) rows_.back().push_back(real(x) * scale_);
    }
    for (const Number& x : answer.solution) solution_.push_back(real(x) / scale_);
  }

  LeastNorm solve() {
    LeastNorm best;
    best.hi = -1;
    if (p_ > 2) {
      Vector w = solution_;
      for (Real& x : w) x *= 2;
      for (Real weight = 1; weight < Real("1e61"); weight *= 1000) {
        minimise([&](const Vector& at) { return own_barrier(at, weight); }, w);
        improve(best, w, multipliers_of(w));
      }
    } else {
      Vector lambda(rows_.size(), 1);
      while (!dual_barrier(lambda, 1).inside) {
        for (Real& x : lambda) x /= 2;
      }
      for (Real weight = 1; weight < Real("1e61"); weight *= 1000) {
        minimise([&](const Vector& at) { return dual_barrier(at, weight); }, lambda);
        improve(best, barrier_at(lambda, {}).gradient, lambda);
      }
    }
    best.lo *= scale_;
    best.hi *= scale_;
    for (Real& x : best.matrix) x *= scale_;
    return best;
  }

 private:
  Vector combination(const Vector& lambda) const {
    Vector M(solution_.size());
    for (std::size_t c = 0; c < rows_.size(); ++c)
      for (std::size_t j = 0; j < M.size(); ++j) M[j] += lambda[c] * rows_[c][j];
    return M;
  }

  Barrier barrier_at(const Vector& lambda, const std::vector<Vector>& directions) const {
    const Vector M = combination(lambda);
    return p_ == 0 ? spectral_barrier(M, directions, shape_) : power_barrier(M, directions, q_);
  }

  // -weight sum lambda - sum log lambda + the dual ball's.
  Expansion dual_barrier(const Vector& lambda, const Real& weight) const {
    Expansion result;
    for (const Real& x : lambda) {
      if (x <= 0) return result;
      result.value -= weight * x + log(x);
    }
    const Barrier barrier = barrier_at(lambda, rows_);
    if (!barrier.inside) return result;
    result.inside = true;
    result.value += barrier.value;
    for (std::size_t c = 0; c < lambda.size(); ++c) {
      result.gradient.push_back(dot(rows_[c], barrier.gradient) - weight - 1 / lambda[c]);
      Vector second;
      for (const Vector& other : barrier.seconds) second.push_back(dot(rows_[c], other));
      second[c] += 1 / (lambda[c] * lambda[c]);
      result.second.push_back(std::move(second));
    }
    return result;
  }

  // weight sum |w_j|^p - sum log(margin - 1).
  Expansion own_barrier(const Vector& w, const Real& weight) const {
    Expansion result;
    result.gradient.assign(w.size(), 0);
    result.second.assign(w.size(), Vector(w.size()));
    for (std::size_t j = 0; j < w.size(); ++j) {
      const Real power = w[j] == 0 ? Real(0) : pow(abs(w[j]), p_ - 2);
      result.value += weight * power * w[j] * w[j];
      result.gradient[j] = weight * p_ * power * w[j];
      // A little more where there is no curvature, so that there are steps.
      result.second[j][j] = weight * (p_ * (p_ - 1) * power + Real("1e-60"));
    }
    for (const Vector& row : rows_) {
      const Real above = dot(row, w) - 1;
      if (above <= 0) return result;
      result.value -= log(above);
      for (std::size_t j = 0; j < w.size(); ++j) {
        result.gradient[j] -= row[j] / above;
        for (std::size_t k = 0; k < w.size(); ++k) result.second[j][k] += row[j] * row[k] / (above * above);
      }
    }
    result.inside = true;
    return result;
  }

  Vector multipliers_of(const Vector& w) const {
    Vector lambda;
    for (const Vector& row : rows_) lambda.push_back(1 / (dot(row, w) - 1));
    return lambda;
  }

  Real norm(const Vector& M, bool dual) const {
    if (p_ != 0) return power_norm(M, dual ? q_ : p_);
    Real sum, largest;
    for (const Real& value : singular_values(M, shape_)) {
      sum += value;
      largest = std::max(largest, value);
    }
    return dual ? largest : sum;
  }

  // The bounds that these prove, where they are sharper.
  void improve(LeastNorm& best, const Vector& w, const Vector& lambda) const {
    Real sum, least = dot(rows_[0], w);
    for (const Real& x : lambda) sum += x;
    for (const Vector& row : rows_) least = std::min(least, dot(row, w));
    best.lo = std::max<Real>(best.lo, sum / norm(combination(lambda), true));
    if (least <= 0) return;
    const Real hi = norm(w, false) / least;
    if (best.hi >= 0 && best.hi <= hi) return;
    best.hi = hi;
    best.matrix = w;
    for (Real& x : best.matrix) x /= least;
  }

  Pair shape_;
  Real p_, q_, scale_;
  std::vector<Vector> rows_;
  Vector solution_;
};

}  // namespace

Real power_norm(const std::vector<Real>& entries, const Real& exponent) {
  Real largest, sum;
  for (const Real& x : entries) largest = std::max<Real>(largest, abs(x));
  if (largest == 0) return 0;
  for (const Real& x : entries) {
    if (x != 0) sum += pow(abs(x) / largest, exponent);
  }
  return largest * pow(sum, 1 / exponent);
}

// One-sided Jacobi rotations (Hestenes 1958) until all columns are orthogonal: their lengths.
SingularParts singular_parts(const std::vector<Real>& matrix, Pair shape) {
  const auto [rows, columns] = shape;
  std::vector<Vector> column(columns, Vector(rows + columns));  // and, below, that of the rotations' product
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) column[j][i] = matrix[i * columns + j];
    column[j][rows + j] = 1;
  }
  const auto product = [rows = rows](const Vector& a, const Vector& b) {
    Real sum;
    for (std::size_t i = 0; i < rows; ++i) sum += a[i] * b[i];
    return sum;
  };
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; ++sweep) {
    turned = false;
    for (std::size_t a = 0; a < columns; ++a) {
      for (std::size_t b = a + 1; b < columns; ++b) {
        const Real x = product(column[a], column[a]), y = product(column[b], column[b]);
        const Real both = product(column[a], column[b]);
        if (abs(both) <= Real("1e-140") * sqrt(x * y)) continue;
        turned = true;
        const Real zeta = (y - x) / (2 * both);
        const Real tangent = (zeta < 0 ? Real(-1) : Real(1)) / (abs(zeta) + sqrt(1 + zeta * zeta));
        const Real cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
        for (std::size_t i = 0; i < rows + columns; ++i) {
          const Real left = column[a][i], right = column[b][i];
          column[a][i] = cosine * left - sine * right;
          column[b][i] = sine * left + cosine * right;
        }
      }
    }
  }
  std::stable_sort(column.begin(), column.end(),
                   [&](const Vector& a, const Vector& b) { return product(a, a) > product(b, b); });
  SingularParts parts;
  for (const Vector& one : column) {
    parts.values.push_back(sqrt(product(one, one)));
    parts.images.emplace_back(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(rows));
    parts.right.emplace_back(one.begin() + static_cast<std::ptrdiff_t>(rows), one.end());
  }
  return parts;
}

std::vector<Real> singular_values(const std::vector<Real>& matrix, Pair shape) {
  return singular_parts(matrix, shape).values;
}

LeastNorm least_norm(const MarginAnswer& answer, Pair shape, const Number& exponent) {
  if (answer.constraints.empty()) return {0, 0, std::vector<Real>(shape.first * shape.second)};
  return NormProblem(answer, shape, exponent).solve();
}

}  // namespace reference
