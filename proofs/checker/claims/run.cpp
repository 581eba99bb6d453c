// Claim kind run: what happened along the exact iteration (RUNS.md sections 1 and 3).
#include <algorithm>

#include "proofs/checker/base/patience.hpp"
#include "proofs/checker/runs/fact.hpp"
#include "proofs/checker/runs/rate_shapes.hpp"
#include "proofs/checker/runs/replay.hpp"

namespace attest_check {
namespace {

constexpr unsigned most_fraction_bits = 1U << 16;  // that a claim may name
constexpr unsigned least_fraction_bits = 128;      // with fewer bits the Jacobian bound decides nothing
constexpr unsigned guard_bits = 64;                // over the precision the claim names
constexpr unsigned attempts = 3;                   // each with twice the bits of the last
constexpr long band_inset_bits = 32;               // a value keeps 2^-32 of its band's width from both ends

struct Band {
  Rational lo, hi;
};

struct Checkpoint {
  std::size_t step = 0;
  Band norm, along, one_minus_corr, loss_gap, gradient, unselected;
  bool directed = false;
};

struct Rate {
  const RateShape* shape = nullptr;
  std::string name;
  std::size_t from = 0;
  Rational constant;
};

struct RunEvidence {
  std::size_t direction = 0, steps = 0, decreases_until = 0;
  Specification specification;
  std::size_t fraction_bits = 0;
  StartPoint start;
  std::vector<Checkpoint> checkpoints;
  std::vector<Rate> rates;
};

Band read_band(Line& line, std::string_view name) {
  line.expect(name);
  Band band;
  band.lo = line.rational();
  band.hi = line.rational();
  return band;
}

Checkpoint read_checkpoint(CertificateText& text) {
  Line line = text.next();
  Checkpoint at;
  line.expect("at");
  at.step = line.index();
  at.norm = read_band(line, "norm");
  at.along = read_band(line, "along");
  line.expect("one-minus-corr");
  at.directed = !line.accept("none");
  if (at.directed) {
    at.one_minus_corr.lo = line.rational();
    at.one_minus_corr.hi = line.rational();
  }
  at.loss_gap = read_band(line, "loss-gap");
  at.gradient = read_band(line, "gradient");
  at.unselected = read_band(line, "unselected");
  line.finish();
  return at;
}

// One attempt at one precision. Throws Imprecise where more bits may help.
class RunCheck {
 public:
  RunCheck(const Claim& claim, const RunEvidence& evidence, const ReferenceDirection& direction,
           unsigned fraction_bits)
      : claim_(claim),
        evidence_(evidence),
        replay_(direction, evidence.specification, evidence.start, fraction_bits) {}

  std::unique_ptr<RunFact> operator()() {
    auto fact = std::make_unique<RunFact>();
    fact->specification = evidence_.specification;
    fact->start = evidence_.start;
    fact->steps = evidence_.steps;
    auto next = evidence_.checkpoints.begin();
    StepLine line("claim " + std::to_string(claim_.number) + " (" + claim_.kind + ")");
    for (std::size_t t = 0;; ++t) {
      replay_.evaluate();
      if (t <= evidence_.decreases_until) require_decrease(t);
      const bool rated = t > 0 && std::any_of(evidence_.rates.begin(), evidence_.rates.end(),
                                              [&](const Rate& rate) { return rate.from <= t; });
      if (rated || claim_.path_asked()) {
        const Place place = replay_.place();
        if (rated) require_rates(t, place);
        if (claim_.path_asked())
          fact->path.push_back({place.along, place.norm * place.norm - place.along * place.along});
      }
      if (next != evidence_.checkpoints.end() && next->step == t) {
        require_checkpoint(*next++);
        fact->points.emplace(t, replay_.facts());
      }
      if (t == evidence_.steps) break;
      line.show(t, evidence_.steps);
      replay_.advance();
    }
    state(*fact);
    return fact;
  }

 private:
  void state(RunFact& fact) const {
    Statement& said = fact.statement;
    said.says("from", evidence_.direction, "steps", fact.steps, fact.run(), "checkpoints",
              evidence_.checkpoints.size());
    const auto band = [&](const char* name, const Band& of) { said.says(name, of.lo, of.hi); };
    for (const Checkpoint& point : evidence_.checkpoints) {
      said.says("at", point.step);
      band("norm", point.norm);
      band("along", point.along);
      if (point.directed) band("one-minus-corr", point.one_minus_corr);
      if (!point.directed) said.says("one-minus-corr none");
      band("loss-gap", point.loss_gap);
      band("gradient", point.gradient);
      band("unselected", point.unselected);
    }
    said.says("loss-decreases-until", evidence_.decreases_until, "rates", evidence_.rates.size());
    for (const Rate& rate : evidence_.rates)
      said.says("rate", rate.shape->name, "from", rate.from, "constant", rate.constant);
  }

  std::string at(std::size_t t) const { return " at step " + std::to_string(t); }

  // The rule for bands (RUNS.md section 1): the value lies strictly further inside than 2^-32 of the band's
  // width. So an end that the value meets is refused whatever the rounding. Of what is never negative an end
  // at most 0 asks nothing.
  void require_in(const Interval& value, const Band& band, bool never_negative,
                  const std::string& what) const {
    const Rational inset = (band.hi - band.lo) * scale_by_power_of_two(1, -band_inset_bits);
    const Rational least = band.lo + inset, most = band.hi - inset, lo = value.lower(), hi = value.upper();
    const bool open = never_negative && band.lo <= 0;
    if (!open && hi < band.lo) claim_.fail(what, band.lo, "<=", hi);
    if (lo > band.hi) claim_.fail(what, lo, "<=", band.hi);
    if ((!open && hi <= least) || lo >= most) claim_.fail(what + " comes too close to an end of its band");
    if ((!open && lo <= least) || hi >= most) throw Imprecise{};
  }

  void require_checkpoint(const Checkpoint& checkpoint) const {
    const Observation seen = replay_.observe();
    const std::string where = at(checkpoint.step);
    require_in(seen.norm, checkpoint.norm, true, "norm" + where);
    require_in(seen.along, checkpoint.along, false, "along" + where);
    require_in(seen.loss_gap, checkpoint.loss_gap, true, "loss-gap" + where);
    require_in(seen.gradient, checkpoint.gradient, true, "gradient" + where);
    require_in(seen.unselected, checkpoint.unselected, true, "unselected" + where);
    if (!checkpoint.directed) return;
    if (!seen.directed) throw Imprecise{};
    require_in(seen.one_minus_corr, checkpoint.one_minus_corr, true, "one-minus-corr" + where);
  }

  void require_decrease(std::size_t t) {
    LossPoint loss = replay_.loss_point();
    if (t > 0 && !replay_.loss_decreases(previous_loss_, loss))
      claim_.fail("the loss does not decrease" + at(t - 1));
    previous_loss_ = std::move(loss);
  }

  void require_rates(std::size_t t, const Place& place) const {
    if (!place.directed()) throw Imprecise{};
    const Interval error = place.one_minus_corr();
    const RateTime time(t);
    for (const Rate& rate : evidence_.rates) {
      if (t < rate.from) continue;
      const Interval bound = Interval(rate.constant, 64) * rate.shape->value(time);
      if (certainly_at_most(bound, error))
        claim_.fail("rate " + rate.name + at(t), error.lower(), "<", bound.upper());
      if (!certainly_less(error, bound)) throw Imprecise{};
    }
  }

  const Claim& claim_;
  const RunEvidence& evidence_;
  Replay replay_;
  LossPoint previous_loss_;
};

std::unique_ptr<Fact> check_run(const Claim& claim, const RunEvidence& evidence) {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  const unsigned first =
      std::max(static_cast<unsigned>(evidence.fraction_bits) + guard_bits, least_fraction_bits);
  const unsigned last = first << (attempts - 1);
  for (unsigned bits = first; bits <= last; bits *= 2) {
    try {
      const ReferenceDirection direction =
          reference_direction(claim, claim.cite(evidence.direction), bits + 32, false);
      return RunCheck(claim, evidence, direction, bits)();
    } catch (const Imprecise&) {
      // A band that is neither contained nor disjoint, a step that is not proved to exist: more bits.
    }
  }
  claim.fail("the run is not proved with " + std::to_string(last) + " fraction bits");
}

}  // namespace

Check read_run(const Claim& claim, Line& line, CertificateText& text) {
  RunEvidence evidence;
  evidence.direction = claim.read_citation(line);
  line.expect("steps");
  evidence.steps = line.index();
  line.finish();
  Line specification = text.next();
  evidence.specification = read_specification(specification);
  specification.expect("fraction-bits");
  evidence.fraction_bits = specification.index();
  if (evidence.fraction_bits > most_fraction_bits) specification.bad("more than 65536 fraction bits");
  specification.finish();
  evidence.start = read_start(text, *claim.problem.features);
  Line checkpoints = text.next();
  checkpoints.expect("checkpoints");
  const std::size_t count = checkpoints.index();
  checkpoints.finish();
  if (count == 0) checkpoints.bad("a run needs a checkpoint");
  for (std::size_t k = 0; k < count; ++k) {
    evidence.checkpoints.push_back(read_checkpoint(text));
    const std::size_t step = evidence.checkpoints.back().step;
    if (step > evidence.steps || (k > 0 && step <= evidence.checkpoints[k - 1].step))
      checkpoints.bad("checkpoints must increase and not exceed the steps");
  }
  Line decrease = text.next();
  decrease.expect("loss-decreases-until");
  evidence.decreases_until = decrease.index();
  decrease.finish();
  if (evidence.decreases_until > evidence.steps) decrease.bad("beyond the last step");
  Line rates = text.next();
  rates.expect("rates");
  const std::size_t rate_count = rates.index();
  rates.finish();
  for (std::size_t k = 0; k < rate_count; ++k) {
    Line rate_line = text.next();
    Rate rate;
    rate_line.expect("rate");
    rate.name = rate_line.word();
    rate.shape = find_rate_shape(rate.name);
    if (rate.shape == nullptr) rate_line.bad("unknown rate shape " + rate.name);
    rate_line.expect("from");
    rate.from = rate_line.index();
    rate_line.expect("constant");
    rate.constant = rate_line.rational();
    rate_line.finish();
    if (rate.from < (rate.shape->uses_logarithm ? 2U : 1U) || rate.from > evidence.steps)
      rate_line.bad("the shape is not defined from this step on, or the run ends before");
    evidence.rates.push_back(std::move(rate));
  }
  return [&claim, evidence = std::move(evidence)] { return check_run(claim, evidence); };
}

}  // namespace attest_check
