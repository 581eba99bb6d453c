#include "numerics/joint/multiplier_choices.hpp"

#include <flint/fmpq_mat.h>
#include <flint/fmpz_mat.h>
#include <flint/fmpz_vec.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "numerics/numbers/decompositions.hpp"

namespace attest {
namespace {

constexpr std::size_t most_entries = 20000;
constexpr Eigen::Index most_favoured = 16;

// Vectors z, by supporting sequence, that span those with sum_i z_i kappa_i = 0; largest entry about 1.
std::vector<std::vector<Rational>> dependencies(const JointData& joint, const Selection& selection,
                                                const std::vector<std::size_t>& supporting) {
  const std::size_t dimension = joint.decoder_dimension;
  const auto rows = static_cast<slong>(dimension), columns = static_cast<slong>(supporting.size());
  fmpq_mat_t values;
  fmpz_mat_t cleared, kernel;
  fmpq_mat_init(values, rows, columns);
  fmpz_mat_init(cleared, rows, columns);
  fmpz_mat_init(kernel, columns, columns);
  for (slong k = 0; k < columns; ++k) {
    const std::size_t i = supporting[static_cast<std::size_t>(k)];
    for (slong j = 0; j < rows; ++j)
      fmpq_set_mpq(fmpq_mat_entry(values, j, k),
                   joint.values[joint.data.row(i, selection[i]) * dimension + static_cast<std::size_t>(j)]
                       .backend()
                       .data());
  }
  fmpz* const denominators = _fmpz_vec_init(rows);
  fmpq_mat_get_fmpz_mat_rowwise(cleared, denominators, values);
  _fmpz_vec_clear(denominators, rows);
  const slong count = fmpz_mat_nullspace(kernel, cleared);
  std::vector<std::vector<Rational>> found;
  const auto integer = [&](slong row, slong column) {
    Integer value;
    fmpz_get_mpz(value.backend().data(), fmpz_mat_entry(kernel, row, column));
    return value;
  };
  for (slong c = 0; c < count; ++c) {
    std::vector<Rational>& one = found.emplace_back();
    slong largest = 0;
    for (slong k = 1; k < columns; ++k) {
      if (fmpz_cmpabs(fmpz_mat_entry(kernel, k, c), fmpz_mat_entry(kernel, largest, c)) > 0) largest = k;
    }
    const Integer most = integer(largest, c);
    for (slong k = 0; k < columns; ++k) one.push_back(Rational(integer(k, c)) / Rational(most));
  }
  fmpq_mat_clear(values);
  fmpz_mat_clear(cleared);
  fmpz_mat_clear(kernel);
  return found;
}

// All multiplier vectors are the decoder's own and combinations of the dependencies beside it.
class Choices {
 public:
  Choices(const Direction& decoder, const std::vector<std::size_t>& supporting,
          std::vector<std::vector<Rational>> kernel)
      : decoder_(decoder),
        supporting_(supporting),
        kernel_(std::move(kernel)),
        near_(static_cast<Eigen::Index>(supporting.size()), static_cast<Eigen::Index>(kernel_.size())),
        own_(near_.rows()) {
    for (Eigen::Index k = 0; k < near_.rows(); ++k) {
      own_[k] = decoder.multipliers[supporting[static_cast<std::size_t>(k)]].approx_mid();
      for (Eigen::Index c = 0; c < near_.cols(); ++c)
        near_(k, c) = static_cast<double>(kernel_[static_cast<std::size_t>(c)][static_cast<std::size_t>(k)]);
    }
  }

  Eigen::Index size() const { return near_.rows(); }

  // From the decoder's own as near to `goal` as they stay positive, less a share; nothing where that is not
  // certain.
  std::optional<MultiplierChoice> towards(const Eigen::VectorXd& goal, double share) const {
    Eigen::VectorXd amounts = near_.colPivHouseholderQr().solve(Eigen::VectorXd(goal - own_));
    const Eigen::VectorXd change = near_ * amounts;
    double most = 1;
    for (Eigen::Index k = 0; k < size(); ++k) {
      if (change[k] < 0) most = std::min(most, share * std::max(own_[k], 0.0) / -change[k]);
    }
    MultiplierChoice result{decoder_.multipliers, std::vector<Rational>(decoder_.multipliers.size())};
    for (std::size_t k = 0; k < supporting_.size(); ++k) {
      Rational& change_here = result.change[supporting_[k]];
      for (std::size_t c = 0; c < kernel_.size(); ++c)
        change_here += Rational(most * amounts[static_cast<Eigen::Index>(c)]) * kernel_[c][k];
      if (change_here == 0) continue;
      Ball& value = result.values[supporting_[k]];
      value = add(value, Ball(change_here, direction_bits), direction_bits);
      // Below 0 it is no multiplier vector.
      if (!certainly_positive(value)) return std::nullopt;
    }
    return result;
  }

 private:
  const Direction& decoder_;
  const std::vector<std::size_t>& supporting_;
  const std::vector<std::vector<Rational>> kernel_;
  Eigen::MatrixXd near_;
  Eigen::VectorXd own_;
};

}  // namespace

std::vector<MultiplierChoice> multiplier_choices(const JointData& joint, const Selection& selection,
                                                 const Direction& decoder,
                                                 const std::vector<std::size_t>& supporting) {
  std::vector<MultiplierChoice> choices{{decoder.multipliers, {}}};
  if (supporting.size() * (supporting.size() + joint.decoder_dimension) > most_entries) return choices;
  std::vector<std::vector<Rational>> kernel = dependencies(joint, selection, supporting);
  if (kernel.empty()) return choices;
  const Choices all(decoder, supporting, std::move(kernel));
  const double equal = 1.0 / static_cast<double>(all.size());
  if (auto interior = all.towards(Eigen::VectorXd::Constant(all.size(), equal), 0.5))
    choices.insert(choices.begin(), *std::move(interior));
  for (Eigen::Index k = 0; k < std::min(all.size(), most_favoured); ++k) {
    if (auto one = all.towards(Eigen::VectorXd::Unit(all.size(), k), 0.999))
      choices.push_back(*std::move(one));
  }
  return choices;
}

}  // namespace attest
