// Reader of certificates: claims about other norms.
#include "tests/oracle/certificate_reader.hpp"

namespace reference {

void CertificateReader::norm(Claim& claim) {
  in_.expect("norm");
  claim.norm = in_.word();
  if (claim.norm == "nuclear" || claim.norm == "linf") return;
  if (claim.norm[0] != 'l' || claim.norm.find('*') != std::string::npos) in_.fail("unknown norm");
  try {
    const Number exponent = parse_rational(claim.norm.substr(1));
    if (exponent < 1 || exponent.get_num() > 64 || exponent.get_den() > 64) in_.fail("exponent out of range");
  } catch (const std::invalid_argument& error) {
    in_.fail(error.what());
  }
}

void CertificateReader::norm_optimum(Claim& claim) {
  const bool nuclear = claim.norm == "nuclear";
  const bool power = !nuclear && claim.norm != "l1" && claim.norm != "linf";
  in_.expect("value");
  rational(claim);
  rational(claim);
  if (nuclear) claim.count = count("rank-at-most");
  if (power && in_.more()) claim.numbers.push_back(value("distance"));
  in_.finish_line();
  if (nuclear) {
    matrix(claim, "left");
    matrix(claim, "right");
  } else {
    matrix(claim, "primal");
  }
  vector(claim, "multipliers");
  in_.next_line();
  claim.dual_norm = value("dual-norm");
  if (nuclear || power) {
    const std::size_t bits = count("bits");
    if (bits < 29 || bits > 4096) in_.fail("bits out of range");
  }
  in_.finish_line();
}

void CertificateReader::norm_solution(Claim& claim) {
  if (claim.norm != "nuclear") in_.fail("only of the nuclear norm");
  claim.count = count("rank");
  claim.numbers.push_back(value("distance"));
  in_.finish_line();
  if (claim.count == 0) in_.fail("no such rank");
  for (const char* name : {"left", "right", "inverse"}) {
    matrix(claim, name);
    if (claim.matrices.back().columns != claim.count) in_.fail("the matrix has another shape");
  }
  vector(claim, "multipliers");
  in_.next_line();
  for (const char* name : {"radius", "factors", "rows", "residual", "inverse"}) value(name);
  in_.finish_line();
  in_.next_line();
  for (const char* name : {"lambda-min", "columns", "dual-norm", "slope"}) value(name);
  const std::size_t bits = count("bits");
  if (bits < 29 || bits > 4096) in_.fail("bits out of range");
  in_.finish_line();
}

void CertificateReader::norm_near_rank(Claim& claim) {
  if (claim.norm != "nuclear") in_.fail("only of the nuclear norm");
  claim.count = count("rank");
  claim.numbers.push_back(value("distance"));
  in_.finish_line();
  if (claim.count == 0) in_.fail("no such rank");
  for (const char* name : {"left", "right"}) {
    matrix(claim, name);
    if (claim.matrices.back().columns != claim.count) in_.fail("the matrix has another shape");
  }
  in_.next_line();
  value("dual-norm");
  const std::size_t bits = count("bits");
  if (bits < 29 || bits > 4096) in_.fail("bits out of range");
  value("slope");
  value("step");
  in_.finish_line();
}

void CertificateReader::norm_face(Claim& claim) {
  if (claim.norm != "l1" && claim.norm != "linf") in_.fail("only of the norms l1 and linf");
  in_.expect("dimension");
  const std::size_t least = in_.natural(), most = in_.natural();
  claim.numbers = {Number(least), Number(most)};
  const std::size_t size = count("size");
  in_.finish_line();
  listed(claim, size);
  in_.next_line();
  count("modulus");
  in_.finish_line();
  Pair last;
  for (std::size_t k = 0; k < most; ++k) {
    in_.next_line();
    const std::size_t row = in_.natural(), column = in_.natural();
    in_.finish_line();
    if (k > 0 && Pair{row, column} <= last) in_.fail("entries out of order");
    last = {row, column};
  }
  if (least > most) in_.fail("no such dimension");
  for (std::size_t k = 0; k < least; ++k) matrix(claim, "other");
}

void CertificateReader::matrix(Claim& claim, const std::string& name) {
  in_.next_line();
  in_.expect("matrix");
  in_.expect(name);
  GivenMatrix matrix;
  matrix.rows = in_.natural();
  matrix.columns = in_.natural();
  in_.expect("over");
  const Number denominator = in_.number(parse_denominator);
  in_.finish_line();
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    in_.next_line();
    for (std::size_t column = 0; column < matrix.columns; ++column)
      matrix.entries.push_back(in_.number(parse_integer) / denominator);
    in_.finish_line();
  }
  claim.matrices.push_back(std::move(matrix));
}

void CertificateReader::mirror_run(Claim& claim) {
  if (claim.norm == "nuclear" || claim.norm == "linf" || parse_rational(claim.norm.substr(1)) == 1)
    in_.fail("no potential");
  if (in_.at_word("from")) from(claim);
  const std::size_t steps = count("steps");
  if (in_.at_word("inequality")) {
    value("inequality");
    count("since");
  }
  in_.finish_line();
  Iteration iteration;
  steps_of(iteration, {"md", "nmd"});
  in_.finish_line();
  start(iteration);
  checkpoint_lines(steps, {"norm", "dual-norm", "loss-gap", "unselected"},
                   {"along", "bregman", "one-minus-corr"});
}

void CertificateReader::mirror_forever(Claim& claim) {
  cite("support");
  cite("run");
  count("at");
  value("rate");
  in_.expect("growth");
  if (in_.at_word("none")) {
    in_.word();
  } else {
    in_.number(parse_rational);
  }
  value("unselected");
  in_.finish_line();
  vector(claim, "multipliers");
  lambda_min();
  in_.next_line();
  const std::size_t floors = count("floors");
  for (std::size_t k = 0; k < floors; ++k) in_.number(parse_rational);
  in_.finish_line();
  in_.next_line();
  const std::size_t pieces = count("pieces");
  value("last-slope");
  in_.finish_line();
  for (std::size_t k = 0; k < pieces; ++k) {
    in_.next_line();
    value("until");
    value("slope");
    in_.finish_line();
  }
}

void CertificateReader::factored_run(Claim& claim) {
  const std::size_t rank = count("rank");
  if (rank < 1 || rank > 4096) in_.fail("no such rank");
  if (in_.at_word("from")) from(claim);
  if (in_.at_word("nuclear")) cite("nuclear");
  const std::size_t steps = count("steps");
  in_.finish_line();
  Iteration iteration;
  steps_of(iteration, {"gd", "ngd"});
  in_.finish_line();
  for (const char* name : {"left", "right"}) {
    matrix(claim, name);
    if (claim.matrices.back().columns != rank) in_.fail("the matrix has another shape");
  }
  checkpoint_lines(steps, {"left-norm", "right-norm", "norm", "balance", "loss-gap", "unselected"},
                   {"one-minus-corr", "nuclear-one-minus-corr"});
}

void CertificateReader::factored_forever(Claim&) {
  cite("run");
  count("at");
  if (in_.at_word("nuclear")) {
    cite("nuclear");
    value("share");
  }
  for (const char* name : {"margin", "growth", "attention", "drift"}) value(name);
  in_.finish_line();
}

}  // namespace reference
