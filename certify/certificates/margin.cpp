// Writes claims in the order in which they cite each other; see certificates/margin.hpp.
#include "certify/certificates/margin.hpp"

#include <algorithm>
#include <cmath>

#include "certify/certificates/next_token.hpp"

namespace attest {
namespace {

// log2 of a positive rational, a guess; -1e9 for zero.
double approximate_log2(const Rational& value) {
  if (value <= 0) return -1e9;
  const auto part = [](mpz_srcptr integer) {
    long exponent = 0;
    const double mantissa = mpz_get_d_2exp(&exponent, integer);
    return std::log2(mantissa) + static_cast<double>(exponent);
  };
  const auto* raw = value.backend().data();
  return part(mpq_numref(raw)) - part(mpq_denref(raw));
}

// Rounding errors of one Gram entry in units of 2^-bits (GRAMMAR.md section 7, step 3) for a factor of n
// coordinates.
double entry_error(std::size_t n) {
  return std::ceil(std::ceil(std::sqrt(static_cast<double>(n))) / 2) + 2;
}

// Fractional bits with which the procedure of GRAMMAR.md section 7 proves the bound `least` of a k x k Gram
// matrix whose smallest eigenvalue is about twice that: the reserve k (error + 1) 2^-bits must stay below
// least / 4^exponent.
unsigned cholesky_bits(const Rational& least, double exponent, std::size_t k, double error) {
  const double reserve = std::log2(static_cast<double>(k) * (error + 1) + 2);
  const double needed = reserve + 2 * exponent - approximate_log2(least);
  if (needed + 0.5 <= 29) return 29;
  return static_cast<unsigned>(std::clamp(32 * std::ceil((needed + 8) / 32), 64.0, 4096.0));
}

class Writer {
 public:
  Writer(const CertifiedFacts& facts, CertificateText& text)
      : facts_(facts), solution_(*facts.solution), text_(text) {}

  void run(const std::string& setting) {
    problem_ = text_.problem(setting, facts_.loss, *facts_.selection, facts_.rows);
    if (solution_.feasibility == Feasibility::infeasible) write_infeasible();
    if (solution_.feasibility == Feasibility::feasible) write_feasible();
    if (solution_.margin_bound) write_margin_bound(*solution_.margin_bound);
    if (facts_.rows.plain()) write_score_order();
    if (facts_.smoothness)
      text_.claim("smoothness", problem_, "beta " + certificate_number(*facts_.smoothness));
    if (facts_.finite != nullptr) write_finite_part(*facts_.finite);
    if (facts_.of_run != nullptr && facts_.of_run->run != 0) {
      for (const StatedFinitePart& point : facts_.of_run->points) write_run_finite_part(point);
    }
    if (facts_.more) facts_.more(text_, problem_, optimum_);
  }

 private:
  static std::string from(std::size_t claim) { return "from " + std::to_string(claim); }

  void write_infeasible() {
    const std::size_t claim = text_.claim("infeasible", problem_);
    if (solution_.farkas) {
      text_.vector("farkas", *solution_.farkas);
    } else {
      const SpanningConflict& conflict = *solution_.spanning_conflict;
      text_.vector("combination", conflict.combination);
      write_spanning(conflict.spanning, conflict.least_eigenvalue);
    }
    if (facts_.rows.plain()) text_.claim("not-locally-optimal", problem_, from(claim));
  }

  void write_margin_bound(const MarginBound& bound) {
    text_.claim("margin-at-most", problem_, "bound " + certificate_number(bound.bound));
    text_.vector("combination", bound.combination);
  }

  // Bits with which the checker's factorisation proves the bound of the constraints' Gram matrix.
  unsigned gram_bits(const std::vector<Constraint>& at, const Rational& least) const {
    double exponent = -1e9;
    for (const Constraint& c : at) exponent = std::max(exponent, scale_exponent(c));
    const TokenData& data = *facts_.data;
    return cholesky_bits(least, exponent, at.size(),
                         entry_error(data.left_dimension) + entry_error(data.right_dimension) + 1);
  }

  // Constraints, and a bound of their Gram matrix.
  void write_spanning(const std::vector<Constraint>& spanning, const Rational& least) {
    text_.line("spanning " + certificate_number(least) + " bits " +
               std::to_string(gram_bits(spanning, least)) + " " + std::to_string(spanning.size()));
    text_.constraint_list(spanning);
  }

  void write_ratios(const FinitePartProof& proof) {
    text_.line("ratios " + std::to_string(proof.ratios.size()) + " bits " + std::to_string(proof.bits));
    for (std::size_t k = 0; k < proof.ratios.size(); ++k)
      text_.line(certificate_place(proof.equations[k]) + ' ' + certificate_number(proof.ratios[k]));
  }

  void write_finite_part(const FinitePartProof& proof) {
    if (proof.contradiction) {
      text_.claim("no-finite-part", problem_);
      write_ratios(proof);
      text_.vector("combination", *proof.contradiction);
    }
    if (!proof.enclosed) return;
    const EnclosedFinitePart& found = *proof.enclosed;
    text_.claim("finite-part", problem_, words_of_norm(found).substr(1));
    write_ratios(proof);
    write_spanning(found.spanning, found.least_eigenvalue);
    text_.vector("coefficients", found.coefficients);
    std::string bases = "bases " + std::to_string(found.bases.size());
    for (const Integer& base : found.bases) bases += ' ' + base.str();
    text_.line(bases);
    for (const ConstraintVector& combination : found.combinations) text_.vector("combination", combination);
  }

  void write_run_finite_part(const StatedFinitePart& point) {
    const bool solved = optimum_ != 0 && point.factor && point.one_minus_corr;
    const EnclosedFinitePart& found = point.part;
    text_.claim("run-finite-part", problem_,
                "from " + (solved ? std::to_string(optimum_) : "none") + " run " +
                    std::to_string(facts_.of_run->run) + " at " + std::to_string(point.step) +
                    words_of_norm(found) + " factor " + (solved ? *point.factor : "none") +
                    " one-minus-corr " + (solved ? *point.one_minus_corr : "none") + " selected " +
                    certificate_number(point.selected) + " masked " + certificate_number(point.masked));
    write_spanning(found.spanning, found.least_eigenvalue);
    text_.vector("coefficients", found.coefficients);
    for (const ConstraintVector& combination : found.combinations) text_.vector("combination", combination);
  }

  static std::string words_of_norm(const EnclosedFinitePart& found) {
    return " norm-squared " + certificate_number(found.norm_squared.lo) + ' ' +
           certificate_number(found.norm_squared.hi) + " radius " + certificate_number(found.radius);
  }

  void write_feasible() {
    std::size_t optimum = 0;
    if (solution_.exact) {
      optimum = write_exact();
    } else if (solution_.enclosed) {
      optimum = write_enclosed();
    } else if (solution_.gap) {
      optimum = write_gap();
    } else if (solution_.separator) {
      text_.claim("feasible", problem_);
      text_.vector("separator", *solution_.separator);
    }
    optimum_ = optimum;
    if (optimum == 0) return;
    std::size_t support = 0;
    if (solution_.support && (solution_.exact || solution_.enclosed)) {
      support = text_.claim("support", problem_,
                            from(optimum) + " size " + std::to_string(solution_.support->size()));
      text_.constraint_list(*solution_.support);
      write_complementarity(support);
    }
    if (facts_.rows.plain()) write_local_optimality(optimum, support);
    if (facts_.rank) write_rank(optimum);
  }

  std::size_t write_exact() {
    const ExactOptimum& exact = *solution_.exact;
    const std::size_t claim =
        text_.claim("optimal", problem_, "norm-squared " + certificate_number(exact.norm_squared));
    text_.vector("multipliers", exact.multipliers);
    return claim;
  }

  std::size_t write_enclosed() {
    const EnclosedOptimum& enclosed = *solution_.enclosed;
    const std::size_t claim = text_.claim(
        "optimal-enclosure", problem_,
        "form lambda-min norm-squared " + certificate_number(enclosed.norm_squared.lo) + ' ' +
            certificate_number(enclosed.norm_squared.hi) + " radius " + certificate_number(enclosed.radius) +
            " multiplier-radius " + certificate_number(enclosed.multiplier_radius));
    const unsigned bits = gram_bits(enclosed.multipliers.constraint, enclosed.lambda_min);
    text_.line("lambda-min " + certificate_number(enclosed.lambda_min) + " bits " + std::to_string(bits));
    text_.vector("multipliers", enclosed.multipliers);
    return claim;
  }

  std::size_t write_gap() {
    const GapOptimum& gap = *solution_.gap;
    const std::size_t claim =
        text_.claim("optimal-enclosure", problem_,
                    "form gap norm-squared " + certificate_number(gap.norm_squared.lo) + ' ' +
                        certificate_number(gap.norm_squared.hi) + " distance-squared " +
                        certificate_number(gap.distance_squared));
    text_.vector("primal", gap.primal);
    text_.vector("dual", gap.dual);
    return claim;
  }

  void write_complementarity(std::size_t support) {
    if (!solution_.strictly_complementary) return;
    if (!*solution_.strictly_complementary) {
      const ComplementarityWitness& witness = *solution_.complementarity_witness;
      text_.claim("not-strictly-complementary", problem_,
                  from(support) + " at " + certificate_place(witness.at));
      text_.vector("direction", witness.direction);
      return;
    }
    text_.claim("strictly-complementary", problem_, from(support));
    if (solution_.complementary_multipliers) {
      text_.vector("multipliers", *solution_.complementary_multipliers);
    } else {
      text_.line("evidence cited");
    }
  }

  void write_local_optimality(std::size_t optimum, std::size_t support) {
    if (!solution_.locally_optimal) return;
    if (*solution_.locally_optimal) {
      text_.claim("locally-optimal", problem_, from(support != 0 ? support : optimum));
    } else if (support != 0 && solution_.local_witness) {
      text_.claim("not-locally-optimal", problem_,
                  from(support) + " at " + certificate_place(*solution_.local_witness));
    }
  }

  void write_rank(std::size_t optimum) {
    const RankEvidence& rank = *facts_.rank;
    text_.claim("rank", problem_, from(optimum) + " equals " + std::to_string(rank.rank));
    switch (rank.lower) {
      case RankEvidence::Lower::none:
        text_.line("lower none");
        break;
      case RankEvidence::Lower::modulus:
        text_.line("lower modulus " + std::to_string(rank.modulus));
        break;
      case RankEvidence::Lower::lambda_min: {
        // No column is longer than ||W||.
        const double exponent = std::ceil(approximate_log2(solution_.norm_squared.hi) / 2);
        const unsigned bits =
            cholesky_bits(rank.lambda_min, exponent, rank.rank, entry_error(facts_.data->left_dimension));
        std::string line = "lower lambda-min " + certificate_number(rank.lambda_min) + " bits " +
                           std::to_string(bits) + " columns " + std::to_string(rank.columns.size());
        for (const std::size_t column : rank.columns) {
          line.push_back(' ');
          line += std::to_string(column);
        }
        text_.line(line);
        break;
      }
    }
    constexpr const char* upper[] = {"groups",  "left-dimension", "right-dimension",
                                     "queries", "tokens",         "elimination"};
    text_.line(std::string("upper ") + upper[static_cast<std::size_t>(rank.upper)]);
  }

  void write_score_order() {
    if (const auto witness = global_optimality_witness(*facts_.data, *facts_.selection)) {
      text_.claim("not-globally-optimal", problem_, "at " + certificate_place(*witness));
    } else {
      text_.claim("globally-optimal", problem_);
    }
    if (const auto tie = first_tie(*facts_.data)) {
      text_.claim("score-tie", problem_,
                  "group " + std::to_string(tie->group) + " tokens " + std::to_string(tie->first_token) +
                      ' ' + std::to_string(tie->second_token));
    }
  }

  // a with 2^a at least the product of the norms of Delta_c's two factors, each rounded up to a power of two:
  // a guess, in doubles; the checker's own factorisation decides.
  double scale_exponent(const Constraint& c) const {
    const TokenData& data = *facts_.data;
    const std::size_t d = data.left_dimension, e = data.right_dimension;
    const std::size_t selected = (*facts_.selection)[c.group];
    const std::size_t winner = data.row(c.group, facts_.rows.decoder ? 0 : selected),
                      loser = data.row(c.group, facts_.rows.decoder ? 1 : c.token);
    long double token = 0, query = 0;  // squares of doubles stay within its exponents
    for (std::size_t j = 0; j < d; ++j) {
      const long double difference =
          data.token_factor.approx(winner * d + j) - data.token_factor.approx(loser * d + j);
      token += difference * difference;
    }
    for (std::size_t j = 0; j < e; ++j) {
      const long double entry = data.query_factor.approx(c.group * e + j);
      query += entry * entry;
    }
    return static_cast<double>(std::ceil(std::log2(token) / 2) + std::ceil(std::log2(query) / 2));
  }

  const CertifiedFacts& facts_;
  const MarginSolution& solution_;
  CertificateText& text_;
  std::size_t problem_ = 0, optimum_ = 0;
};

// A certificate without claims has no text.
Certificate ended(CertificateText text) {
  Certificate certificate;
  certificate.claims = text.claims();
  if (certificate.claims.empty()) return certificate;
  certificate.lines = text.lines() + 1;
  certificate.text = std::move(text).finish();
  return certificate;
}

// What attest-check-verified takes; attest-check takes all (proofs/coq/ocaml, dataset.ml and certificate.ml).
bool in_coq(const CertifiedFacts& facts) {
  const Instance& instance = *facts.instance;
  const bool one_output = instance.y.empty() && !instance.outputs;
  const bool rows = facts.rows.plain() || facts.rows.decoder || !facts.solution->spanning_conflict;
  return one_output && rows && (instance.offsets.empty() || facts.loss == "none");
}

// Of rows that are not all >= 1 two kinds want the solution's multipliers, which an enclosure by a gap does
// not have.
bool gap_of_senses(const CertifiedFacts& facts) {
  const MarginSolution& solution = *facts.solution;
  return !facts.rows.plain() && !facts.rows.decoder && !solution.exact && !solution.enclosed &&
         solution.gap.has_value();
}

bool wants_multipliers(const WrittenClaim& claim) {
  return claim.kind == "run-finite-part" || claim.kind == "joint-run";
}

}  // namespace

Certificate write_certificate(const CertifiedFacts& facts) {
  return write_certificate(std::vector<CertifiedFacts>{facts});
}

Certificate write_certificate(const std::vector<CertifiedFacts>& facts) {
  if (facts.empty()) return {};
  CertificateText text(canonical_sha256(*facts.front().instance));
  for (const CertifiedFacts& one : facts) Writer(one, text).run(name(one.instance->setting));
  Certificate certificate = ended(std::move(text));
  const auto& claims = certificate.claims;
  certificate.verified = std::all_of(facts.begin(), facts.end(), in_coq) &&
                         (std::none_of(facts.begin(), facts.end(), gap_of_senses) ||
                          std::none_of(claims.begin(), claims.end(), wants_multipliers));
  return certificate;
}

Certificate write_stage_certificate(const CertifiedFacts& facts, const std::string& stage,
                                    const std::string& sha256) {
  CertificateText text(sha256);
  Writer(facts, text).run("next-token " + stage);
  Certificate certificate = ended(std::move(text));
  certificate.verified = facts.rows.plain();
  return certificate;
}

}  // namespace attest
