// What happened along a run: see claims/descent/run.hpp.
#include "proofs/checker/claims/descent/run.hpp"

#include <algorithm>

#include "proofs/checker/runs/fact.hpp"
#include "proofs/checker/runs/replay.hpp"

namespace attest_check {
namespace {

constexpr unsigned most_fraction_bits = 1U << 16;  // that a claim may name
constexpr unsigned least_fraction_bits = 128;      // with fewer bits the Jacobian bound decides nothing
constexpr unsigned guard_bits = 64;                // over the precision the claim names
constexpr unsigned attempts = 3;                   // each with twice the bits of the last
constexpr long band_inset_bits = 32;               // a value keeps 2^-32 of its band's width from both ends

// The precision of a replay that begins with so many bits more than the claim names, or narrows to so many
// more than it lists.
unsigned replay_bits(std::size_t named) {
  return std::max(static_cast<unsigned>(named) + guard_bits, least_fraction_bits);
}

// One attempt, which narrows as the claim lists or keeps its bits. Throws Imprecise where more may help.
class RunCheck {
 public:
  RunCheck(const Claim& claim, const Run& evidence, const ReferenceDirection& direction,
           unsigned fraction_bits, bool narrows)
      : claim_(claim),
        evidence_(evidence),
        narrower_(narrows ? evidence.narrower : std::vector<Width>{}),
        replay_(direction, evidence.specification, evidence.start, fraction_bits) {}

  std::unique_ptr<RunFact> operator()() {
    auto fact = std::make_unique<RunFact>();
    fact->specification = evidence_.specification;
    fact->start = evidence_.start;
    fact->steps = evidence_.steps;
    auto next = evidence_.checkpoints.begin();
    auto width = narrower_.begin();
    for (std::size_t t = 0;; ++t) {
      if (width != narrower_.end() && width->from == t) replay_.narrow(replay_bits(width++->fraction_bits));
      replay_.evaluate();
      if (t <= evidence_.decreases_until) require_decrease(t);
      const bool rated = t > 0 && std::any_of(evidence_.rates.begin(), evidence_.rates.end(),
                                              [&](const Rate& rate) { return rate.from <= t; });
      if (rated || claim_.path_asked) {
        const Place place = replay_.place();
        if (rated) require_rates(t, place);
        if (claim_.path_asked)
          fact->path.push_back({place.along, place.norm * place.norm - place.along * place.along});
      }
      if (next != evidence_.checkpoints.end() && next->step == t) {
        require_checkpoint(*next++);
        if (std::count(claim_.points_asked.begin(), claim_.points_asked.end(), t) > 0)
          fact->points.emplace(t, replay_.facts());
      }
      if (t == evidence_.steps) break;
      claim_.begin_step(t, evidence_.steps);
      replay_.advance();
    }
    return fact;
  }

 private:
  std::string at(std::size_t t) const { return " at step " + std::to_string(t); }

  void require_checkpoint(const Checkpoint& checkpoint) const {
    const Observation seen = replay_.observe();
    const std::string where = at(checkpoint.step);
    require_in(claim_, seen.norm, checkpoint.norm, true, "norm" + where);
    require_in(claim_, seen.along, checkpoint.along, false, "along" + where);
    // Of several outputs the selected tokens' loss need not be the least one.
    const bool least = claim_.problem.features->outputs() == nullptr;
    require_in(claim_, seen.loss_gap, checkpoint.loss_gap, least, "loss-gap" + where);
    require_in(claim_, seen.gradient, checkpoint.gradient, true, "gradient" + where);
    require_in(claim_, seen.unselected, checkpoint.unselected, true, "unselected" + where);
    if (!checkpoint.one_minus_corr) return;
    if (!seen.directed) throw Imprecise{};
    require_in(claim_, seen.one_minus_corr, *checkpoint.one_minus_corr, true, "one-minus-corr" + where);
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
        claim_.fail("rate " + std::string(rate.shape->name) + at(t), error.lower(), "<", bound.upper());
      if (!certainly_less(error, bound)) throw Imprecise{};
    }
  }

  const Claim& claim_;
  const Run& evidence_;
  const std::vector<Width> narrower_;
  Replay replay_;
  LossPoint previous_loss_;
};

Rate read_rate(Reader& in) {
  Rate rate;
  std::string name;
  in.next("rate", name);
  rate.shape = find_rate_shape(name);
  if (rate.shape == nullptr) in.bad("unknown rate shape " + name);
  in("from", rate.from, "constant", rate.constant);
  return rate;
}

}  // namespace

void require_in(const Claim& claim, const Interval& value, const Band& band, bool never_negative,
                const std::string& what) {
  const Rational inset = (band.hi - band.lo) * scale_by_power_of_two(1, -band_inset_bits);
  const Rational least = band.lo + inset, most = band.hi - inset, lo = value.lower(), hi = value.upper();
  const bool open = never_negative && band.lo <= 0;
  if (!open && hi < band.lo) claim.fail(what, band.lo, "<=", hi);
  if (lo > band.hi) claim.fail(what, lo, "<=", band.hi);
  if ((!open && hi <= least) || lo >= most) claim.fail(what + " comes too close to an end of its band");
  if ((!open && lo <= least) || hi >= most) throw Imprecise{};
}

void Run::read(Reader& in) {
  words(in, *this);
  in.next(specification, "fraction-bits", fraction_bits);
  if (fraction_bits > most_fraction_bits) in.bad("more than 65536 fraction bits");
  for (Width last{0, fraction_bits}; in.accept("then"); last = narrower.back()) {
    const Width& width = narrower.emplace_back();
    in(narrower.back());
    if (width.from <= last.from || width.from > steps || width.fraction_bits >= last.fraction_bits)
      in.bad("widths must come at later steps of the run and have fewer bits");
  }
  start = read_start(in);
  const std::size_t count = in.count("checkpoints");
  const Line counted = in.line();
  if (count == 0) in.bad("a run needs a checkpoint");
  for (std::size_t k = 0; k < count; ++k) {
    in.next(checkpoints.emplace_back());
    in.end();
    const std::size_t step = checkpoints.back().step;
    if (step > steps || (k > 0 && step <= checkpoints[k - 1].step))
      counted.bad("checkpoints must increase and not exceed the steps");
  }
  decreases_until = in.count("loss-decreases-until");
  if (decreases_until > steps) in.bad("beyond the last step");
  for (std::size_t left = in.count("rates"); left > 0; --left) {
    const Rate& rate = rates.emplace_back(read_rate(in));
    in.end();
    if (rate.from < (rate.shape->uses_logarithm ? 2U : 1U) || rate.from > steps)
      in.bad("the shape is not defined from this step on, or the run ends before");
  }
}

void Run::describe(const Claim&, Statement& say) const {
  words(say, *this);
  say(specification, words_of(start), "checkpoints", checkpoints.size());
  for (const Checkpoint& checkpoint : checkpoints) say(checkpoint);
  say("loss-decreases-until", decreases_until, "rates", rates.size());
  for (const Rate& rate : rates) say("rate", rate.shape->name, "from", rate.from, "constant", rate.constant);
}

std::unique_ptr<Fact> Run::check(const Claim& claim) const {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  claim.require(!update_rule(specification.rule).uses_loss_gap || infimum_at_selection(claim.problem),
                "the loss of the selected tokens is not known to be the infimum, which the steps use");
  std::string open;
  const unsigned first = replay_bits(fraction_bits);
  const unsigned last = first << (attempts - 1);
  for (unsigned bits = first; bits <= last; bits *= 2) {
    try {
      const ReferenceDirection reference =
          reference_direction(claim, claim.cite(direction), bits + 32, false);
      return RunCheck(claim, *this, reference, bits, bits == first)();
    } catch (const OpenSign& sign) {
      open = ": the sign of unit " + std::to_string(sign.unit) + " of the head is open in group " +
             std::to_string(sign.group) + " at step " + std::to_string(sign.step);
    } catch (const Imprecise&) {
      open.clear();
      // A band that is neither contained nor disjoint, a step that is not proved to exist: more bits.
    }
  }
  claim.fail("the run is not proved with " + std::to_string(last) + " fraction bits" + open);
}

}  // namespace attest_check
