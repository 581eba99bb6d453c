// The only solution in the nuclear norm: see claims/norms/solution.hpp. All numbers are exact but in the two
// procedures of GRAMMAR.md sections 7 and 8.
#include "proofs/checker/claims/norms/solution.hpp"

#include "proofs/checker/base/smallest_eigenvalue.hpp"
#include "proofs/checker/claims/norms/near_rank.hpp"

namespace attest_check {
namespace {

constexpr std::size_t most_unknowns = 1 << 14;

// matrix' vector.
std::vector<Integer> transpose_times(const ExactMatrix& matrix, const std::vector<Integer>& vector) {
  std::vector<Integer> result(matrix.columns);
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (std::size_t j = 0; j < matrix.columns; ++j)
      result[j] += matrix.numerator[row * matrix.columns + j] * vector[row];
  return result;
}

// T24's equations at (K, Q, multipliers, 0). `dual` is M transposed, e x d.
class Equations {
 public:
  Equations(const Claim& claim, const NuclearSolution& said, const ExactMatrix& dual)
      : problem_(claim.problem),
        k_(said.primal.left),
        q_(said.primal.right),
        dual_(dual),
        at_(said.multipliers.at),
        d_(k_.rows),
        e_(q_.rows),
        rank_(said.rank),
        own_(rank_ * (d_ + e_)),
        size_(own_ + at_.size() + rank_ * (rank_ - 1) / 2) {}

  // |K - M Q|^2 + |Q - M'K|^2.
  Rational residual_of_factors() const {
    const Integer left = dual_.denominator * q_.denominator, right = dual_.denominator * k_.denominator;
    Integer sum;
    for (std::size_t j = 0; j < rank_; ++j) {
      for (std::size_t a = 0; a < d_; ++a) {
        Integer x = k_.numerator[a * rank_ + j] * left;
        for (std::size_t b = 0; b < e_; ++b)
          x -= dual_.numerator[b * d_ + a] * q_.numerator[b * rank_ + j] * k_.denominator;
        sum += x * x;
      }
      for (std::size_t b = 0; b < e_; ++b) {
        Integer x = q_.numerator[b * rank_ + j] * right;
        for (std::size_t a = 0; a < d_; ++a)
          x -= dual_.numerator[b * d_ + a] * k_.numerator[a * rank_ + j] * q_.denominator;
        sum += x * x;
      }
    }
    const Integer unit = left * k_.denominator;
    return fraction(sum, unit * unit);
  }

  // The rows of L, the equations' derivative, as vectors over one denominator.
  GramFactor derivative() const {
    GramFactor result;
    require_room();
    const Features& features = *problem_.features;
    const Integer unit = features.tokens().denominator() * features.queries().denominator();
    Integer common;
    mpz_lcm(common.get_mpz_t(), dual_.denominator.get_mpz_t(),
            Integer(unit * k_.denominator * q_.denominator).get_mpz_t());
    result.denominator = common;
    result.rows.assign(size_, std::vector<Integer>(size_));
    for (std::size_t i = 0; i < size_; ++i) result.index.push_back(i);
    for (std::size_t i = 0; i < own_; ++i) result.rows[i][i] = common;
    set_dual(result.rows, common / dual_.denominator);
    set_margins(result.rows, common / (unit * q_.denominator), common / (unit * k_.denominator));
    set_turns(result.rows, common / k_.denominator, common / q_.denominator);
    return result;
  }

 private:
  using Rows = std::vector<std::vector<Integer>>;

  void require_room() const {
    if (size_ > most_unknowns) too_large("equations of " + std::to_string(size_) + " unknowns");
    std::size_t longest = 64;
    for (const ExactMatrix* matrix : {&k_, &q_, &dual_})
      for (const Integer& x : matrix->numerator) longest = std::max(longest, bit_length(x));
    const Features& features = *problem_.features;
    for (const Integer* x : {&k_.denominator, &q_.denominator, &dual_.denominator,
                             &features.tokens().denominator(), &features.queries().denominator()})
      longest += bit_length(*x);
    longest += features.tokens().entry_bits() + features.queries().entry_bits() + 64;
    const std::size_t filled = 2 * rank_ * d_ * e_ + own_ * (2 * at_.size() + 2 * rank_ + 1);
    require_memory(size_ * size_ * sizeof(Integer) + filled * (longest / 8 + 16),
                   "the equations' derivative");
  }

  static void set(Rows& rows, std::size_t i, std::size_t j, const Integer& value) {
    rows[i][j] = rows[j][i] = value;
  }
  std::size_t left_at(std::size_t a, std::size_t j) const { return a * rank_ + j; }
  std::size_t right_at(std::size_t b, std::size_t j) const { return (d_ + b) * rank_ + j; }

  void set_dual(Rows& rows, const Integer& scale) const {
    for (std::size_t b = 0; b < e_; ++b) {
      for (std::size_t a = 0; a < d_; ++a) {
        const Integer value = -scale * dual_.numerator[b * d_ + a];
        for (std::size_t j = 0; j < rank_; ++j) set(rows, left_at(a, j), right_at(b, j), value);
      }
    }
  }

  // -dx (z'Q) and -z (dx'K) for each listed constraint.
  void set_margins(Rows& rows, const Integer& left, const Integer& right) const {
    for (std::size_t c = 0; c < at_.size(); ++c) {
      const std::vector<Integer> difference = problem_.difference(at_[c]);
      const std::vector<Integer> query = problem_.features->queries().row(at_[c].group);
      const std::vector<Integer> zq = transpose_times(q_, query), xk = transpose_times(k_, difference);
      for (std::size_t j = 0; j < rank_; ++j) {
        for (std::size_t a = 0; a < d_; ++a)
          set(rows, left_at(a, j), own_ + c, -left * difference[a] * zq[j]);
        for (std::size_t b = 0; b < e_; ++b) set(rows, right_at(b, j), own_ + c, -right * query[b] * xk[j]);
      }
    }
  }

  // K E and Q E for E = e_i e_j' - e_j e_i', i < j.
  void set_turns(Rows& rows, const Integer& left, const Integer& right) const {
    std::size_t turn = own_ + at_.size();
    for (std::size_t i = 0; i < rank_; ++i) {
      for (std::size_t j = i + 1; j < rank_; ++j, ++turn) {
        for (std::size_t a = 0; a < d_; ++a) {
          set(rows, left_at(a, j), turn, left * k_.numerator[a * rank_ + i]);
          set(rows, left_at(a, i), turn, -left * k_.numerator[a * rank_ + j]);
        }
        for (std::size_t b = 0; b < e_; ++b) {
          set(rows, right_at(b, j), turn, right * q_.numerator[b * rank_ + i]);
          set(rows, right_at(b, i), turn, -right * q_.numerator[b * rank_ + j]);
        }
      }
    }
  }

  const Problem& problem_;
  const ExactMatrix &k_, &q_, &dual_;
  const std::vector<Constraint>& at_;
  const std::size_t d_, e_, rank_, own_, size_;  // of K and Q; of all unknowns
};

// The columns of K over those of Q.
GramFactor columns_of(const GivenMatrix& primal) {
  GramFactor result;
  const ExactMatrix &k = primal.left, &q = primal.right;
  result.denominator = k.denominator * q.denominator;
  for (std::size_t j = 0; j < k.columns; ++j) {
    result.index.push_back(j);
    std::vector<Integer>& column = result.rows.emplace_back();
    for (std::size_t a = 0; a < k.rows; ++a) column.push_back(k.numerator[a * k.columns + j] * q.denominator);
    for (std::size_t b = 0; b < q.rows; ++b) column.push_back(q.numerator[b * q.columns + j] * k.denominator);
  }
  return result;
}

// The sum of ||Delta_c||^2 over the support, and of (1 - margin)^2; the others' margins are above 1, by more
// than distance ||Delta_c||.
struct Margins {
  Rational rows, residual;
};
Margins check_margins(const Claim& claim, const NuclearSolution& said) {
  const Problem& problem = claim.problem;
  const Integer scale = said.primal.scale(problem);
  const Integer& unit = problem.features->product_denominator();
  Integer squares, residual;
  std::vector<Integer> margins;
  std::size_t group = SIZE_MAX;
  auto next = said.multipliers.at.begin();
  for_each_constraint(problem, [&](const Constraint& c) {
    if (group != c.group) margins = said.primal.margins(problem, group = c.group);
    const Integer above = margins[c.token] - scale;
    if (next != said.multipliers.at.end() && *next == c) {
      ++next;
      squares += problem.distance_squared(c);
      residual += above * above;
      return;
    }
    const Rational excess = fraction(above, scale);
    const Rational reach = said.distance * said.distance * fraction(problem.distance_squared(c), unit);
    if (excess <= 0 || excess * excess <= reach) {
      claim.fail("margin at " + show(c) + ", which is not listed, less 1: its square", excess * excess, ">",
                 reach);
    }
  });
  return {fraction(squares, unit), fraction(residual, scale * scale)};
}

void require_root(const Claim& claim, const Rational& square, const Rational& root, const char* what) {
  claim.require_at_most(square, root * root, what);
}

// The equations have one solution within the radius (C0, C1 of T24).
void check_equations(const Claim& claim, const NuclearSolution& said, const ExactMatrix& dual) {
  const Margins margins = check_margins(claim, said);
  require_root(claim, margins.rows, said.rows, "the squares of the rows against rows^2");
  const Equations equations(claim, said, dual);
  require_root(claim, equations.residual_of_factors() + margins.residual, said.residual,
               "the squares of the equations against residual^2");
  std::vector<GramFactor> derivative;
  derivative.push_back(equations.derivative());
  const Rational moved = said.residual + 2 * said.rows * said.radius * said.radius;
  claim.require_at_most(moved * moved, said.radius * said.radius * said.smallest,
                        "the square of residual + 2 rows radius^2 against radius^2 lambda-min");
  claim.require(smallest_eigenvalue_at_least(derivative, said.smallest, said.bits),
                "the smallest eigenvalue of L L' is not proved to be at least " + show(said.smallest));
}

// M shortens what is orthogonal to the columns of the exact Q (C3).
void check_shortening(const Claim& claim, const NuclearSolution& said, const ExactMatrix& dual) {
  require_root(claim, said.inverse.norm_squared(), said.inverse_norm,
               "the squares of the inverse against inverse^2");
  const Rational turned = said.inverse_norm * said.radius, moved = said.rows * said.radius;
  if (turned >= 1) claim.fail("inverse times radius", turned, "<", 1);
  if (moved >= 1) claim.fail("rows times radius", moved, "<", 1);
  const Rational rest = 1 - said.slope * said.slope * (1 - turned) * (1 - turned);
  const Rational length = said.dual_bound * said.dual_bound * rest;
  const Rational room = (1 - moved) * (1 - moved);
  if (length >= room) claim.fail("length across the columns, squared", length, "<", room);
  const ExactMatrix both = stacked(dual, said.dual_bound * said.slope, said.inverse, said.primal.right);
  claim.require(spectral_norm_at_most(both, said.dual_bound, said.bits),
                "the norm of W(multipliers) and what is beside the matrices is not proved to be at most " +
                    show(said.dual_bound));
}

}  // namespace

void NuclearSolution::read(Reader& in) {
  norm.read(in);
  if (norm.kind != Norm::Kind::nuclear) in.bad("only of the nuclear norm");
  in("rank", rank, "distance", distance);
  const std::size_t d = in.features().left_dimension(), e = in.features().right_dimension();
  if (rank == 0 || rank > std::min(d, e)) in.bad("no such rank");
  primal.left = read_matrix(in, "left", d, rank);
  primal.right = read_matrix(in, "right", e, rank);
  inverse = read_matrix(in, "inverse", e, rank);
  multipliers = in.vector("multipliers");
  in.next("radius", radius, "factors", factors, "rows", rows, "residual", residual, "inverse", inverse_norm);
  std::size_t count = 0;
  in.next("lambda-min", smallest, "columns", columns, "dual-norm", dual_bound, "slope", slope);
  in("bits", count);
  if (count < 29 || count > 4096) in.bad("bits must be from 29 to 4096");
  bits = static_cast<unsigned>(count);
}

std::unique_ptr<Fact> NuclearSolution::check(const Claim& claim) const {
  for (const Rational* number :
       {&radius, &factors, &rows, &residual, &inverse_norm, &smallest, &columns, &dual_bound, &slope})
    claim.require(*number > 0, "a number is not positive");
  for (std::size_t c = 0; c < multipliers.size(); ++c) {
    const Rational value = fraction(multipliers.numerator[c], multipliers.denominator);
    if (value <= radius) claim.fail("multiplier at " + show(multipliers.at[c]), value, ">", radius);
  }
  require_root(claim, primal.left.norm_squared() + primal.right.norm_squared(), factors,
               "the squares of the factors against factors^2");
  claim.require_at_most(radius * (factors + radius), distance, "the distance proved against distance");
  if (columns <= radius * radius) claim.fail("columns", columns, ">", radius * radius);
  claim.require(
      smallest_eigenvalue_at_least({columns_of(primal)}, columns, bits),
      "the smallest eigenvalue of the columns' Gram matrix is not proved to be at least " + show(columns));
  const ExactMatrix dual = dual_matrix(SpanElement(claim.problem, multipliers));
  check_equations(claim, *this, dual);
  check_shortening(claim, *this, dual);
  return std::make_unique<Fact>();
}

void NuclearSolution::describe(const Claim&, Statement& say) const {
  say(norm, "rank", rank, "distance", distance, "size", multipliers.size(), "constraints", multipliers.at);
  say("primal", hash_words(primal.entries()));
}

}  // namespace attest_check
