#include "certify/certificates/next_token.hpp"

#include "certify/certificates/stated_bounds.hpp"
#include "numerics/runs/record.hpp"

namespace attest {
namespace {

void write_ray(CertificateText& text, const TrainingFacts::FeedForward& stage) {
  constexpr long bits = BallNumber::bits;
  const std::size_t problem = text.problem("next-token feed-forward", "none", *stage.selection);
  text.claim("token-ray", problem, "step " + certificate_number(stage.step));
  std::vector<std::uint64_t> steps;
  for (std::uint64_t t = 0; t <= stage.steps; ++t)
    if (is_checkpoint(t, stage.steps)) steps.push_back(t);
  text.line("checkpoints " + std::to_string(steps.size()));
  for (const std::uint64_t t : steps) {
    const Rational length = stage.step * Rational(t);
    const Ball scale = sqrt(Ball(length * length / stage.squared_norm, bits), bits);
    const Ball others(Rational(stage.outputs - 1), bits);
    const Ball loss = log1p(mul(others, exp(neg(scale), bits), bits), bits);
    text.line("checkpoint " + std::to_string(t) + stated_band("scale", scale) +
              stated_band("loss", loss, true));
  }
}

class AttentionWriter {
 public:
  AttentionWriter(const TrainingFacts::Attention& stage, CertificateText& text)
      : stage_(stage), text_(text) {}

  void run(const TrainingFacts::FeedForward* fed) {
    const bool trained = fed != nullptr && stage_.training != nullptr;
    if (!trained && stage_.shifted.empty()) return;
    problem_ = text_.problem("next-token attention", "none", *stage_.selection);
    optimum_ =
        text_.claim("optimal", problem_, "norm-squared " + certificate_number(stage_.optimum->norm_squared));
    text_.vector("multipliers", stage_.optimum->multipliers);
    if (!trained) return write_sentences("", stage_.shifted);
    run_ = write_run(*fed);
    const std::optional<AttentionLimit>& first = stage_.training->lock_in;
    const std::optional<AttentionLimit>& last = stage_.training->limit;
    std::vector<ShiftedContext> undated, early, late;
    for (const ShiftedContext& sentence : stage_.shifted) {
      const bool dated = sentence.from && last;
      (!dated ? undated : *sentence.from < last->from() ? early : late).push_back(sentence);
    }
    write_sentences("", undated);
    if (!last) return;
    if (first->from() < last->from()) write_later(*first, early);
    write_later(*last, late);
  }

 private:
  static std::string checkpoint_line(const AttentionCheckpoint& at) {
    std::string line = "checkpoint " + std::to_string(at.step) + stated_band("norm", at.norm) +
                       stated_band("loss-gap", at.loss_gap, true) +
                       stated_band("unselected", at.most_unselected, true);
    // None at W = 0.
    if (at.one_minus_corr.is_finite()) line += stated_band("one-minus-corr", at.one_minus_corr);
    return line;
  }

  std::string from_optimum() const { return "from " + std::to_string(optimum_); }

  std::size_t write_run(const TrainingFacts::FeedForward& fed) {
    const std::vector<AttentionCheckpoint>& points = stage_.training->checkpoints;
    const std::size_t claim =
        text_.claim("token-run", problem_,
                    from_optimum() + " feed-forward-step " + certificate_number(fed.step) +
                        " feed-forward-steps " + std::to_string(fed.steps) + " step " +
                        certificate_number(stage_.step) + " steps " + std::to_string(points.back().step));
    text_.line("checkpoints " + std::to_string(points.size()) + " bits " + std::to_string(stage_.bits));
    for (const AttentionCheckpoint& at : points) text_.line(checkpoint_line(at));
    return claim;
  }

  // From a step on, and of sentences by its means.
  void write_later(const AttentionLimit& limit, const std::vector<ShiftedContext>& sentences) {
    const AttentionConclusion& said = limit.conclusion();
    std::string words =
        from_optimum() + " run " + std::to_string(run_) + " at " + std::to_string(limit.from());
    const auto add = [&](const char* word, const Rational& value) {
      words += std::string(" ") + word + ' ' + certificate_number(value);
    };
    add("unselected", said.unselected);
    add("decrease", said.decrease);
    add("loss-gap", said.loss_gap);
    add("loss-ratio", said.loss_ratio);
    add("height", said.height);
    add("growth", said.growth);
    add("lag", said.lag);
    add("residual", said.residual);
    add("path", said.path);
    write_sentences(" forever " + std::to_string(text_.claim("token-forever", problem_, words)), sentences);
  }

  void write_sentences(const std::string& cited, const std::vector<ShiftedContext>& shifted) {
    if (shifted.empty()) return;
    text_.claim("token-shift", problem_,
                from_optimum() + cited + " sentences " + std::to_string(shifted.size()));
    for (const ShiftedContext& sentence : shifted) {
      std::string line = "context " + std::to_string(sentence.context.size());
      for (const TokenId token : sentence.context) line += ' ' + std::to_string(token);
      line += " next " + std::to_string(sentence.next);
      if (sentence.from) line += " from " + std::to_string(*sentence.from);
      text_.line(line);
    }
  }

  const TrainingFacts::Attention& stage_;
  CertificateText& text_;
  std::size_t problem_ = 0, optimum_ = 0, run_ = 0;
};

}  // namespace

Certificate write_training_certificate(const TrainingFacts& facts) {
  CertificateText text(facts.sha256);
  if (facts.feed_forward) write_ray(text, *facts.feed_forward);
  if (facts.attention)
    AttentionWriter(*facts.attention, text).run(facts.feed_forward ? &*facts.feed_forward : nullptr);
  Certificate certificate;
  certificate.claims = text.claims();
  if (certificate.claims.empty()) return certificate;
  certificate.lines = text.lines() + 1;
  certificate.text = std::move(text).finish();
  return certificate;
}

}  // namespace attest
