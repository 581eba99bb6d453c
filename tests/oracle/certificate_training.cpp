// Reader of certificates: claims about training on sentences with one-hot embeddings.
#include "tests/oracle/certificate_reader.hpp"

namespace reference {

void CertificateReader::token_ray(Claim& /*claim*/) {
  positive("step");
  in_.finish_line();
  const std::size_t checkpoints = count_line("checkpoints");
  std::optional<std::size_t> last;
  for (std::size_t k = 0; k < checkpoints; ++k) {
    in_.next_line();
    const std::size_t at = count("checkpoint");
    if (last && at <= *last) in_.fail("checkpoints out of order");
    last = at;
    band("scale");
    band("loss");
    in_.finish_line();
  }
}

void CertificateReader::token_run(Claim& claim) {
  if (in_.at_word("from")) from(claim);
  positive("feed-forward-step");
  if (count("feed-forward-steps") == 0) in_.fail("no step");
  positive("step");
  const std::size_t steps = count("steps");
  in_.finish_line();
  checkpoint_lines(steps, {"norm", "loss-gap", "unselected"}, {"one-minus-corr"});
}

void CertificateReader::token_forever(Claim& /*claim*/) {
  cite("run");
  count("at");
  for (const char* name :
       {"unselected", "decrease", "loss-gap", "loss-ratio", "height", "growth", "lag", "residual", "path"})
    value(name);
  in_.finish_line();
}

void CertificateReader::token_shift(Claim& /*claim*/) {
  const bool dated = in_.at_word("forever");
  if (dated) cite("forever");
  const std::size_t sentences = count("sentences");
  in_.finish_line();
  const auto token = [&](std::size_t id) {
    if (id >= std::size_t{1} << 24) in_.fail("no token");
  };
  for (std::size_t k = 0; k < sentences; ++k) {
    in_.next_line();
    const std::size_t size = count("context");
    if (size == 0) in_.fail("an empty context");
    for (std::size_t t = 0; t < size; ++t) token(in_.natural());
    token(count("next"));
    if (in_.at_word("from")) {
      if (!dated) in_.fail("a step without a claim about later ones");
      count("from");
    }
    in_.finish_line();
  }
}

void CertificateReader::positive(const std::string& name) {
  if (value(name) <= 0) in_.fail(name + " must be positive");
}

}  // namespace reference
