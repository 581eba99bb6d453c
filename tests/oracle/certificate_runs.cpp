// Reader of certificates: claims about runs and all their later steps.
#include "tests/oracle/certificate_reader.hpp"

namespace reference {

void CertificateReader::specification(Iteration& iteration) {
  steps_of(iteration, {"gd", "ngd", "polyak"});
}

void CertificateReader::steps_of(Iteration& iteration, const std::vector<std::string>& rules) {
  in_.next_line();
  in_.expect("optimizer");
  iteration.rule = in_.one_of(rules);
  in_.expect("schedule");
  iteration.schedule = in_.one_of({"constant", "inverse", "invsqrt"});
  iteration.step = value("step");
  if (iteration.step <= 0) in_.fail("step not positive");
}

void CertificateReader::start(Iteration& iteration) {
  in_.next_line();
  in_.expect("start");
  if (in_.at_word("zero")) {
    in_.word();
  } else {
    const std::size_t entries = in_.natural();
    while (in_.more()) iteration.start.push_back(in_.number(parse_rational));
    if (entries == 0 || iteration.start.size() != entries) in_.fail("wrong number of entries");
  }
  in_.finish_line();
}

void CertificateReader::smoothness(Claim& claim) {
  claim.numbers.push_back(value("beta"));
  in_.finish_line();
}

void CertificateReader::stationary(Claim& claim) {
  in_.finish_line();
  start(claim.run.emplace().iteration);
}

void CertificateReader::run(Claim& claim) {
  RunClaim& run = claim.run.emplace();
  run.steps = count("steps");
  in_.finish_line();
  specification(run.iteration);
  std::size_t bits = count("fraction-bits"), from = 0;
  if (bits > 65536) in_.fail("too many fraction bits");
  while (in_.at_word("then")) {
    const std::size_t next = count("then"), fewer = in_.natural();
    if (next <= from || next > run.steps || fewer >= bits) in_.fail("widths out of order");
    from = next;
    bits = fewer;
  }
  in_.finish_line();
  start(run.iteration);
  const std::size_t checkpoints = count_line("checkpoints");
  if (checkpoints == 0) in_.fail("no checkpoint");
  for (std::size_t k = 0; k < checkpoints; ++k) {
    in_.next_line();
    CheckpointClaim point;
    point.at = count("at");
    if (point.at > run.steps || (k > 0 && point.at <= run.checkpoints.back().at))
      in_.fail("checkpoint out of order");
    point.norm = band("norm");
    point.along = band("along");
    in_.expect("one-minus-corr");
    if (in_.at_word("none")) {
      in_.word();
    } else {
      const Number lo = in_.number(parse_rational);
      point.one_minus_corr = Band{lo, in_.number(parse_rational)};
    }
    point.loss_gap = band("loss-gap");
    point.gradient = band("gradient");
    point.unselected = band("unselected");
    in_.finish_line();
    run.checkpoints.push_back(point);
  }
  run.loss_decreases_until = count_line("loss-decreases-until");
  if (run.loss_decreases_until > run.steps) in_.fail("more steps than the run has");
  const std::size_t rates = count_line("rates");
  for (std::size_t k = 0; k < rates; ++k) {
    in_.next_line();
    in_.expect("rate");
    RateClaim rate;
    rate.shape = in_.one_of(
        {"1/t^2", "1/t", "log(t)/t", "log(t)^2/sqrt(t)", "t^(-1/2)", "t^(-3/4)", "1/log(t)", "1/log(t)^2"});
    rate.from = count("from");
    if (rate.from < (rate.shape.find("log") == std::string::npos ? 1U : 2U))
      in_.fail("rate from too early a step");
    rate.constant = value("constant");
    in_.finish_line();
    run.rates.push_back(rate);
  }
}

std::size_t CertificateReader::cited_run() {
  const std::size_t run = count("run");
  if (run == 0 || run > out_.claims.size()) in_.fail("cites a claim that is not earlier");
  return run;
}

void CertificateReader::path(Claim& claim) {
  PathClaim& path = claim.path.emplace();
  path.run = cited_run();
  path.from = count("from");
  path.until = count("until");
  if (path.from >= path.until) in_.fail("no step");
  path.constant = value("constant");
  in_.finish_line();
}

void CertificateReader::lines_of(std::size_t lines, const std::vector<std::string>& names) {
  for (std::size_t k = 0; k < lines; ++k) {
    in_.next_line();
    count("group");
    for (const std::string& name : names) value(name);
    in_.finish_line();
  }
}

void CertificateReader::checkpoint_lines(std::size_t steps, const std::vector<std::string>& bands,
                                         const std::vector<std::string>& optional) {
  in_.next_line();
  const std::size_t checkpoints = count("checkpoints"), bits = count("bits");
  if (bits < 64 || bits > 65536) in_.fail("bits out of range");
  in_.finish_line();
  std::optional<std::size_t> last;
  for (std::size_t k = 0; k < checkpoints; ++k) {
    in_.next_line();
    const std::size_t at = count("checkpoint");
    if (at > steps || (last && at <= *last)) in_.fail("checkpoints out of order");
    last = at;
    for (const std::string& name : bands) band(name);
    for (const std::string& name : optional)
      if (in_.at_word(name)) band(name);
    in_.finish_line();
  }
}

void CertificateReader::path_residual(Claim& claim) {
  for (const char* name : {"from-radius", "residual"}) {
    in_.expect(name);
    rational(claim);
  }
  in_.finish_line();
  lambda_min();
  vector(claim, "pull");
}

void CertificateReader::lambda_min() {
  in_.next_line();
  value("lambda-min");
  count("bits");
  in_.finish_line();
}

void CertificateReader::outside() {
  const std::size_t listed = count_line("outside");
  Pair last;
  for (std::size_t k = 0; k < listed; ++k) {
    in_.next_line();
    const Pair next = pair();
    in_.finish_line();
    if (k > 0 && !(last < next)) in_.fail("entries not increasing");
    last = next;
  }
}

void CertificateReader::forever(Claim& claim) {
  ForeverClaim& forever = claim.forever.emplace();
  if (claim.kind == "forever-from-run") {
    forever.run = cited_run();
    forever.at = count("at");
  }
  in_.expect("theorem");
  forever.theorem = in_.one_of({"absorbing", "local", "lock-in", "residual", "bounded"});
  in_.expect("dominates-from");
  if (in_.at_word("none")) {
    in_.word();
  } else {
    forever.dominates_from = in_.natural();
  }
  in_.finish_line();
  if (claim.kind == "forever-from-point") {
    specification(forever.iteration);
    in_.finish_line();
    start(forever.iteration);
  }
  // What the evidence is that of.
  std::string evidence = forever.theorem;
  if (evidence == "residual") {
    in_.next_line();
    in_.expect("region");
    evidence = in_.one_of({"absorbing", "local"});
    value("path");
    in_.finish_line();
    lambda_min();
  }
  if (evidence == "lock-in") {
    lines_of(count_line("ranges"), {"floor"});
  } else {
    in_.next_line();
    value("step-bound");
    if (evidence != "absorbing") value("ratio");
    if (evidence == "local") {
      value("extra");
      value("theta");
    }
    if (evidence == "bounded") value("reach");
    in_.finish_line();
    if (evidence == "bounded") {
      lambda_min();
      vector(claim, "pull");
    }
    if (evidence != "absorbing") outside();
    const std::size_t ranges = count_line("ranges");
    if (evidence == "absorbing") {
      lines_of(ranges, {"output", "attention"});
    } else {
      lines_of(ranges, {"attention"});
    }
  }
  in_.next_line();
  forever.path = value("path");
  forever.excess = value("excess");
  forever.centre = value("centre");
  forever.height = value("height");
  in_.expect("growth");
  forever.linear = in_.one_of({"linear", "logarithmic"}) == "linear";
  forever.growth = in_.number(parse_rational);
  in_.finish_line();
}

}  // namespace reference
