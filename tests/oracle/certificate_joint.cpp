// Reader of certificates: claims about attention and decoder together.
#include "tests/oracle/certificate_reader.hpp"

namespace reference {

void CertificateReader::cite(const std::string& name) {
  const std::size_t cited = count(name);
  if (cited == 0 || cited > out_.claims.size()) in_.fail("cites a claim that is not earlier");
}

void CertificateReader::label_margins(Claim& claim) {
  in_.expect("nu");
  rational(claim);
  in_.finish_line();
  in_.next_line();
  const std::size_t nodes = count("cover"), vectors = count("vectors");
  in_.finish_line();
  for (std::size_t k = 0; k < vectors; ++k) vector(claim, "multipliers");
  for (std::size_t k = 0; k < nodes; ++k) cover_node();
}

void CertificateReader::cover_node() {
  in_.next_line();
  const std::string how = in_.one_of({"halve", "open", "multipliers", "weights"});
  if (how == "open") in_.natural();
  if (how == "multipliers") in_.natural();
  if (how == "weights") {
    const std::size_t weights = in_.natural();
    if (weights == 0) in_.fail("no weight");
    for (std::size_t k = 0; k < weights; ++k) in_.number(parse_integer);
  }
  if (how == "multipliers" || how == "weights") {
    in_.expect("tokens");
    count_and_list();
  }
  in_.finish_line();
}

void CertificateReader::joint_path(Claim& claim) {
  cite("label-margins");
  if (in_.at_word("plain")) cite("plain");
  in_.expect("loss");
  in_.one_of({"logistic", "exponential"});
  for (const char* name :
       {"from-radius", "from-decoder-radius", "slope", "decay", "decoder-rate", "rate-constant"}) {
    in_.expect(name);
    rational(claim);
  }
  in_.finish_line();
  in_.next_line();
  for (const char* name : {"excess", "window"}) {
    in_.expect(name);
    rational(claim);
  }
  in_.finish_line();
}

void CertificateReader::joint_step(const std::string& whose) {
  in_.expect(whose);
  in_.one_of({"gd", "ngd"});
  if (value("step") <= 0) in_.fail("a step is not positive");
  const Number power = value("power");
  if (power > 0 || power < -64) in_.fail("power out of range");
}

void CertificateReader::joint_run(Claim& claim) {
  if (in_.at_word("from")) from(claim);
  if (in_.at_word("decoder-from")) cite("decoder-from");
  in_.expect("loss");
  in_.one_of({"logistic", "exponential", "correlation"});
  joint_step("attention");
  joint_step("decoder");
  in_.expect("decoder-start");
  in_.one_of({"zero", "instance"});
  const std::size_t steps = count("steps");
  in_.finish_line();
  checkpoint_lines(steps, {"norm", "decoder-norm", "loss"}, {"one-minus-corr", "decoder-one-minus-corr"});
}

void CertificateReader::joint_forever(Claim&) {
  const auto positive = [&](const char* name) {
    if (value(name) <= 0) in_.fail("a number is not positive");
  };
  cite("support");
  cite("joint-run");
  count("at");
  positive("decoder");
  positive("growth");
  value("lateral");
  value("loss");
  positive("decay");
  positive("attention");
  positive("growth");
  value("spread");
  value("unselected");
  positive("fall");
  in_.finish_line();
  in_.next_line();
  positive("deficit");
  value("reach");
  positive("aside");
  for (std::size_t left = count("boxes"); left > 0; --left)
    if (in_.number(parse_rational) <= 0) in_.fail("a box is not positive");
  in_.finish_line();
}

}  // namespace reference
