// Truth of claims about other norms.
#include "tests/oracle/norm_truth.hpp"

#include <algorithm>

#include "tests/oracle/linear_algebra.hpp"

namespace reference {

namespace {

const Real close{"1e-20"};       // of the enclosure of a least norm
const Real rounding{"1e-100"};   // of what is computed once
const Real as_good_as{"1e-12"};  // how far the solution of a power norm is known
const Real central{"1e-8"};      // and a nuclear norm's, at the centre of all of them

std::vector<Real> real_entries(const Row& row) {
  std::vector<Real> result;
  for (const Number& x : row) result.push_back(real(x));
  return result;
}

// The least sum of magnitudes of a w with all margins >= 1, or, if `largest`, the least largest magnitude. As
// a linear program over nonnegative numbers: w = u - v, and z as large as can be beside the norm.
Number linear_least_norm(const MarginAnswer& answer, bool largest) {
  const std::size_t n = answer.solution.size(), m = answer.constraints.size();
  Number most;  // that of the Euclidean solution
  for (const Number& x : answer.solution) most = largest ? std::max<Number>(most, abs(x)) : most + abs(x);
  // u, v, the constraints' slacks; then the magnitudes' slacks and the norm; then z.
  const std::size_t bound = 2 * n + m, norm = bound + n, z = largest ? norm + 1 : bound;
  Matrix A;
  Row b;
  for (std::size_t c = 0; c < m; ++c) {
    A.emplace_back(z + 1);
    for (std::size_t j = 0; j < n; ++j) {
      A[c][j] = answer.differences[c][j];
      A[c][n + j] = -answer.differences[c][j];
    }
    A[c][2 * n + c] = -1;
    b.emplace_back(1);
  }
  for (std::size_t j = 0; largest && j < n; ++j) {
    A.emplace_back(z + 1);
    A.back()[j] = A.back()[n + j] = A.back()[bound + j] = 1;
    A.back()[norm] = -1;
    b.emplace_back(0);
  }
  A.emplace_back(z + 1);
  if (largest) A.back()[norm] = 1;
  for (std::size_t j = 0; !largest && j < 2 * n; ++j) A.back()[j] = 1;
  A.back()[z] = 1;
  b.push_back(most);
  return most - maximise_entry(A, b, z)->at(z);
}

}  // namespace

NormTruth::NormTruth(const MarginAnswer& answer, Pair shape, const std::string& norm)
    : answer_(answer), shape_(shape), norm_(norm) {
  if (norm == "l1" || norm == "linf") {
    if (answer.constraints.empty()) return;
    exact_ = linear_least_norm(answer, norm == "linf");
    lo_ = hi_ = real(exact_);
    return;
  }
  if (norm != "nuclear") exponent_ = parse_rational(norm.substr(1));
  LeastNorm least = least_norm(answer, shape, exponent_);
  lo_ = least.lo;
  hi_ = least.hi;
  nearest_ = std::move(least.matrix);
}

Number NormTruth::margin(std::size_t constraint, const Row& matrix) const {
  return dot(answer_.differences[constraint], matrix);
}

std::string NormTruth::optimum_objection(const Claim& claim) const {
  if (hi_ - lo_ > close * hi_) return "the reference does not know the least norm";
  if (claim.numbers[0] < 0) return "a lower bound below 0";
  if (real(claim.numbers[0]) > hi_ * (1 + rounding)) return "the least norm is less";
  if (real(claim.numbers[1]) < lo_ * (1 - rounding)) return "the least norm is more";
  const auto [rows, columns] = shape_;
  const std::size_t inner = claim.count;  // of a product of two factors
  const auto has_shape = [](const GivenMatrix& matrix, std::size_t r, std::size_t c) {
    return matrix.rows == r && matrix.columns == c;
  };
  if (norm_ != "nuclear") {
    const GivenMatrix& given = claim.matrices[0];
    if (!has_shape(given, rows, columns)) return "a matrix of another shape";
    if (claim.numbers.size() == 2) return "";
    std::vector<Real> apart = real_entries(given.entries);
    for (std::size_t j = 0; j < apart.size(); ++j) apart[j] -= nearest_[j];
    const Real claimed = real(claim.numbers[2]);
    return claimed >= 0 && power_norm(apart, real(exponent_)) <= claimed + as_good_as * hi_
               ? ""
               : "the solution is further away";
  }
  const GivenMatrix &left = claim.matrices[0], &right = claim.matrices[1];
  if (inner == 0 || inner > std::min(rows, columns)) return "no such rank";
  if (!has_shape(left, rows, inner) || !has_shape(right, columns, inner)) return "a matrix of another shape";
  const Row product = given_entries(claim);  // the matrix of this rank that there is said to be
  for (std::size_t c = 0; c < answer_.constraints.size(); ++c)
    if (margin(c, product) < 1) return "a margin below 1";
  Real sum;
  for (const Real& value : singular_values(real_entries(product), shape_)) sum += value;
  return sum <= real(claim.numbers[1]) * (1 + rounding) ? "" : "a larger norm of the matrix of this rank";
}

Row given_entries(const Claim& claim) {
  const GivenMatrix& left = claim.matrices[0];
  if (claim.matrices.size() == 1) return left.entries;
  const GivenMatrix& right = claim.matrices[1];
  Row product(left.rows * right.rows);
  for (std::size_t i = 0; i < left.rows; ++i)
    for (std::size_t j = 0; j < right.rows; ++j)
      for (std::size_t k = 0; k < left.columns; ++k)
        product[i * right.rows + j] +=
            left.entries[i * left.columns + k] * right.entries[j * left.columns + k];
  return product;
}

// In the nuclear norm a matrix is as far from those of rank r as its singular values after the first r add up
// to.
std::string NormTruth::near_rank_objection(const Claim& claim, const Number& high) const {
  const auto [rows, columns] = shape_;
  if (claim.count > std::min(rows, columns)) return "no such rank";
  for (const GivenMatrix& given : claim.matrices)
    if (given.rows != columns || given.columns != claim.count) return "a matrix of another shape";
  if (nearest_.empty() || hi_ > real(high)) return "";
  const std::vector<Real> values = singular_values(nearest_, shape_);
  Real rest;
  for (std::size_t k = claim.count; k < values.size(); ++k) rest += values[k];
  return rest <= real(claim.numbers[0]) + as_good_as * hi_ ? "" : "a solution is further from that rank";
}

// The centre's margins are 1 where all solutions' are. With its singular value decomposition sum s_i u_i v_i'
// the solutions are near it sum_ij X_ij (s_i s_j)^(1/2) u_i v_j', X symmetric, with margins 1 there. So there
// is one only if no symmetric V but 0 has margins 0.
bool NormTruth::several_solutions(std::size_t rank, const std::vector<std::size_t>& everywhere) const {
  const auto [rows, columns] = shape_;
  const SingularParts parts = singular_parts(nearest_, shape_);
  std::vector<Real> system;  // a row for each constraint: its margins for V by their entries i <= j
  for (const std::size_t c : everywhere) {
    for (std::size_t i = 0; i < rank; ++i) {
      for (std::size_t j = i; j < rank; ++j) {
        const Real from = sqrt(parts.values[j] / parts.values[i]), to = 1 / from;
        Real sum;
        for (std::size_t a = 0; a < rows; ++a)
          for (std::size_t b = 0; b < columns; ++b)
            sum +=
                real(answer_.differences[c][a * columns + b]) *
                (from * parts.images[i][a] * parts.right[j][b] + to * parts.images[j][a] * parts.right[i][b]);
        system.push_back(sum);
      }
    }
  }
  const std::size_t unknowns = rank * (rank + 1) / 2;
  if (everywhere.size() < unknowns) return true;
  const std::vector<Real> values = singular_values(system, {everywhere.size(), unknowns});
  return values[unknowns - 1] <= central * values[0];
}

std::string NormTruth::solution_objection(const Claim& claim) const {
  const auto [rows, columns] = shape_;
  const std::size_t rank = claim.count;
  if (rank == 0 || rank > std::min(rows, columns)) return "no such rank";
  for (const GivenMatrix& given : claim.matrices)
    if (given.rows != (&given == &claim.matrices[0] ? rows : columns) || given.columns != rank)
      return "a matrix of another shape";
  if (hi_ - lo_ > close * hi_) return "the reference does not know the least norm";
  const std::vector<Real> values = singular_values(nearest_, shape_);
  if (values[rank - 1] <= central * values[0]) return "a smaller rank";
  if (rank < values.size() && values[rank] > central * values[0]) return "a larger rank";
  Claim product = claim;
  product.matrices.pop_back();
  const Row given = given_entries(product);
  Real apart;
  for (std::size_t j = 0; j < given.size(); ++j) apart += pow(real(given[j]) - nearest_[j], 2);
  if (sqrt(apart) > real(claim.numbers[0]) + central * hi_) return "a solution is further away";
  const std::vector<std::size_t> everywhere = tight(central);
  std::vector<Pair> listed;
  for (const std::size_t c : everywhere) listed.push_back(answer_.constraints[c]);
  if (claim.vectors[0].entries.size() != listed.size()) return "other support tokens";
  for (std::size_t k = 0; k < listed.size(); ++k)
    if (claim.vectors[0].entries[k].first != listed[k]) return "another support token";
  return several_solutions(rank, everywhere) ? "there are several solutions" : "";
}

Real NormTruth::size(const std::vector<Real>& matrix) const {
  if (exponent_ != 0) return power_norm(matrix, real(exponent_));
  Real sum, largest;
  for (const Real& x : norm_ == "nuclear" ? singular_values(matrix, shape_) : matrix) {
    sum += abs(x);
    largest = std::max<Real>(largest, abs(x));
  }
  return norm_ == "linf" ? largest : sum;
}

std::vector<std::size_t> NormTruth::tight(const Real& tolerance) const {
  std::vector<std::size_t> result;
  for (std::size_t c = 0; c < answer_.constraints.size(); ++c) {
    Real at, size;
    for (std::size_t j = 0; j < nearest_.size(); ++j) {
      const Real term = real(answer_.differences[c][j]) * nearest_[j];
      at += term;
      size += abs(term);
    }
    if (at <= 1 + tolerance * size) result.push_back(c);
  }
  return result;
}

std::string NormTruth::support_objection(const std::vector<Pair>& listed) const {
  for (const std::size_t c : tight(as_good_as))
    if (!std::binary_search(listed.begin(), listed.end(), answer_.constraints[c]))
      return "a tight constraint is not listed";
  for (const Pair& constraint : listed)
    if (!answer_.position(constraint)) return "lists something that is no constraint";
  return "";
}

std::string NormTruth::local_objection() const {
  for (const std::size_t c : tight(as_good_as))
    if (answer_.gaps[c] <= 0) return "a tight constraint has no positive gap";
  return "";
}

}  // namespace reference
