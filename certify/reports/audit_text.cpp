// The text of an audit; see reports/audit.hpp.
#include "certify/reports/audit_text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <vector>

#include "certify/audits/audit_summary.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/numbers/decimal_enclosure.hpp"
#include "certify/reports/audit.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/margin_facts.hpp"

namespace attest {
namespace {

constexpr std::size_t summary_width = 100;

std::string sequences(std::size_t count) {
  return with_commas(count) + (count == 1 ? " sequence" : " sequences");
}

// "N sequences: 1 4 7 ...".
std::string numbered(const std::vector<std::size_t>& groups) {
  if (groups.empty()) return "none";
  constexpr std::size_t most = 10;
  std::string text = sequences(groups.size()) + ":";
  for (std::size_t k = 0; k < std::min(most, groups.size()); ++k) text += " " + std::to_string(groups[k]);
  return text + (groups.size() > most ? " ..." : "");
}

// "in N sequences: 3 (tokens 0 4 7), 5 (tokens 1 2) ...", as many as fit the line.
std::string numbered(const std::vector<TokenClass>& classes) {
  if (classes.empty()) return "none";
  constexpr std::size_t most_tokens = 4, width = 55;
  std::size_t groups = 0;
  for (std::size_t k = 0; k < classes.size(); ++k)
    groups += k == 0 || classes[k].group != classes[k - 1].group;
  std::string text = "in " + sequences(groups) + ":";
  for (std::size_t k = 0; k < classes.size(); ++k) {
    std::string one = (k == 0 ? " " : ", ") + std::to_string(classes[k].group) + " (tokens";
    const std::vector<std::size_t>& tokens = classes[k].tokens;
    for (std::size_t t = 0; t < std::min(most_tokens, tokens.size()); ++t)
      one += " " + std::to_string(tokens[t]);
    one += tokens.size() > most_tokens ? " ...)" : ")";
    if (k > 0 && text.size() + one.size() > width) return text + " ...";
    text += one;
  }
  return text;
}

class InstanceText {
 public:
  explicit InstanceText(const AuditedInstance& audited)
      : audited_(audited), certified_(audited.certified), solution_(audited.certified.solution) {}

  std::string run() {
    paragraph();
    shape();
    tokens();
    margin_problem();
    selected_sets();
    conflicts();
    sequences_at_optimum();
    resolution();
    theorems();
    certificate();
    costs();
    return std::move(out_);
  }

  // The verdict only.
  std::string shortened() {
    paragraph();
    return std::move(out_);
  }

 private:
  void paragraph() {
    out_ +=
        "audit of " + certified_.instance_path + "\n  " + wrapped(audited_.summary, 2, summary_width) + "\n";
  }

  void fact(const std::string& what, const std::string& value, bool checked = false) {
    out_ += fact_line(what, value, checked);
  }

  void selected_sets() {
    if (!audited_.sets) return;
    const SelectedSetsAnswer& sets = *audited_.sets;
    fact("selected sets",
         std::string(verdict_word(sets.solution.feasibility)) + ": " + std::to_string(sets.rows) +
             " constraints >= 1, " + std::to_string(sets.equalities) + " equalities",
         sets.decided());
  }

  void shape() {
    const Instance& instance = certified_.instance;
    std::string text = setting_words(instance);
    text += ", " + sequences(instance.sequences()) + ", " + with_commas(instance.first_row.back()) +
            " tokens, dimension " + std::to_string(instance.dimension) + ", " +
            audited_.resolution.number_format;
    fact("data", text);
  }

  void tokens() {
    fact("equal tokens", numbered(audited_.equal_tokens), true);
    fact("ties of best score", numbered(audited_.ties), true);
    fact("zero queries", numbered(audited_.zero_queries), true);
    fact("selection", certified_.instance.alpha      ? "alpha of the file"
                      : audited_.selection_is_choice ? "best scores, the first token where they tie"
                                                     : "best scores");
  }

  void margin_problem() {
    if (solution_.feasibility == Feasibility::undecided) {
      fact("margin problem", "undecided: " + solution_.reason);
      if (solution_.margin_bound)
        fact("margin 1/||W*||", "at most " + decimal_up(solution_.margin_bound->bound, 4), true);
      return;
    }
    if (solution_.feasibility == Feasibility::infeasible) {
      fact("margin problem", "infeasible", true);
      return;
    }
    if (certified_.vacuous()) {
      fact("margin problem", "feasible: there are no constraints", true);
      return;
    }
    fact("margin problem", "feasible", true);
    if (solution_.exact || solution_.enclosed || solution_.gap) {
      const Interval squared =
          solution_.exact ? point(solution_.exact->norm_squared) : solution_.norm_squared;
      fact("margin 1/||W*||", shared_digits(decimal_inverse_square_root(squared, 40), 30), true);
    } else if (!solution_.reason.empty()) {
      fact("margin 1/||W*||", "undecided: " + solution_.reason);
    }
    if (solution_.support) {
      fact("support tokens",
           with_commas(solution_.support->size()) + " of " + with_commas(constraint_count(certified_.data)) +
               optimality(),
           true);
    }
  }

  std::string optimality() const {
    if (!solution_.locally_optimal) return "";
    return *solution_.locally_optimal ? "; locally optimal" : "; not locally optimal";
  }

  void conflicts() {
    if (solution_.feasibility == Feasibility::feasible) return;
    fact("never separable", numbered(audited_.never_separable), true);
    const std::size_t alone = audited_.never_separable.size(), all = audited_.conflicts.size();
    std::string text = all == 0 ? "none found" : with_commas(all) + " that share no sequence";
    if (all > 0 && alone > 0) text += ", " + with_commas(alone) + " of one sequence";
    fact("conflicts", text, all > 0);
    // The first of one sequence, then the smallest others.
    if (alone > 0) fact("", conflict(audited_.conflicts[0]));
    for (std::size_t k = alone; k < std::min(all, alone + 3); ++k) fact("", conflict(audited_.conflicts[k]));
    if (!audited_.conflicts_reason.empty()) fact("", "there may be more (" + audited_.conflicts_reason + ")");
    const DropBounds& drop = audited_.drop;
    const bool none_stays = drop.at_least == certified_.instance.sequences();
    fact("must go",
         none_stays ? (drop.at_least == 1 ? "the only sequence" : "all " + sequences(drop.at_least))
                    : "at least " + sequences(drop.at_least) +
                          (drop.at_most ? ", at most " + with_commas(*drop.at_most) : ""),
         true);
    if (drop.at_most && !none_stays) fact("separable without", numbered(drop.groups), true);
  }

  static std::string conflict(const Conflict& conflict) {
    constexpr std::size_t most = 8;
    const std::vector<Constraint>& rows = conflict.farkas.constraint;
    std::string text = sequences(conflict.groups.size()) + ", rows";
    for (std::size_t k = 0; k < std::min(most, rows.size()); ++k) text += " " + short_place(rows[k]);
    return text + (rows.size() > most ? " ..." : "");
  }

  void sequences_at_optimum() {
    if (!audited_.holds_down) return;
    std::vector<GroupShare> order;
    for (const GroupShare& one : audited_.shares) {
      if (one.share.lo > 0) order.push_back(one);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const GroupShare& a, const GroupShare& b) { return a.share.lo > b.share.lo; });
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t k = 0; k < std::min(most, order.size()); ++k) {
      text += (k == 0 ? "sequence " : ", sequence ") + std::to_string(order[k].group) + " (" +
              percent(order[k].share.lo) + ")";
    }
    fact("margin held down by", text, true);
    fact("", order.size() == certified_.data.groups()
                 ? "every sequence has a share"
                 : sequences(order.size()) + " with a share, the others could go without changing W*");
  }

  void resolution() {
    const Resolution& resolution = audited_.resolution;
    if (resolution.robust_radius) {
      fact("robust radius",
           "at least " + decimal_down(resolution.robust_radius->lo, 4) + ", at most " +
               decimal_up(resolution.robust_radius->hi, 4),
           true);
    }
    if (!resolution.robust_radius) return;
    fact("data's rounding", resolution.unit ? "at most " + decimal_up(*resolution.unit, 4) +
                                                  " a feature row (" + resolution.number_format + ")"
                                            : "none (" + resolution.number_format + ")");
  }

  void theorems() {
    if (!audited_.theorems_reason.empty() && audited_.theorems.empty()) {
      fact("theorems", "not asked (" + audited_.theorems_reason + ")");
      return;
    }
    std::vector<std::string> ids[3];
    for (const Row& row : audited_.theorems) ids[static_cast<std::size_t>(row.verdict)].push_back(row.id);
    const auto listed = [](const char* word, const std::vector<std::string>& rows) {
      constexpr std::size_t most = 6;
      std::string text = word + (" " + std::to_string(rows.size())) + (rows.empty() ? "" : ":");
      for (std::size_t k = 0; k < std::min(most, rows.size()); ++k) text += " " + rows[k];
      return text + (rows.size() > most ? " ..." : "");
    };
    fact("theorems", listed("hold", ids[0]), true);
    fact("", listed("fail", ids[1]), true);
    const auto late = std::count_if(audited_.theorems.begin(), audited_.theorems.end(), [](const Row& row) {
      return row.verdict == Verdict::undecided && row.reason.starts_with("time");
    });
    fact("", "undecided or not applicable " + std::to_string(ids[2].size()) +
                 (late > 0 ? ", " + std::to_string(late) + " for want of time" : "") +
                 " (attest verify says why)");
  }

  void certificate() {
    if (certified_.file.path.empty()) return;
    fact("certificate", certificate_words(certified_.file, certified_.certificate.claims.size()));
    fact("re-check", check_command(certified_));
  }

  void costs() {
    char line[200];
    const AuditCosts& costs = audited_.costs;
    std::snprintf(
        line, sizeof line,
        "c read %.2f s, margin problem %.2f s, conflicts %.2f s, theorems %.2f s, total %.2f s; %.0f MB\n",
        costs.read_seconds, costs.solve_seconds, costs.conflict_seconds, costs.catalogue_seconds,
        costs.total_seconds, static_cast<double>(costs.process_bytes) / 1e6);
    out_ += line;
  }

  const AuditedInstance& audited_;
  const CertifyAnswer& certified_;
  const MarginSolution& solution_;
  std::string out_;
};

}  // namespace

std::string check_command(const CertifyAnswer& certified) {
  return check_command(certified.instance_path, certified.file);
}

std::string audit_text(const AuditEntry& entry, bool in_full) {
  if (const auto* audited = std::get_if<AuditedInstance>(&entry.found)) {
    InstanceText report(*audited);
    return in_full ? report.run() : report.shortened();
  }
  if (const auto* error = std::get_if<InputError>(&entry.found)) return "refused: " + error->text() + "\n";
  return "audit of " + entry.path + "\n  Not begun (" + std::get<NotAudited>(entry.found).reason + ").\n";
}

std::string text(const std::vector<AuditPart>& parts) {
  std::string out;
  std::size_t count[4] = {};
  for (const AuditPart& part : parts) {
    out += part.text + "\n";
    ++count[part.outcome];
  }
  return out + "s AUDITED feasible " + std::to_string(count[0]) + " infeasible " + std::to_string(count[1]) +
         " undecided " + std::to_string(count[2]) + " refused " + std::to_string(count[3]) + "\n";
}

}  // namespace attest
