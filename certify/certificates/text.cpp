// Certificate syntax; see certificates/text.hpp.
#include "certify/certificates/text.hpp"

#include "certify/numbers/exact_number.hpp"

namespace attest {
namespace {

std::string integer_text(const Integer& value) {
  std::string text;
  append_integer(text, value);
  return text;
}

// The exponent e of a positive power of two 2^e, or nothing.
std::optional<std::size_t> exponent_of_two(const Integer& value) {
  const auto* raw = value.backend().data();
  const std::size_t exponent = mpz_scan1(raw, 0);
  if (exponent + 1 != mpz_sizeinbase(raw, 2)) return std::nullopt;
  return exponent;
}

// "WORD count index ...".
std::string counted(const std::string& word, const std::vector<std::size_t>& indices) {
  std::string text = word + ' ' + std::to_string(indices.size());
  for (const std::size_t index : indices) {
    text.push_back(' ');
    text += std::to_string(index);
  }
  return text;
}

}  // namespace

std::string certificate_place(const Constraint& c) {
  return std::to_string(c.group) + ' ' + std::to_string(c.token);
}

std::string certificate_number(const Rational& value) {
  const Integer below = denominator(value);
  if (below == 1) return integer_text(numerator(value));
  const auto exponent = exponent_of_two(below);
  if (exponent && *exponent <= 65536)
    return integer_text(numerator(value)) + "*2^-" + std::to_string(*exponent);
  return integer_text(numerator(value)) + '/' + integer_text(below);
}

CertificateText::CertificateText(const std::string& instance_sha256) {
  line("attest-certificate 1");
  line("producer attest " ATTEST_VERSION);
  line("instance sha256 " + instance_sha256);
}

void CertificateText::line(const std::string& text) {
  text_ += text;
  text_.push_back('\n');
  ++lines_;
}

std::size_t CertificateText::problem(const std::string& setting, const std::string& loss,
                                     const Selection& selection, const StatedRows& rows) {
  line("problem " + std::to_string(++problems_));
  line("setting " + setting);
  line("norm euclidean");
  line("loss " + loss);
  if (rows.decoder) line("decoder");
  if (!rows.relaxed.empty()) line(counted("relaxed", rows.relaxed));
  if (rows.sets.empty()) {
    line(counted("selection", selection));
    return problems_;
  }
  std::string sets = "selected-sets " + std::to_string(rows.sets.size());
  for (const std::vector<std::size_t>& set : rows.sets) {
    for (std::size_t k = 0; k < set.size(); ++k) sets += (k == 0 ? ' ' : ',') + std::to_string(set[k]);
  }
  line(sets);
  return problems_;
}

std::size_t CertificateText::claim(const std::string& kind, std::size_t problem, const std::string& rest) {
  const std::size_t number = claims_.size() + 1;
  std::string text = "claim " + std::to_string(number) + ' ' + kind + " problem " + std::to_string(problem);
  if (!rest.empty()) {
    text.push_back(' ');
    text += rest;
  }
  line(text);
  claims_.push_back({number, kind, "checked"});
  return number;
}

void CertificateText::vector(const std::string& name, const ConstraintVector& values) {
  const auto exponent = exponent_of_two(values.denominator);
  const bool short_form = exponent && *exponent > 0 && *exponent <= 65536;
  line("vector " + name + ' ' + std::to_string(values.size()) + " over " +
       (short_form ? "2^" + std::to_string(*exponent) : integer_text(values.denominator)));
  for (std::size_t k = 0; k < values.size(); ++k) {
    text_ += certificate_place(values.constraint[k]);
    text_.push_back(' ');
    append_integer(text_, values.numerator[k]);
    text_.push_back('\n');
    ++lines_;
  }
}

void CertificateText::constraint_list(const std::vector<Constraint>& constraints) {
  for (const Constraint& c : constraints) line(certificate_place(c));
}

std::string CertificateText::finish() && {
  line("end problems " + std::to_string(problems_) + " claims " + std::to_string(claims_.size()) + " lines " +
       std::to_string(lines_ + 1));
  return std::move(text_);
}

}  // namespace attest
