// Reader of certificates: claims about separators, least norms and selections.
#include "tests/oracle/certificate_reader.hpp"

namespace reference {

void CertificateReader::feasible(Claim& claim) {
  in_.finish_line();
  vector(claim, "separator");
}

void CertificateReader::infeasible(Claim& claim) {
  in_.finish_line();
  in_.next_line();
  in_.expect("vector");
  claim.form = in_.one_of({"farkas", "combination"});
  entries(claim, claim.form);
  if (claim.form == "farkas") return;
  spanning(claim);
}

void CertificateReader::margin_at_most(Claim& claim) {
  in_.expect("bound");
  rational(claim);
  in_.finish_line();
  vector(claim, "combination");
}

void CertificateReader::optimal(Claim& claim) {
  in_.expect("norm-squared");
  rational(claim);
  in_.finish_line();
  vector(claim, "multipliers");
}

void CertificateReader::enclosure(Claim& claim) {
  in_.expect("form");
  claim.form = in_.one_of({"gap", "lambda-min"});
  in_.expect("norm-squared");
  rational(claim);
  rational(claim);
  if (claim.form == "gap") {
    in_.expect("distance-squared");
    rational(claim);
    in_.finish_line();
    vector(claim, "primal");
    vector(claim, "dual");
    return;
  }
  in_.expect("radius");
  rational(claim);
  in_.expect("multiplier-radius");
  rational(claim);
  in_.finish_line();
  in_.next_line();
  in_.expect("lambda-min");
  rational(claim);
  in_.expect("bits");
  const std::size_t bits = in_.natural();
  if (bits < 29 || bits > 4096) in_.fail("bits out of range");
  in_.finish_line();
  vector(claim, "multipliers");
}

void CertificateReader::support(Claim& claim) {
  in_.expect("size");
  listed(claim, in_.natural());
}

void CertificateReader::complementary(Claim& claim) {
  in_.finish_line();
  in_.next_line();
  if (in_.one_of({"evidence", "vector"}) == "evidence") {
    in_.expect("cited");
    in_.finish_line();
    claim.evidence_cited = true;
  } else {
    rest_of_vector(claim, "multipliers");
  }
}

void CertificateReader::not_complementary(Claim& claim) {
  at(claim);
  in_.finish_line();
  vector(claim, "direction");
}

void CertificateReader::not_locally_optimal(Claim& claim) {
  if (in_.more()) at(claim);
  in_.finish_line();
}

void CertificateReader::not_globally_optimal(Claim& claim) {
  at(claim);
  in_.finish_line();
}

void CertificateReader::tie(Claim& claim) {
  in_.expect("group");
  claim.group = in_.natural();
  in_.expect("tokens");
  claim.tokens = {in_.natural()};
  claim.tokens.push_back(in_.natural());
  in_.finish_line();
}

void CertificateReader::rank(Claim& claim) {
  in_.expect("equals");
  claim.count = in_.natural();
  in_.finish_line();
  in_.next_line();
  in_.expect("lower");
  const std::string lower = in_.one_of({"modulus", "lambda-min", "none"});
  if (lower == "modulus") in_.natural();
  if (lower == "lambda-min") {
    in_.number(parse_rational);
    in_.expect("bits");
    in_.natural();
    in_.expect("columns");
    const std::size_t count = in_.natural();
    std::size_t listed = 0;
    while (in_.more()) in_.natural(), ++listed;
    if (listed != count) in_.fail("wrong number of columns");
  }
  in_.finish_line();
  in_.next_line();
  in_.expect("upper");
  in_.one_of({"groups", "left-dimension", "right-dimension", "queries", "tokens", "elimination"});
  in_.finish_line();
}

void CertificateReader::conflicts(Claim& claim) {
  claim.count = count("at-least");
  in_.finish_line();
  for (std::size_t k = 0; k < claim.count; ++k) vector(claim, "farkas");
}

void CertificateReader::separable_without(Claim& claim) {
  const std::size_t listed = count("groups");
  while (in_.more()) claim.groups.push_back(in_.natural());
  if (claim.groups.size() != listed) in_.fail("wrong number of groups");
  for (std::size_t k = 1; k < listed; ++k)
    if (claim.groups[k] <= claim.groups[k - 1]) in_.fail("groups out of order");
  vector(claim, "separator");
}

void CertificateReader::robust_radius(Claim& claim) {
  claim.numbers.push_back(value("radius"));
  in_.finish_line();
}

void CertificateReader::path_for_every_radius(Claim& claim) {
  claim.numbers.push_back(value("from-radius"));
  claim.numbers.push_back(value("rate-constant"));
  in_.finish_line();
}

void CertificateReader::spanning(Claim& claim) {
  in_.next_line();
  in_.expect("spanning");
  rational(claim);
  const std::size_t bits = count("bits");
  if (bits < 29 || bits > 4096) in_.fail("bits out of range");
  listed(claim, in_.natural());
}

void CertificateReader::ratios(Claim& claim) {
  in_.finish_line();
  in_.next_line();
  const std::size_t entries = count("ratios"), bits = count("bits");
  if (bits < 64 || bits > 4096) in_.fail("bits out of range");
  in_.finish_line();
  for (std::size_t k = 0; k < entries; ++k) {
    in_.next_line();
    const Pair at = pair();
    if (k > 0 && !(claim.ratios.back().first < at)) in_.fail("entries not increasing");
    claim.ratios.emplace_back(at, in_.number(parse_rational));
    in_.finish_line();
  }
}

void CertificateReader::finite_part(Claim& claim) {
  in_.expect("norm-squared");
  rational(claim);
  rational(claim);
  in_.expect("radius");
  rational(claim);
  ratios(claim);
  spanning(claim);
  if (claim.listed.size() > claim.ratios.size()) in_.fail("more spanning constraints than ratios");
  vector(claim, "coefficients");
  in_.next_line();
  for (std::size_t bases = count("bases"); bases > 0; --bases) in_.number(parse_integer);
  in_.finish_line();
  for (std::size_t k = claim.listed.size(); k < claim.ratios.size(); ++k) vector(claim, "combination");
}

void CertificateReader::no_finite_part(Claim& claim) {
  ratios(claim);
  vector(claim, "combination");
}

void CertificateReader::finite_part_of_run(Claim& claim) {
  in_.expect("from");
  const bool compared = !in_.at_word("none");
  if (compared) {
    claim.from = in_.natural();
    if (claim.from == 0 || claim.from > out_.claims.size()) in_.fail("cites a claim that is not earlier");
  } else {
    in_.word();
  }
  cite("run");
  count("at");
  in_.expect("norm-squared");
  rational(claim);
  rational(claim);
  value("radius");
  for (const char* name : {"factor", "one-minus-corr"}) {
    in_.expect(name);
    if (compared != !in_.at_word("none")) in_.fail("a band without a solution, or none with one");
    if (!compared) {
      in_.word();
    } else {
      rational(claim);
      rational(claim);
    }
  }
  value("selected");
  value("masked");
  in_.finish_line();
  spanning(claim);
  const std::size_t equations = out_.problems[claim.problem - 1].equations;
  if (claim.listed.size() > equations) in_.fail("more spanning constraints than equations");
  vector(claim, "coefficients");
  for (std::size_t k = claim.listed.size(); k < equations; ++k) vector(claim, "combination");
}

}  // namespace reference
