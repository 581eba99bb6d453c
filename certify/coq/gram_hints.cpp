// Hints for the verified eigenvalue bound: see gram_hints.hpp. Names and formulas are those of
// proofs/coq/theories/checks/GramBound.v.
#include "certify/coq/gram_hints.hpp"

#include <algorithm>

#include "proofs/checker/instance/sentences.hpp"

namespace attest {
namespace {

using attest_check::bit_length;
using attest_check::Constraint;
using attest_check::divide_ceil;
using attest_check::Features;
using attest_check::Integer;
using attest_check::Problem;
using attest_check::Rational;
using attest_check::SpanElement;

using Row = std::vector<Integer>;

// The squares of such a row of machine words add up to at most 2^61, which is what Words.v asks.
constexpr std::size_t word_bits = 24, longest_word_row = 8192;

// As in Coq: rounded down, and 0 for a divisor of 0.
Integer quotient(const Integer& a, const Integer& b) {
  Integer q;
  if (b != 0) mpz_fdiv_q(q.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  return q;
}

// As in Coq: rounded down, and 0 for negative numbers.
Integer root(const Integer& a) {
  return a <= 0 ? Integer(0) : Integer(sqrt(a));
}

Integer dot(const Row& a, const Row& b, std::size_t count) {
  Integer sum;
  for (std::size_t k = 0; k < count; ++k) mpz_addmul(sum.get_mpz_t(), a[k].get_mpz_t(), b[k].get_mpz_t());
  return sum;
}

Integer dot(const Row& a, const Row& b) {
  return dot(a, b, a.size());
}

Integer shifted_down(const Integer& a, std::size_t bits) {
  Integer q;
  mpz_fdiv_q_2exp(q.get_mpz_t(), a.get_mpz_t(), bits);
  return q;
}

// How many bits to drop so that about `bits` bits of the largest entry are left.
std::size_t surplus(const std::vector<Row>& rows, std::size_t bits) {
  std::size_t largest = 0;
  for (const Row& row : rows) {
    for (const Integer& x : row) largest = std::max(largest, bit_length(x));
  }
  return largest > bits ? largest - bits : 0;
}

std::vector<Row> shortened(const std::vector<Row>& rows, std::size_t bits) {
  std::vector<Row> result = rows;
  for (Row& row : result) {
    for (Integer& x : row) x = shifted_down(x, bits);
  }
  return result;
}

// A bound of the residuals G - h (s I + L L') of the factorisation that solve_row computes, over h =
// 2^entry_bits; nothing when an entry below the diagonal does not fit a word of Words.v although it should.
std::optional<Integer> largest_residual(const std::vector<Row>& gram, const GramHints& hints) {
  Integer largest;
  std::vector<Row> factor;
  const Integer most = attest_check::power_of_two(word_bits);
  const auto add = [&](const Integer& residual) {  // of the entry rounded down
    largest = std::max({largest, Integer(-residual), Integer(residual + 1)});
  };
  for (const Row& line : gram) {
    Row row;
    for (std::size_t e = 0; e + 1 < line.size(); ++e) {
      const Integer acc = dot(row, factor[e], e);
      const Integer rounded = shifted_down(line[e], hints.entry_bits);
      const Integer l = quotient(rounded - acc, factor[e][e]);
      if (hints.in_words && abs(l) > most) return std::nullopt;
      add(rounded - acc - l * factor[e][e]);
      row.push_back(l);
    }
    const Integer acc = dot(row, row);
    const Integer rounded = shifted_down(line.back(), hints.entry_bits);
    const Integer l = root(rounded - hints.shift - acc);
    add(rounded - hints.shift - acc - l * l);
    row.push_back(l);
    factor.push_back(std::move(row));
  }
  return largest;
}

struct ActiveRows {
  std::vector<Row> differences, queries;
  Integer units;
};

// What the numerators of token rows and of query rows are multiplied by in Coq: by the refinement, and in
// self-attention, where queries are token rows there, so as to have the tokens' denominator; in next-token
// problems likewise, that of all embeddings.
struct Scales {
  Integer token, query;
};

Scales scales(const Problem& problem, std::size_t refinement) {
  const Features& features = *problem.features;
  const Integer token = attest_check::power_of_two(refinement);
  const attest_check::Instance& instance = features.instance();
  if (instance.setting == attest_check::Setting::next_token) {
    const attest_check::Sentences& sentences = *instance.sentences;
    if (sentences.embeddings.size() == 0) return {token, token};
    const attest_check::ScaledMatrix embeddings(sentences.embeddings, sentences.dimension);
    return {token, token * (embeddings.denominator() / features.queries().denominator())};
  }
  const bool same_rows = instance.setting == attest_check::Setting::self_attention && !problem.decoder;
  if (!same_rows) return {token, 1};
  return {token, token * (features.tokens().denominator() / features.queries().denominator())};
}

// Differences and queries, refined; `units` is the product of their denominators.
ActiveRows active_rows(const Problem& problem, const std::vector<Constraint>& listed,
                       std::size_t refinement) {
  const Features& features = *problem.features;
  const auto& [token_scale, query_scale] = scales(problem, refinement);
  ActiveRows rows;
  rows.units = features.tokens().denominator() * token_scale * features.queries().denominator() * query_scale;
  for (const Constraint& c : listed) {
    rows.differences.push_back(problem.difference(c));
    for (Integer& x : rows.differences.back()) x *= token_scale;
    Row& query = rows.queries.emplace_back();
    for (std::size_t k = 0; k < features.right_dimension(); ++k) {
      query.push_back(features.queries().entry(c.group, k) * query_scale);
    }
  }
  return rows;
}

// Hints with short rows of about `bits` bits, in machine words if they may be.
std::optional<GramHints> hints_with(const ActiveRows& rows, const Rational& bound, std::size_t bits) {
  GramHints hints;
  hints.in_words = bits <= word_bits;
  hints.token_bits = surplus(rows.differences, bits);
  hints.query_bits = surplus(rows.queries, bits);
  const std::vector<Row> u = shortened(rows.differences, hints.token_bits),
                         v = shortened(rows.queries, hints.query_bits);
  if (hints.in_words && std::max({u.size(), u.front().size(), v.front().size()}) > longest_word_row)
    return std::nullopt;
  const Integer step = attest_check::power_of_two(hints.token_bits + hints.query_bits);
  std::vector<Row> gram;
  Integer largest;
  for (std::size_t c = 0; c < u.size(); ++c) {
    const Row &x = rows.differences[c], &z = rows.queries[c];
    const Integer distance = dot(x, x) * dot(z, z) - 2 * step * dot(x, u[c]) * dot(z, v[c]) +
                             step * step * dot(u[c], u[c]) * dot(v[c], v[c]);
    hints.distance_bound = std::max(hints.distance_bound, distance);
    Row& line = gram.emplace_back();
    for (std::size_t e = 0; e <= c; ++e) line.push_back(dot(u[c], u[e]) * dot(v[c], v[e]));
    largest = std::max(largest, line.back());
  }
  hints.entry_bits = bit_length(largest) > 2 * bits ? bit_length(largest) - 2 * bits : 0;
  const Integer h = attest_check::power_of_two(hints.entry_bits);
  const Integer n = static_cast<unsigned long>(u.size());
  // 65 a units^2 + 4160 n e2 b <= 64 step^2 h (s - n rmax) b, solved for s; bound = a / b.
  const Integer left =
      65 * bound.get_num() * rows.units * rows.units + 4160 * n * hints.distance_bound * bound.get_den();
  const Integer needed = divide_ceil(left, 64 * step * step * bound.get_den());
  // Residuals are about a pivot; a guess that proves too small is replaced by what was found.
  Integer guess = 2 * root(shifted_down(largest, hints.entry_bits)) + 1;
  for (int attempt = 0; attempt < 4; ++attempt) {
    hints.shift = divide_ceil(needed, h) + n * guess;
    const auto residual = largest_residual(gram, hints);
    if (!residual) return std::nullopt;
    hints.residual_bound = *residual;
    if (hints.residual_bound <= guess) return hints;
    guess = 2 * hints.residual_bound;
    if (h * hints.shift > largest) return std::nullopt;  // beyond every diagonal entry: no factor exists
  }
  return std::nullopt;
}

std::optional<GramHints> find_hints(const ActiveRows& rows, const Rational& bound) {
  for (const std::size_t bits :
       {word_bits, std::size_t{48}, std::size_t{96}, std::size_t{192}, std::size_t{768}}) {
    if (auto hints = hints_with(rows, bound, bits)) return hints;
  }
  return std::nullopt;
}

}  // namespace

std::optional<GramHints> find_gram_hints(const Problem& problem, const std::vector<Constraint>& listed,
                                         const Rational& bound, std::size_t refinement) {
  return find_hints(active_rows(problem, listed, refinement), bound);
}

std::optional<GramHints> find_column_hints(const SpanElement& w, const std::vector<std::size_t>& columns,
                                           const Rational& bound, std::size_t refinement) {
  const auto& [token_scale, query_scale] = scales(w.problem(), refinement);
  const Integer scale = token_scale * query_scale;
  ActiveRows rows;
  rows.units = w.column_denominator() * scale;
  for (const std::size_t column : columns) {
    rows.differences.push_back(w.column(column));
    for (Integer& x : rows.differences.back()) x *= -scale;  // 0 - the column
    rows.queries.push_back({1});
  }
  return find_hints(rows, bound);
}

std::size_t gram_refinement(const Features& features, std::size_t wanted) {
  std::size_t largest = 0;
  for (std::size_t row = 0; row < features.tokens().rows(); ++row) {
    for (std::size_t k = 0; k < features.left_dimension(); ++k) {
      largest = std::max(largest, bit_length(features.tokens().entry(row, k)));
    }
  }
  return largest < wanted ? wanted - largest : 0;
}

}  // namespace attest
