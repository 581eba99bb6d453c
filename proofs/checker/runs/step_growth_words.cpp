// Integers in units of 2^-52: see step_growth_words.hpp.
#include "proofs/checker/runs/step_growth_words.hpp"

#include <algorithm>

#include "proofs/checker/base/parallel.hpp"

namespace attest_check {
namespace {

constexpr std::size_t least_products = 1 << 15;  // a part: some 50 microseconds

// The square of a symmetric matrix, every entry rounded down.
std::vector<Word> squared(const std::vector<Word>& matrix, std::size_t size) {
  std::vector<Word> result(size * size);
  in_parts(size, 2 * least_products / (size * size + 1) + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        result[i * size + j] = result[j * size + i] =
            word_down(word_dot(matrix.data() + i * size, matrix.data() + j * size, size));
      }
    }
  });
  return result;
}

}  // namespace

Word word_down(WideWord x) {
  const WideWord y = x >> word_point;
  if (y > word_limit || y < -word_limit) throw Imprecise{};
  return static_cast<Word>(y);
}

Word word(const Integer& x) {
  if (!x.fits_slong_p()) throw Imprecise{};
  return word_down(static_cast<WideWord>(x.get_si()) << word_point);
}

Word word_above(const Interval& x) {
  return word(x.ceil_at(word_point));
}

WideWord word_dot(const Word* a, const Word* b, std::size_t count) {
  WideWord sum = 0;
  for (std::size_t k = 0; k < count; ++k) add_product(sum, a[k], b[k]);
  return sum;
}

Integer word_integer(WideWord x) {
  __extension__ typedef unsigned __int128 Magnitude;
  const bool negative = x < 0;
  const Magnitude size = negative ? -static_cast<Magnitude>(x) : static_cast<Magnitude>(x);
  Integer value(static_cast<unsigned long>(size >> 64));
  value <<= 64;
  value += static_cast<unsigned long>(size & ~0UL);
  return negative ? Integer(-value) : value;
}

Word word_root(WideWord x) {
  const Integer value = word_integer(x);
  Integer root = sqrt(value);
  if (root * root != value) ++root;
  if (!root.fits_slong_p()) throw Imprecise{};
  return root.get_si();
}

// Lemma G9 (largest eigenvalue). For a symmetric B of size N whose words B^ are within e units put S = B^ B^
// and T = S S, rounded down entrywise (off by at most N units in norm, as the entries are off by one):
// lmax(B) <= ||B^|| + N e, ||B^||^2 <= ||S|| + N, ||S||^2 <= ||T||_F + N in units; T's Frobenius norm is the
// root of an exact sum.
Word largest_eigenvalue(const std::vector<Word>& matrix, std::size_t size, Word error) {
  const std::vector<Word> fourth = squared(squared(matrix, size), size);
  const Word slack = static_cast<Word>(size);
  const auto root_with_slack = [&](Word norm) {
    add_word(norm, slack);
    return word_root(static_cast<WideWord>(norm) << word_point);
  };
  const Word norm = word_root(word_dot(fourth.data(), fourth.data(), fourth.size()));
  const WideWord errors = static_cast<WideWord>(slack) * error;
  if (errors > word_limit) throw Imprecise{};
  Word bound = root_with_slack(root_with_slack(norm));
  add_word(bound, static_cast<Word>(errors));
  return bound;
}

std::vector<Word> relative_shares(const std::vector<Word>& values, Word total) {
  std::vector<Word> shares;
  for (const Word x : values)
    shares.push_back(static_cast<Word>((static_cast<WideWord>(x) << word_point) / total + 1));
  return shares;
}

// Lemma G10 (sums). sum s_i y_i y_i' has the largest eigenvalue of the vectors' weighted Gram matrix, and
// fewer entries where there are more vectors than dimensions. With y^ the words and r the shares, an entry is
// off by at most (2 error + 1) sum r_i <= 2 error + 2 units (the product of two errors is below a unit), by
// one for each rounded product r_i y^_ia, times |y^_ib| <= 1, and by one for the sum.
Word largest_scatter_eigenvalue(const std::vector<const Word*>& vectors, const std::vector<Word>& share,
                                std::size_t dimension, Word error) {
  std::vector<Word> matrix(dimension * dimension);
  in_parts(dimension, 2 * least_products / (dimension * vectors.size() + 1) + 1,
           [&](std::size_t begin, std::size_t end) {
             std::vector<WideWord> sum(dimension);
             for (std::size_t a = begin; a < end; ++a) {
               std::fill(sum.begin(), sum.end(), 0);
               for (std::size_t i = 0; i < vectors.size(); ++i) {
                 const Word part = product(share[i], vectors[i][a]);
                 if (part == 0) continue;
                 for (std::size_t b = 0; b <= a; ++b) add_product(sum[b], part, vectors[i][b]);
               }
               for (std::size_t b = 0; b <= a; ++b)
                 matrix[a * dimension + b] = matrix[b * dimension + a] = word_down(sum[b]);
             }
           });
  Word off = static_cast<Word>(vectors.size()) + 4;
  add_word(off, error);
  add_word(off, error);
  return largest_eigenvalue(matrix, dimension, off);
}

}  // namespace attest_check
