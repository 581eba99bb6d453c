#include "certify/audits/audit_summary.hpp"

#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "numerics/numbers/ball.hpp"

namespace attest {
namespace {

std::string sequences(std::size_t count) {
  return with_commas(count) + (count == 1 ? " sequence" : " sequences");
}

// What is said to be at least, or at most, a number is rounded to that side.
constexpr int digits = 3;
std::string least(const Rational& value) {
  return decimal_down(value, digits);
}
std::string most(const Rational& value) {
  return decimal_up(value, digits);
}

}  // namespace

std::string percent(const Rational& share) {
  return std::to_string(std::lround(100 * share.convert_to<double>())) + " %";
}

namespace {

class Summary {
 public:
  explicit Summary(const AuditedInstance& audited) : audited_(audited), certified_(audited.certified) {}

  std::string run() {
    verdict();
    what_must_go();
    about_tokens();
    resolution();
    return std::move(text_);
  }

 private:
  void say(const std::string& sentence) { text_ += (text_.empty() ? "" : " ") + sentence; }

  std::string chosen() const {
    if (certified_.instance.alpha) return "the tokens of alpha";
    return audited_.selection_is_choice ? "a best-scored token (the first one where scores tie)"
                                        : "the best-scored token";
  }

  void verdict() {
    const MarginSolution& solution = certified_.solution;
    const std::size_t count = certified_.instance.sequences();
    if (certified_.vacuous()) {
      say("Every sequence has one token only: there is nothing to select.");
      return;
    }
    switch (solution.feasibility) {
      case Feasibility::feasible:
        say("Attention can select " + chosen() + " in " + everywhere(count) + ": some W separates it" +
            margin() + ".");
        optimality();
        break;
      case Feasibility::infeasible:
        say("No attention matrix selects " + chosen() + " in " + everywhere(count) +
            (count == 1 ? "." : " at once."));
        break;
      case Feasibility::undecided:
        say("Whether attention can select " + chosen() + " in " + everywhere(count) + " is not decided (" +
            solution.reason + ").");
        if (solution.margin_bound)
          say("If it can, the margin is at most " + most(solution.margin_bound->bound) + ".");
        break;
    }
  }

  static std::string everywhere(std::size_t count) {
    return count == 1 ? "the one sequence" : "all " + sequences(count);
  }

  std::string margin() const {
    const MarginSolution& solution = certified_.solution;
    if (!solution.exact && !solution.enclosed && !solution.gap) return "";
    const Interval squared = solution.exact ? point(solution.exact->norm_squared) : solution.norm_squared;
    const Ball margin = inverse(sqrt(Ball(squared.lo, squared.hi, 128), 128), 128);
    std::string text = ", with margin about " + decimal_down(margin.lower(), 6);
    if (audited_.holds_down) {
      text += "; sequence " + std::to_string(audited_.holds_down->group) + " holds it down most (" +
              percent(audited_.holds_down->share.lo) + " of all multipliers)";
    }
    return text;
  }

  void optimality() {
    const std::optional<bool>& locally = certified_.solution.locally_optimal;
    if (!locally || *locally || !certified_.solution.local_witness) return;
    const Constraint& c = *certified_.solution.local_witness;
    say("The selection is not locally optimal: token " + std::to_string(c.token) + " of sequence " +
        std::to_string(c.group) + " is as close as any and scores no less.");
  }

  void what_must_go() {
    if (certified_.solution.feasibility == Feasibility::feasible) return;
    const DropBounds& drop = audited_.drop;
    const bool undecided = certified_.solution.feasibility == Feasibility::undecided;
    const std::size_t count = certified_.instance.sequences();
    if (drop.at_least == count) {
      // As many conflicts that share no sequence.
      say(count == 1 ? "It" + alone_too() + "."
                     : "All " + sequences(count) + " must go: each" + alone_too() + ".");
      return;
    }
    if (drop.at_most && *drop.at_most == drop.at_least) {
      say("Exactly " + sequences(drop.at_least) + " must go for the rest to be separable.");
    } else {
      if (!undecided || drop.at_least > 0) say("At least " + sequences(drop.at_least) + " must go.");
      if (drop.at_most)
        say("Without " + with_commas(*drop.at_most) + ", which are named, the rest is separable.");
    }
    if (audited_.never_separable.empty()) return;
    say(sequences(audited_.never_separable.size()) + alone_too() + ".");
  }

  std::string alone_too() const {
    const std::size_t zeros = audited_.zero_queries.size();
    return " can never be separated, not even alone" +
           (zeros == 0 ? ""
            : zeros == audited_.never_separable.size()
                ? ", as the query is zero"
                : " (" + with_commas(zeros) + " with a query of zeros)");
  }

  void about_tokens() {
    if (!audited_.ties.empty()) {
      say("The best score is tied in " + sequences(audited_.ties.size()) +
          (certified_.instance.alpha ? "." : "; the key alpha chooses."));
    }
    if (!audited_.equal_tokens.empty()) {
      std::size_t groups = 0;
      for (std::size_t k = 0; k < audited_.equal_tokens.size(); ++k)
        groups += k == 0 || audited_.equal_tokens[k].group != audited_.equal_tokens[k - 1].group;
      say("Tokens repeat in " + sequences(groups) + ", equal ones are one.");
    }
  }

  void resolution() {
    const Resolution& resolution = audited_.resolution;
    if (!resolution.unit || !resolution.robust_radius) return;
    const std::string rounding =
        "rounding to " + resolution.number_format + " moves one by up to " + most(*resolution.unit);
    switch (resolution.standing) {
      case Resolution::Standing::above:
        say("The answer is above the data's resolution: it stays feasible while no feature row moves by more "
            "than " +
            least(resolution.robust_radius->lo) + ", and " + rounding + ".");
        break;
      case Resolution::Standing::below:
        say("The margin is below the data's resolution: feature rows moved by " +
            most(resolution.robust_radius->hi) + " can make it infeasible, and " + rounding +
            ": separability of the numbers given says nothing about where they came from.");
        break;
      case Resolution::Standing::open:
        say("Whether the margin is above the data's resolution is open: feasible while no feature row moves "
            "by more than " +
            least(resolution.robust_radius->lo) + ", and " + rounding + ".");
        break;
      default:
        break;
    }
  }

  const AuditedInstance& audited_;
  const CertifyAnswer& certified_;
  std::string text_;
};

}  // namespace

std::string audit_summary(const AuditedInstance& audited) {
  return Summary(audited).run();
}

std::string with_commas(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace attest
