#include "certify/certificates/joint.hpp"

#include <algorithm>
#include <boost/multiprecision/integer.hpp>

#include "certify/certificates/stated_bounds.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

std::string counted(const auto& numbers) {
  std::string text = std::to_string(numbers.size());
  for (const auto& x : numbers) text += ' ' + certificate_number(Rational(x));
  return text;
}

// Multipliers of the decoder's solution, exactly: its own and ||v*||^2 times a change.
ConstraintVector changed(const ExactOptimum& optimum, const Selection& selection,
                         const std::vector<Rational>& change) {
  std::vector<Rational> values(selection.size());
  for (std::size_t k = 0; k < optimum.multipliers.size(); ++k)
    values[optimum.multipliers.constraint[k].group] = optimum.multipliers.value(k);
  for (std::size_t i = 0; i < change.size(); ++i) values[i] += optimum.norm_squared * change[i];
  ConstraintVector result;
  for (const Rational& value : values) result.denominator = lcm(result.denominator, denominator(value));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    result.constraint.push_back({i, selection[i]});
    result.numerator.push_back(numerator(values[i]) * (result.denominator / denominator(values[i])));
  }
  return result;
}

std::string line_of(const CoverNode& node, bool listed) {
  switch (node.step) {
    case CoverNode::Step::halve:
      return "halve";
    case CoverNode::Step::open:
      return "open " + std::to_string(node.group);
    case CoverNode::Step::prove:
      break;
  }
  const std::string how = node.weights.empty()
                              ? "multipliers " + std::to_string(node.multipliers + (listed ? 1 : 0))
                              : "weights " + counted(node.weights);
  return how + " tokens " + counted(node.tokens);
}

// The claim's number, 0 where the multipliers cannot be written. A single vector is the solution's own.
std::size_t write_label_margins(CertificateText& text, std::size_t problem, std::size_t support,
                                const CertifiedFacts& decoder, const LabelMarginCover& cover) {
  const bool listed = cover.multipliers.size() > 1;
  if (support == 0 || (listed && !decoder.solution->exact)) return 0;
  const std::size_t claim =
      text.claim("label-margins", problem,
                 "from " + std::to_string(support) + " nu " + certificate_number(Rational(cover.proved)));
  text.line("cover " + std::to_string(cover.proof.size()) + " vectors " +
            std::to_string(listed ? cover.multipliers.size() : 0));
  if (listed) {
    for (const MultiplierChoice& choice : cover.multipliers)
      text.vector("multipliers", changed(*decoder.solution->exact, *decoder.selection, choice.change));
  }
  for (const CoverNode& node : cover.proof) text.line(line_of(node, listed));
  return claim;
}

void write_joint_path(CertificateText& text, std::size_t problem, std::size_t optimum, std::size_t margins,
                      std::size_t plain, const JointProofs& proofs) {
  const JointPathBound& bound = *proofs.path;
  std::string words = "from " + std::to_string(optimum) + " label-margins " + std::to_string(margins);
  if (plain != 0) words += " plain " + std::to_string(plain);
  words += std::string(" loss ") + name(proofs.loss) + " from-radius " +
           certificate_number(bound.least_radius) + " from-decoder-radius " +
           certificate_number(bound.least_decoder_radius) + " slope " +
           (bound.relaxed ? number_above(bound.slope) : "0") + " decay " + number_above(bound.decoder_decay) +
           " decoder-rate " + number_above(bound.decoder_rate) + " rate-constant " + number_above(bound.rate);
  text.claim("joint-path", problem, words);
  text.line("excess " + certificate_number(bound.excess) + " window " + certificate_number(bound.window));
}

std::string step_words(const std::string& whose, const JointStep& step) {
  return ' ' + whose + (step.normalised ? " ngd step " : " gd step ") + certificate_number(step.step) +
         " power " + certificate_number(step.power);
}

void write_joint_forever(CertificateText& text, std::size_t problem, std::size_t optimum, std::size_t support,
                         std::size_t run, const JointProof& proof) {
  const JointRegion& region = proof.region;
  const auto above = [](const char* word, const Ball& x) { return word + number_above(x); };
  const auto below = [](const char* word, const Ball& x) { return word + number_below(x); };
  text.claim("joint-forever", problem,
             "from " + std::to_string(optimum) + " support " + std::to_string(support) + " joint-run " +
                 std::to_string(run) + " at " + std::to_string(proof.t0) +
                 below(" decoder ", region.decoder_start) + below(" growth ", region.decoder_growth) +
                 above(" lateral ", region.lateral) + above(" loss ", region.loss) +
                 below(" decay ", region.decoder_margin) + below(" attention ", region.attention_start) +
                 below(" growth ", region.attention_growth) + above(" spread ", region.spread) +
                 above(" unselected ", region.unselected) + below(" fall ", region.unselected_fall));
  const JointRegionChoices& choices = region.choices;
  const auto exact = [](const char* word, double x) { return word + certificate_number(Rational(x)); };
  text.line(exact("deficit ", choices.deficit) + exact(" reach ", choices.reach) +
            exact(" aside ", choices.aside) + " boxes " + counted(choices.boxes));
}

std::size_t write_joint_run(CertificateText& text, std::size_t problem, std::size_t optimum,
                            std::size_t decoder, const JointRunProof& run) {
  const std::vector<JointPoint>& points = *run.checkpoints;
  const std::size_t claim = text.claim(
      "joint-run", problem,
      "from " + std::to_string(optimum) + " decoder-from " + std::to_string(decoder) + " loss " +
          name(run.spec->loss) + step_words("attention", run.spec->attention) +
          step_words("decoder", run.spec->decoder) + " decoder-start " +
          (run.decoder_from_instance ? "instance" : "zero") + " steps " + std::to_string(points.back().step));
  text.line("checkpoints " + std::to_string(points.size()) + " bits " + std::to_string(run.bits));
  for (const JointPoint& point : points) {
    std::string line = "checkpoint " + std::to_string(point.step) + stated_band("norm", point.norm) +
                       stated_band("decoder-norm", point.decoder_norm) +
                       stated_band("loss", point.loss, true);
    const Ball& corr = point.one_minus_corr[run.problem];
    if (corr.is_finite()) line += stated_band("one-minus-corr", corr);
    if (point.decoder_one_minus_corr.is_finite())
      line += stated_band("decoder-one-minus-corr", point.decoder_one_minus_corr);
    text.line(line);
  }
  return claim;
}

}  // namespace

Certificate write_joint_certificate(CertifiedFacts decoder, const std::optional<CertifiedFacts>& attention,
                                    const JointProofs& proofs) {
  std::size_t support = 0, margins = 0, plain = 0, decoder_optimum = 0;
  const CertifiedFacts decoder_facts = decoder;
  decoder.more = [&](CertificateText& text, std::size_t problem, std::size_t optimum) {
    decoder_optimum = optimum;
    for (const WrittenClaim& claim : text.claims()) {
      if (claim.kind == "support") support = claim.number;
    }
    if (proofs.margins != nullptr)
      margins = write_label_margins(text, problem, support, decoder_facts, *proofs.margins);
  };
  std::vector<CertifiedFacts> facts{decoder};
  if (proofs.plain) {
    facts.push_back(*proofs.plain);
    facts.back().more = [&](CertificateText&, std::size_t, std::size_t optimum) { plain = optimum; };
  }
  if (attention) {
    facts.push_back(*attention);
    facts.back().more = [&](CertificateText& text, std::size_t problem, std::size_t optimum) {
      text.claim("joint-attention", problem, "from " + std::to_string(support));
      if (proofs.path != nullptr && margins != 0)
        write_joint_path(text, problem, optimum, margins, plain, proofs);
      if (!proofs.run || optimum == 0 || decoder_optimum == 0) return;
      const std::size_t run = write_joint_run(text, problem, optimum, decoder_optimum, *proofs.run);
      if (proofs.run->forever != nullptr && support != 0)
        write_joint_forever(text, problem, optimum, support, run, *proofs.run->forever);
    };
  }
  return write_certificate(facts);
}

}  // namespace attest
