// Integers in units of 2^-52: see step_growth_words.hpp.
#include "proofs/checker/runs/step_growth_words.hpp"

#include <algorithm>
#include <bit>

#include "proofs/checker/base/parallel.hpp"
#include "proofs/checker/runs/lanes.hpp"

namespace attest_check {
namespace {

constexpr std::size_t least_products = 1 << 17;  // of halves, a part: some 50 microseconds

// Sums of so many products of two numbers of at most this many bits are below 2^62.
int half_bits(std::size_t terms) {
  return (61 - static_cast<int>(std::bit_width(terms))) / 2;
}

// x = floor(x 2^-shift) for all of them, with the least shift that leaves each of them at most 2^bits in
// magnitude; returns it.
long shorten(std::vector<Word>& numbers, int bits) {
  Word most = 0;
  for (const Word x : numbers) most |= x < 0 ? ~x : x;
  const int shift = std::max(0, std::bit_width(static_cast<std::uint64_t>(most)) - bits);
  for (Word& x : numbers) x >>= shift;
  return shift;
}

// sum a_k b_k of numbers within half_bits(count), exactly.
Word half_dot(const Word* a, const Word* b, std::size_t count) {
  Lanes sums{};
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) add_products(sums, load(a + k), load(b + k));
  Word sum = sums[0] + sums[1] + sums[2] + sums[3];
  for (; k < count; ++k) sum += a[k] * b[k];
  return sum;
}

// The inner products of all pairs of `count` rows of numbers within half_bits(length), exactly.
std::vector<Word> gram_matrix(const std::vector<Word>& rows, std::size_t count, std::size_t length) {
  std::vector<Word> result(count * count);
  in_parts(count, 2 * least_products / (count * length + 1) + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        result[i * count + j] = result[j * count + i] =
            half_dot(rows.data() + i * length, rows.data() + j * length, length);
    }
  });
  return result;
}

Word fitting(WideWord x) {
  if (x > std::numeric_limits<Word>::max()) throw Imprecise{};
  return static_cast<Word>(x);
}

// An upper bound of the 2-norm of a symmetric matrix of words, in their units.
//
// Lemma G9 (largest eigenvalue). For a symmetric B of size N with words B^ within e units of it lmax(B) <=
// ||B^|| + N e. B^ = 2^p (H + D) with halves H, the entries of D in [0, 1): ||B^|| <= 2^p (||H|| + N). Of S =
// H H, exact, S = 2^q (G + D') likewise, ||H||^2 = ||S|| <= 2^q (||G|| + N), and ||G||^2 <= ||G G||_F: G G is
// exact, its entries are divided by 2^20 and rounded up in magnitude, the sum of their squares is exact.
// Roots are rounded up.
Word spectral_norm(std::vector<Word> matrix, std::size_t size) {
  constexpr int low_bits = 20;  // of an entry below 2^62, so that the squares of all can be added
  const Word slack = static_cast<Word>(size);
  const int bits = half_bits(size);
  const long first = shorten(matrix, bits);
  std::vector<Word> square = gram_matrix(matrix, size, size);
  const long second = shorten(square, bits);
  WideWord sum = 0;
  for (const Word x : gram_matrix(square, size, size)) {
    const Word above = ((x < 0 ? -x : x) >> low_bits) + 1;
    add_product(sum, above, above);
  }
  Word norm = word_root(static_cast<WideWord>(word_root(sum)) << low_bits);  // of G
  add_word(norm, slack);
  norm = word_root(static_cast<WideWord>(norm) << second);  // of H
  add_word(norm, slack);
  return fitting(static_cast<WideWord>(norm) << first);
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

Word largest_eigenvalue(const std::vector<Word>& matrix, std::size_t size, Word error) {
  Word bound = spectral_norm(matrix, size);
  add_word(bound, fitting(static_cast<WideWord>(size) * error));
  return bound;
}

std::vector<Word> relative_shares(const std::vector<Word>& values, Word total) {
  std::vector<Word> shares;
  for (const Word x : values)
    shares.push_back(static_cast<Word>((static_cast<WideWord>(x) << word_point) / total + 1));
  return shares;
}

// Lemma G10 (sums). For r_i >= sqrt s_i, the roots of the shares rounded up, sum s_i y_i y_i' <= U'U with the
// rows r_i y_i of U, and ||U'U|| = ||U||^2. Of the words y^_i a row u_i = r_i y^_i is rounded down to units
// of 2^-b: an entry is off by less than one of them for that, and by less than r_i error <= q + 1, where q is
// the error in these units rounded down. So ||U|| is at most the root of ||U^'U^||, exact but for Lemma G9,
// and (q + 2) sqrt(vectors dimension) units.
Word largest_scatter_eigenvalue(const std::vector<const Word*>& vectors, const std::vector<Word>& share,
                                std::size_t dimension, Word error) {
  const std::size_t count = vectors.size();
  const int bits = half_bits(count) - 1;  // b: entries of U are about 1 at most
  std::vector<Word> entries(dimension * count);
  for (std::size_t i = 0; i < count; ++i) {
    const WideWord root = word_root(static_cast<WideWord>(share[i]) << word_point);
    for (std::size_t a = 0; a < dimension; ++a) {
      const Word entry = word_down(root * vectors[i][a]) >> (word_point - bits);
      if (entry > Word{2} << bits || entry < -(Word{2} << bits)) throw Imprecise{};
      entries[a * count + i] = entry;
    }
  }
  Word norm = word_root(spectral_norm(gram_matrix(entries, dimension, count), dimension));
  add_word(norm,
           fitting(static_cast<WideWord>(root_up(dimension * count)) * ((error >> (word_point - bits)) + 2)));
  const WideWord square = static_cast<WideWord>(norm) * norm;  // in units of 2^-2b
  const long fine = 2 * bits - word_point;
  return fitting(fine >= 0 ? (square >> fine) + 1 : square << -fine);
}

}  // namespace attest_check
