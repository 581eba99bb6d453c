#include "numerics/problem/integer_constraints.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "numerics/numbers/parallel.hpp"

namespace attest {
namespace {

// A number in two's complement, which is overwritten, divided by 2^shift and rounded towards zero.
Integer shifted(std::vector<mp_limb_t>& limbs, std::size_t shift) {
  const auto size = static_cast<mp_size_t>(limbs.size());
  const bool negative = (limbs.back() >> 63) != 0;
  if (negative) mpn_neg(limbs.data(), limbs.data(), size);
  Integer value;
  auto* raw = value.backend().data();
  std::copy_n(limbs.data(), limbs.size(), mpz_limbs_write(raw, size));
  mpz_limbs_finish(raw, size);
  mpz_tdiv_q_2exp(raw, raw, shift);
  if (negative) mpz_neg(raw, raw);
  return value;
}

// Fixed-width two's complement integers: `width` limbs each, arithmetic modulo 2^(64 width). Sums of products
// are exact as soon as the final value fits, whatever the intermediate carries do.
class WideVector {
 public:
  WideVector(std::size_t count, std::size_t width) : width_(width), limbs_(count * width, 0) {}

  mp_limb_t* at(std::size_t k) { return limbs_.data() + k * width_; }
  const mp_limb_t* at(std::size_t k) const { return limbs_.data() + k * width_; }
  void clear() { std::fill(limbs_.begin(), limbs_.end(), 0); }

  void set(std::size_t k, const Integer& value) {
    mp_limb_t* limb = at(k);
    std::fill(limb, limb + width_, 0);
    const auto* raw = value.backend().data();
    std::copy_n(mpz_limbs_read(raw), std::min(mpz_size(raw), width_), limb);
    if (mpz_sgn(raw) < 0) mpn_neg(limb, limb, static_cast<mp_size_t>(width_));
  }

  // A value of fewer limbs.
  void extend(std::size_t k, const mp_limb_t* value, std::size_t width) {
    std::copy_n(value, width, at(k));
    std::fill(at(k) + width, at(k) + width_, (value[width - 1] >> 63) != 0 ? ~mp_limb_t{0} : 0);
  }

  // Entry k minus `other`, divided by 2^shift (exact by the caller's contract).
  Integer difference(std::size_t k, const mp_limb_t* other, std::size_t shift,
                     std::vector<mp_limb_t>& scratch) const {
    scratch.resize(width_);
    mpn_sub_n(scratch.data(), at(k), other, static_cast<mp_size_t>(width_));
    return shifted(scratch, shift);
  }

  std::size_t width() const { return width_; }

 private:
  std::size_t width_;
  std::vector<mp_limb_t> limbs_;
};

// sum += factor * (entry (row, column) of matrix), all modulo 2^(64 width).
inline void multiply_add(mp_limb_t* sum, const mp_limb_t* factor, std::size_t width,
                         const IntegerMatrix& matrix, std::size_t row, std::size_t column) {
  const bool negative = matrix.negative(row, column);
  for (std::size_t plane = matrix.planes(); plane-- > 0;) {
    const mp_limb_t magnitude = matrix.magnitude(row, column, plane);
    if (magnitude == 0 || plane >= width) continue;
    const auto length = static_cast<mp_size_t>(width - plane);
    if (negative) {
      mpn_submul_1(sum + plane, factor, length, magnitude);
    } else {
      mpn_addmul_1(sum + plane, factor, length, magnitude);
    }
  }
}

// A row of a matrix taken apart once: the planes of its entries that are not zero.
class RowTerms {
 public:
  void set(const IntegerMatrix& matrix, std::size_t row) {
    terms_.clear();
    for (std::size_t column = 0; column < matrix.columns(); ++column) {
      for (std::size_t plane = matrix.planes(); plane-- > 0;) {
        if (const mp_limb_t magnitude = matrix.magnitude(row, column, plane); magnitude != 0)
          terms_.push_back({column, plane, magnitude, matrix.negative(row, column)});
      }
    }
  }

  // sums[column] += factor * (the row's entry at this column), each of `width` limbs, modulo 2^(64 width).
  void add_multiples(mp_limb_t* sums, const mp_limb_t* factor, std::size_t width) const {
    for (const Term& term : terms_) add(sums + term.column * width, factor, width, term);
  }
  // sum += sum over the columns of factors[column] * (the row's entry).
  void add_inner_product(mp_limb_t* sum, const mp_limb_t* factors, std::size_t width) const {
    for (const Term& term : terms_) add(sum, factors + term.column * width, width, term);
  }

 private:
  struct Term {
    std::size_t column, plane;
    mp_limb_t magnitude;
    bool negative;
  };

  static void add(mp_limb_t* sum, const mp_limb_t* factor, std::size_t width, const Term& term) {
    if (term.plane >= width) return;
    const auto length = static_cast<mp_size_t>(width - term.plane);
    if (term.negative) {
      mpn_submul_1(sum + term.plane, factor, length, term.magnitude);
    } else {
      mpn_addmul_1(sum + term.plane, factor, length, term.magnitude);
    }
  }

  std::vector<Term> terms_;
};

bool same_winner(const MarginRow& a, const MarginRow& b) {
  return a.group == b.group && a.winner == b.winner;
}

std::size_t log2_ceiling(std::size_t value) {
  return static_cast<std::size_t>(std::bit_width(value));
}

// One call of products(). Everything is exact, so that it does not matter how the work is divided. The
// combination W, its products with queries and those with tokens have as many limbs each as they need.
class Products {
 public:
  Products(const TokenData& data, const std::vector<MarginRow>& rows, const IntegerMatrix& tokens,
           const IntegerMatrix& queries, std::span<const std::size_t> at, std::span<const Integer> values,
           const Budget& budget)
      : data_(data),
        rows_(rows),
        tokens_(tokens),
        queries_(queries),
        at_(at),
        values_(values),
        budget_(budget),
        d_(data.left_dimension),
        e_(data.right_dimension) {
    std::size_t bits = 1;
    for (const Integer& value : values) bits = std::max(bits, mpz_sizeinbase(value.backend().data(), 2));
    // (sum of |values|) * 2 |x| * |z|, then * e |z|, then * d |x| * 2, and signs.
    bits += log2_ceiling(values.size()) + tokens_.padded_bits() + queries_.padded_bits() + 2;
    matrix_limbs_ = limbs(bits);
    bits += queries_.padded_bits() + log2_ceiling(e_);
    logit_limbs_ = limbs(bits);
    margin_limbs_ = limbs(bits + tokens_.padded_bits() + log2_ceiling(d_) + 2);
    const std::size_t limbs = d_ * e_ * (matrix_limbs_ + logit_limbs_) + 2 * d_ * margin_limbs_;
    budget.reserve(8 * static_cast<double>(limbs), "exact margins");
  }

  std::vector<Integer> run() {
    const std::size_t pieces = this->pieces();
    WideVector matrix(d_ * e_, logit_limbs_);
    parallel_for(pieces, [&](std::size_t k) { combine(k * d_ / pieces, (k + 1) * d_ / pieces, matrix); });
    std::vector<std::size_t> ends{0};  // of pieces, at ends of groups
    for (std::size_t k = 1; k <= pieces; ++k) {
      std::size_t end = std::max(ends.back(), k * rows_.size() / pieces);
      while (end > 0 && end < rows_.size() && rows_[end].group == rows_[end - 1].group) ++end;
      ends.push_back(end);
    }
    std::vector<Integer> result(rows_.size());
    parallel_for(pieces, [&](std::size_t k) { multiply(matrix, ends[k], ends[k + 1], result); });
    return result;
  }

 private:
  static std::size_t limbs(std::size_t bits) { return (bits + 63) / 64; }

  // What costs less than waking threads is not shared.
  std::size_t pieces() const {
    constexpr std::size_t kWorthThreads = std::size_t{1} << 19;
    const std::size_t products = margin_limbs_ * (2 * data_.groups() * e_ + rows_.size() + at_.size()) * d_;
    return products < kWorthThreads ? 1 : std::min(available_threads(), d_);
  }

  void poll() const {
    if (!on_helper_thread()) budget_.poll();
  }

  // Rows [begin, end) of the combination.
  void combine(std::size_t begin, std::size_t end, WideVector& matrix) const {
    WideVector sum((end - begin) * e_, matrix_limbs_);
    WideVector row(end - begin, matrix_limbs_);
    WideVector coefficient(1, matrix_limbs_);
    RowTerms query;
    const auto add_token = [&](const Integer& factor, std::size_t token) {
      coefficient.set(0, factor);
      for (std::size_t j = begin; j < end; ++j)
        multiply_add(row.at(j - begin), coefficient.at(0), matrix_limbs_, tokens_, token, j);
    };
    // Stretches of rows with one winner: its token enters once, with their sum.
    for (std::size_t k = 0; k < at_.size();) {
      poll();
      const MarginRow& first = rows_[at_[k]];
      row.clear();
      Integer total = 0;
      for (; k < at_.size() && same_winner(rows_[at_[k]], first); ++k) {
        total += values_[k];
        add_token(-values_[k], data_.row(first.group, rows_[at_[k]].loser));
      }
      add_token(total, data_.row(first.group, first.winner));
      query.set(queries_, first.group);
      for (std::size_t j = 0; j < end - begin; ++j)
        query.add_multiples(sum.at(j * e_), row.at(j), matrix_limbs_);
    }
    for (std::size_t k = 0; k < (end - begin) * e_; ++k)
      matrix.extend(begin * e_ + k, sum.at(k), matrix_limbs_);
  }

  // The products of constraints [begin, end), whole groups.
  void multiply(const WideVector& matrix, std::size_t begin, std::size_t end,
                std::vector<Integer>& result) const {
    const std::size_t shift = 2 * (tokens_.padding() + queries_.padding());
    WideVector logit(1, logit_limbs_);
    WideVector logits(d_, margin_limbs_);  // W z
    WideVector margin(2, margin_limbs_);
    RowTerms query;
    std::vector<mp_limb_t> scratch;
    const auto token_product = [&](mp_limb_t* sum, std::size_t token) {
      std::fill(sum, sum + margin_limbs_, 0);
      for (std::size_t j = 0; j < d_; ++j) multiply_add(sum, logits.at(j), margin_limbs_, tokens_, token, j);
    };
    for (std::size_t c = begin; c < end;) {
      poll();
      const MarginRow& first = rows_[c];
      if (c == begin || rows_[c - 1].group != first.group) {
        query.set(queries_, first.group);
        for (std::size_t j = 0; j < d_; ++j) {
          logit.clear();
          query.add_inner_product(logit.at(0), matrix.at(j * e_), logit_limbs_);
          logits.extend(j, logit.at(0), logit_limbs_);
        }
      }
      token_product(margin.at(0), data_.row(first.group, first.winner));
      for (; c < end && same_winner(rows_[c], first); ++c) {
        token_product(margin.at(1), data_.row(first.group, rows_[c].loser));
        result[c] = margin.difference(0, margin.at(1), shift, scratch);
      }
    }
  }

  const TokenData& data_;
  const std::vector<MarginRow>& rows_;
  const IntegerMatrix& tokens_;
  const IntegerMatrix& queries_;
  const std::span<const std::size_t> at_;
  const std::span<const Integer> values_;
  const Budget& budget_;
  const std::size_t d_, e_;
  std::size_t matrix_limbs_ = 1, logit_limbs_ = 1, margin_limbs_ = 1;
};

}  // namespace

IntegerConstraints::IntegerConstraints(const TokenData& data, std::vector<MarginRow> rows)
    : data_(&data),
      rows_(std::move(rows)),
      tokens_(data.token_factor, data.left_dimension),
      queries_(data.query_factor, data.right_dimension) {
  const Rational scale = tokens_.scale() * queries_.scale();
  gram_scale_ = scale * scale;
}

std::size_t IntegerConstraints::gram_bits() const {
  const std::size_t token_bits = tokens_.padded_bits() - tokens_.padding() + 1;
  const std::size_t query_bits = queries_.padded_bits() - queries_.padding();
  return 2 * (token_bits + query_bits) + log2_ceiling(data_->left_dimension) +
         log2_ceiling(data_->right_dimension);
}

IntegerConstraints::Row IntegerConstraints::token_difference(std::size_t c) const {
  const std::size_t plus = data_->row(rows_[c].group, rows_[c].winner);
  const std::size_t minus = data_->row(rows_[c].group, rows_[c].loser);
  const std::size_t width = tokens_.planes() + 1;
  const std::size_t columns = data_->left_dimension;
  Row row;
  row.limbs.assign(columns * width, 0);
  row.negative.assign(columns, 0);
  std::vector<mp_limb_t> other(width);
  const auto load = [&](std::size_t r, std::size_t j, mp_limb_t* into) {
    for (std::size_t k = 0; k + 1 < width; ++k) into[k] = tokens_.magnitude(r, j, k);
    into[width - 1] = 0;
    if (tokens_.negative(r, j)) mpn_neg(into, into, static_cast<mp_size_t>(width));
  };
  for (std::size_t j = 0; j < columns; ++j) {
    mp_limb_t* limb = row.limbs.data() + j * width;
    load(plus, j, limb);
    load(minus, j, other.data());
    mpn_sub_n(limb, limb, other.data(), static_cast<mp_size_t>(width));
    if ((limb[width - 1] >> 63) != 0) {
      row.negative[j] = 1;
      mpn_neg(limb, limb, static_cast<mp_size_t>(width));
    }
  }
  return row;
}

Integer IntegerConstraints::token_product(const Row& a, const Row& b) const {
  const std::size_t width = tokens_.planes() + 1;
  const std::size_t columns = data_->left_dimension;
  std::vector<mp_limb_t> sum(2 * width + 1, 0);
  for (std::size_t j = 0; j < columns; ++j) {
    const mp_limb_t* left = a.limbs.data() + j * width;
    const mp_limb_t* right = b.limbs.data() + j * width;
    const bool negative = a.negative[j] != b.negative[j];
    for (std::size_t k = 0; k < width; ++k) {
      if (right[k] == 0) continue;
      mp_limb_t* into = sum.data() + k;
      const auto rest = static_cast<mp_size_t>(sum.size() - k - width);
      if (negative) {
        const mp_limb_t borrow = mpn_submul_1(into, left, static_cast<mp_size_t>(width), right[k]);
        mpn_sub_1(into + width, into + width, rest, borrow);
      } else {
        const mp_limb_t carry = mpn_addmul_1(into, left, static_cast<mp_size_t>(width), right[k]);
        mpn_add_1(into + width, into + width, rest, carry);
      }
    }
  }
  return shifted(sum, 2 * tokens_.padding());
}

Integer IntegerConstraints::query_product(std::size_t group, std::size_t other) const {
  const std::size_t width = queries_.planes();
  std::vector<mp_limb_t> sum(2 * width + 1, 0);
  std::vector<mp_limb_t> factor(sum.size());
  for (std::size_t j = 0; j < data_->right_dimension; ++j) {
    std::fill(factor.begin(), factor.end(), 0);
    for (std::size_t k = 0; k < width; ++k) factor[k] = queries_.magnitude(group, j, k);
    if (queries_.negative(group, j))
      mpn_neg(factor.data(), factor.data(), static_cast<mp_size_t>(factor.size()));
    multiply_add(sum.data(), factor.data(), sum.size(), queries_, other, j);
  }
  return shifted(sum, 2 * queries_.padding());
}

Integer IntegerConstraints::gram(std::size_t c, std::size_t other) const {
  return token_product(token_difference(c), token_difference(other)) *
         query_product(rows_[c].group, rows_[other].group);
}

std::vector<Integer> IntegerConstraints::gram_matrix(std::span<const std::size_t> at,
                                                     const Budget& budget) const {
  const std::size_t k = at.size();
  budget.reserve(
      static_cast<double>(k) * static_cast<double>(k) * (24 + static_cast<double>(gram_bits()) / 8),
      "exact Gram matrix");
  std::vector<Row> rows;
  rows.reserve(k);
  for (const std::size_t c : at) rows.push_back(token_difference(c));
  std::map<std::pair<std::size_t, std::size_t>, Integer> query_gram;
  std::vector<Integer> matrix(k * k);
  for (std::size_t a = 0; a < k; ++a) {
    budget.poll();
    for (std::size_t b = 0; b <= a; ++b) {
      const std::size_t low = std::min(rows_[at[a]].group, rows_[at[b]].group);
      const std::size_t high = std::max(rows_[at[a]].group, rows_[at[b]].group);
      auto [position, is_new] = query_gram.try_emplace({low, high});
      if (is_new) position->second = query_product(low, high);
      matrix[a * k + b] = token_product(rows[a], rows[b]) * position->second;
      matrix[b * k + a] = matrix[a * k + b];
    }
  }
  return matrix;
}

std::vector<Integer> IntegerConstraints::products(std::span<const std::size_t> at,
                                                  std::span<const Integer> values,
                                                  const Budget& budget) const {
  return Products(*data_, rows_, tokens_, queries_, at, values, budget).run();
}

}  // namespace attest
