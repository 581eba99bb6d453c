// Writing certificates from exact answers.
#include "tests/oracle/producer.hpp"

#include <nettle/sha2.h>

#include <algorithm>
#include <array>

#include "tests/oracle/linear_algebra.hpp"
#include "tests/oracle/margin.hpp"
#include "tests/oracle/smoothness.hpp"

namespace reference {

namespace {

const std::string prime_text = "2147483629";  // 2^31 - 19
constexpr unsigned long fraction_bits = 80;

Number dyadic(const mpz_class& numerator, unsigned long bits) {
  Number value(numerator);
  mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), bits);
  return value;
}

// Multiples of 2^-bits next to `value`.
Number rounded_down(const Number& value, unsigned long bits) {
  const mpz_class shifted = value.get_num() << bits;
  mpz_class quotient;
  mpz_fdiv_q(quotient.get_mpz_t(), shifted.get_mpz_t(), value.get_den_mpz_t());
  return dyadic(quotient, bits);
}

Number rounded_up(const Number& value, unsigned long bits) {
  return -rounded_down(-value, bits);
}

// A multiple of 2^-bits that is at least the square root.
Number root_above(const Number& value, unsigned long bits) {
  const mpz_class scaled = rounded_up(value, 2 * bits).get_num() << (2 * bits);
  const mpz_class whole = scaled / rounded_up(value, 2 * bits).get_den();
  return dyadic(sqrt(whole) + 1, bits);
}

Matrix gram_of(const std::vector<Row>& rows) {
  Matrix G(rows.size(), Row(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j) G[i][j] = dot(rows[i], rows[j]);
  return G;
}

// A power of two, or zero when the matrix is singular, with twice as much still below the least eigenvalue.
Number eigenvalue_bound(const Matrix& G) {
  if (rank(G) < G.size()) return 0;
  Number bound = 1024;
  for (;;) {
    Matrix shifted = G;
    for (std::size_t k = 0; k < G.size(); ++k) shifted[k][k] -= 2 * bound;
    if (positive_semidefinite(shifted)) return bound;
    bound /= 2;
  }
}

class Writer {
 public:
  Writer(const Dataset& data, const Choice& choice, const std::string& loss)
      : data_(data), answer_(solve_margin(data, choice)), loss_(loss) {
    line("attest-certificate 1");
    line("producer reference 1");
    line("instance sha256 " + instance_hash(data));
    line("problem 1");
    line("setting " + setting_words(data));
    line("norm euclidean");
    line("loss " + loss);
    std::string selection = "selection " + std::to_string(choice.size());
    for (const std::size_t token : choice) selection.append(" ").append(std::to_string(token));
    line(selection);
  }

  std::string write(Evidence evidence) {
    const bool strict = answer_.feasible && strictly_complementary(answer_);
    if (!answer_.feasible) {
      claim("infeasible problem 1");
      vector("farkas", answer_.farkas);
      claim("not-locally-optimal problem 1 from 1");
    } else if (evidence == Evidence::gap && !answer_.constraints.empty()) {
      gap();
    } else if (evidence == Evidence::lambda_min && strict && independent_support()) {
      lambda_min();
    } else {
      exact(strict);
    }
    scores();
    line("end problems 1 claims " + std::to_string(claims_) + " lines " + std::to_string(lines_ + 1));
    return text_;
  }

 private:
  void line(const std::string& words) {
    text_.append(words).append("\n");
    ++lines_;
  }

  std::size_t claim(const std::string& words) {
    line("claim " + std::to_string(++claims_) + " " + words);
    return claims_;
  }

  std::string pair(std::size_t c) const {
    return std::to_string(answer_.constraints[c].first) + " " + std::to_string(answer_.constraints[c].second);
  }

  void vector(const std::string& name, const Row& values) {
    mpz_class denominator = 1;
    std::size_t count = 0;
    for (const Number& value : values) {
      denominator = lcm(denominator, value.get_den());
      count += value != 0;
    }
    const bool power = mpz_popcount(denominator.get_mpz_t()) == 1;
    line("vector " + name + " " + std::to_string(count) + " over " +
         (power ? "2^" + std::to_string(mpz_sizeinbase(denominator.get_mpz_t(), 2) - 1)
                : denominator.get_str()));
    for (std::size_t c = 0; c < values.size(); ++c)
      if (values[c] != 0) line(pair(c) + " " + mpz_class(values[c] * denominator).get_str());
  }

  bool independent_support() const {
    std::vector<Row> rows;
    for (const std::size_t c : answer_.support) rows.push_back(answer_.differences[c]);
    return !rows.empty() && rank(gram_of(rows)) == rows.size();
  }

  void support(std::size_t solution) {
    claim("support problem 1 from " + std::to_string(solution) + " size " +
          std::to_string(answer_.support.size()));
    for (const std::size_t c : answer_.support) line(pair(c));
  }

  void exact(bool strict) {
    claim("feasible problem 1");
    vector("separator", answer_.multipliers);
    const std::size_t solution = claim("optimal problem 1 norm-squared " + number_text(answer_.norm_squared));
    vector("multipliers", answer_.multipliers);
    support(solution);
    const std::string from = " problem 1 from " + std::to_string(claims_);
    if (strict)
      complementary(from);
    else
      not_complementary(from);
    if (answer_.locally_optimal) {
      claim("locally-optimal" + from);
    } else {
      for (const std::size_t c : answer_.support)
        if (answer_.gaps[c] <= 0) {
          claim("not-locally-optimal" + from + " at " + pair(c));
          break;
        }
    }
    claim("rank problem 1 from " + std::to_string(solution) + " equals " +
          std::to_string(answer_.solution_rank));
    line(answer_.solution_rank == 0 ? "lower none" : "lower modulus " + prime_text);
    line("upper elimination");
  }

  // The support's Gram matrix times the multipliers is the all-ones vector.
  Matrix support_gram() const {
    std::vector<Row> rows;
    for (const std::size_t c : answer_.support) rows.push_back(answer_.differences[c]);
    return gram_of(rows);
  }

  void complementary(const std::string& from) {
    claim("strictly-complementary" + from);
    const bool shown = std::all_of(answer_.support.begin(), answer_.support.end(),
                                   [&](std::size_t c) { return answer_.multipliers[c] > 0; });
    if (shown) {
      line("evidence cited");
      return;
    }
    const Matrix G = support_gram();
    Row mean(answer_.constraints.size());
    for (std::size_t k = 0; k < answer_.support.size(); ++k) {
      const Row best = *maximise_entry(G, Row(G.size(), 1), k);
      for (std::size_t j = 0; j < best.size(); ++j)
        mean[answer_.support[j]] += best[j] / static_cast<unsigned long>(answer_.support.size());
    }
    vector("multipliers", mean);
  }

  // A direction d = sum (plus - minus) Delta with <Delta_j, d> = slack_j >= 0 on the support, <w*, d> = 0 and
  // slack_at = 1.
  void not_complementary(const std::string& from) {
    const Matrix G = support_gram();
    const std::size_t k = G.size();
    for (std::size_t at = 0; at < k; ++at) {
      if (multiplier_can_be_positive(answer_, answer_.support[at])) continue;
      Matrix A(k + 2, Row(3 * k));
      Row b(k + 2);
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
          A[i][j] = G[i][j];
          A[i][k + j] = -G[i][j];
        }
        A[i][2 * k + i] = -1;
        A[k][i] = 1;
        A[k][k + i] = -1;
      }
      A[k + 1][2 * k + at] = 1;
      b[k + 1] = 1;
      const Row solution = *maximise_entry(A, b, 0);
      Row direction(answer_.constraints.size());
      for (std::size_t j = 0; j < k; ++j) direction[answer_.support[j]] = solution[j] - solution[k + j];
      claim("not-strictly-complementary" + from + " at " + pair(answer_.support[at]));
      vector("direction", direction);
      return;
    }
  }

  void gap() {
    // Multipliers rounded up are a dual point; scaled so that every margin is at least 1 they are a primal
    // one.
    Row dual(answer_.multipliers);
    for (Number& value : dual) value = rounded_up(value, fraction_bits);
    const Row w = answer_.combination(dual);
    Number least = dot(answer_.differences[0], w);
    for (const Row& difference : answer_.differences) least = std::min(least, dot(difference, w));
    const Number scale = rounded_up(1 / least, fraction_bits);
    Row primal(dual);
    for (Number& value : primal) value *= scale;
    Number total = 0;
    for (const Number& value : dual) total += value;
    const Number low = 2 * total - dot(w, w), high = scale * scale * dot(w, w);
    claim("optimal-enclosure problem 1 form gap norm-squared " +
          number_text(rounded_down(low, fraction_bits)) + " " + number_text(rounded_up(high, fraction_bits)) +
          " distance-squared " + number_text(rounded_up(high - low, fraction_bits)));
    vector("primal", primal);
    vector("dual", dual);
    const Number distance = rounded_up(high - low, fraction_bits);
    bool shown = true;
    for (std::size_t c = 0; c < answer_.constraints.size(); ++c) {
      if (answer_.gaps[c] > 0) continue;
      const Number beyond = scale * dot(answer_.differences[c], w) - 1;
      shown = shown && beyond > 0 &&
              beyond * beyond > distance * dot(answer_.differences[c], answer_.differences[c]);
    }
    if (shown) claim("locally-optimal problem 1 from 1");
  }

  void lambda_min() {
    const Matrix G = support_gram();
    const Number bound = eigenvalue_bound(G);
    Row multipliers(answer_.multipliers);
    for (Number& value : multipliers) value = rounded_down(value, fraction_bits);
    const Row w = answer_.combination(multipliers);
    Number residual = 0, total = 0;
    for (const std::size_t c : answer_.support) {
      const Number r = 1 - dot(answer_.differences[c], w);
      residual += r * r;
      total += multipliers[c];
    }
    const Number radius = root_above(residual / bound, fraction_bits);
    const Number multiplier_radius = root_above(residual / (bound * bound), fraction_bits);
    const Number low = rounded_down(2 * total - dot(w, w), fraction_bits);
    const Number high = rounded_up(2 * total - dot(w, w) + radius * radius, fraction_bits);
    const std::size_t solution =
        claim("optimal-enclosure problem 1 form lambda-min norm-squared " + number_text(low) + " " +
              number_text(high) + " radius " + number_text(radius) + " multiplier-radius " +
              number_text(multiplier_radius));
    Number widest = 0;
    for (std::size_t k = 0; k < G.size(); ++k) widest = std::max(widest, G[k][k]);
    const bool well_conditioned = 256 * bound >= widest && widest <= 4;
    line("lambda-min " + number_text(bound) + " bits " + (well_conditioned ? "29" : "512"));
    vector("multipliers", multipliers);
    support(solution);
    const std::string from = " problem 1 from " + std::to_string(claims_);
    claim("strictly-complementary" + from);
    line("evidence cited");
    if (answer_.locally_optimal) {
      claim("locally-optimal" + from);
      claim("locally-optimal problem 1 from " + std::to_string(solution));
    } else {
      for (const std::size_t c : answer_.support)
        if (answer_.gaps[c] <= 0) {
          claim("not-locally-optimal" + from + " at " + pair(c));
          break;
        }
    }
    rank_by_columns(solution, w);
  }

  // The first independent columns of W(multipliers), when few enough upper bounds apply to need them all.
  void rank_by_columns(std::size_t solution, const Row& w) {
    const auto [rows, columns] = feature_shape(data_);
    std::vector<Row> chosen;
    std::string listed;
    for (std::size_t j = 0; j < columns && chosen.size() < answer_.solution_rank; ++j) {
      Row column;
      for (std::size_t i = 0; i < rows; ++i) column.push_back(w[i * columns + j]);
      chosen.push_back(column);
      if (rank(chosen) < chosen.size()) {
        chosen.pop_back();
        continue;
      }
      listed.append(" ").append(std::to_string(j));
    }
    std::size_t groups = 0;
    for (std::size_t k = 0; k < answer_.support.size(); ++k)
      groups += k == 0 || answer_.constraints[answer_.support[k]].first !=
                              answer_.constraints[answer_.support[k - 1]].first;
    const std::string upper = groups == answer_.solution_rank    ? "groups"
                              : rows == answer_.solution_rank    ? "left-dimension"
                              : columns == answer_.solution_rank ? "right-dimension"
                                                                 : "";
    if (upper.empty()) return;
    claim("rank problem 1 from " + std::to_string(solution) + " equals " +
          std::to_string(answer_.solution_rank));
    line("lower lambda-min " + number_text(eigenvalue_bound(gram_of(chosen))) + " bits 192 columns " +
         std::to_string(chosen.size()) + listed);
    line("upper " + upper);
  }

  void scores() {
    if (answer_.globally_optimal) {
      claim("globally-optimal problem 1");
    } else {
      for (std::size_t c = 0; c < answer_.constraints.size(); ++c)
        if (answer_.gaps[c] <= 0) {
          claim("not-globally-optimal problem 1 at " + pair(c));
          break;
        }
    }
    for (std::size_t i = 0; i < data_.groups(); ++i) {
      const std::size_t best = best_choice(data_)[i];
      for (std::size_t t = best + 1; t < data_.X[i].size(); ++t)
        if (first_equal(data_, i, t) == t && class_score(data_, i, t) == class_score(data_, i, best))
          claim("score-tie problem 1 group " + std::to_string(i) + " tokens " + std::to_string(best) + " " +
                std::to_string(t));
    }
    if (loss_ != "none")
      claim("smoothness problem 1 beta " +
            number_text(
                rounded_up(Number(approximate_smoothness_constant(data_, loss_)) * Number(1025, 1024), 40)));
  }

  const Dataset& data_;
  MarginAnswer answer_;
  std::string loss_;
  std::string text_;
  std::size_t lines_ = 0;
  std::size_t claims_ = 0;
};

}  // namespace

std::string instance_hash(const Dataset& data) {
  const std::string text = canonical_text(data);
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&context, digest.size(), digest.data());
  std::string hex;
  for (const std::uint8_t byte : digest) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

std::string certificate_text(const Dataset& data, const Choice& choice, Evidence evidence,
                             const std::string& loss) {
  return Writer(data, choice, loss).write(evidence);
}

}  // namespace reference
