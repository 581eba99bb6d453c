#include "certify/reports/certify_norm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/merged.hpp"

namespace attest {
namespace {

const char* verdict(const CertifyAnswer& answer) {
  switch (answer.solution.feasibility) {
    case Feasibility::infeasible:
      return "infeasible";
    case Feasibility::undecided:
      return "undecided";
    case Feasibility::feasible:
      break;
  }
  return answer.decided() ? "feasible" : "undecided";
}

std::string reason(const CertifyAnswer& answer) {
  if (!answer.solution.reason.empty()) return answer.solution.reason;
  return answer.in_norm ? answer.in_norm->reason : "";
}

// Nothing when no interval was found, or only its upper end.
const NormOptimum* optimum(const CertifyAnswer& answer) {
  return answer.in_norm && answer.in_norm->optimum ? &*answer.in_norm->optimum : nullptr;
}

std::optional<Interval> value(const CertifyAnswer& answer) {
  if (answer.vacuous()) return Interval{0, 0};
  const NormOptimum* found = optimum(answer);
  return found == nullptr ? std::nullopt : std::optional<Interval>(found->value);
}

// Do both problems meet, with and without the bound of the rank, within the gap asked for?
bool meets(const CertifyAnswer& answer) {
  const std::optional<NormOptimum>& bounded = answer.in_norm->of_rank;
  const auto gap = bounded ? bounded->relative_gap() : std::nullopt;
  return gap && *gap <= answer.gap;
}

std::optional<Interval> margin(const CertifyAnswer& answer) {
  const NormOptimum* found = optimum(answer);
  if (found == nullptr || found->value.lo <= 0) return std::nullopt;
  return point(1) / found->value;
}

// Digits that show the gap, at least 40.
int digits(const CertifyAnswer& answer) {
  const double gap = mpq_get_d(answer.gap.backend().data());
  return gap > 0 ? std::max(40, 6 - static_cast<int>(std::floor(std::log10(gap)))) : 320;
}

// A token that has margin 1 at every solution and scores no less than the selected one.
std::optional<Constraint> local_witness(const CertifyAnswer& answer) {
  const NuclearSolution* solution = answer.nuclear_solution();
  if (!answer.face && solution == nullptr) return std::nullopt;
  for (const Constraint& tight : answer.face ? answer.face->tight : solution->support())
    if (score_gap(answer.data, answer.selection, tight) <= 0) return tight;
  return std::nullopt;
}

// Why no solution in the nuclear norm is enclosed.
std::string open_enclosure_words(const NoEnclosure& no) {
  switch (no.why) {
    case NoEnclosure::Why::no_point:
      return "Newton's method was not begun";
    case NoEnclosure::Why::size:
      return "its equations have " + std::to_string(no.unknowns) + " unknowns, of which at most " +
             std::to_string(NoEnclosure::most) + " are tried";
    case NoEnclosure::Why::multiplier:
      return "the multiplier of token " + short_place(*no.at) + " is not told from 0";
    case NoEnclosure::Why::margin:
      return "the margin of token " + short_place(*no.at) + ", which has no multiplier, is not told from 1";
    case NoEnclosure::Why::singular:
      return "the equations are singular there, or nearly: of several solutions, or of multipliers that "
             "can be exchanged, as those of equal sequences";
    case NoEnclosure::Why::singular_value:
      return "one more singular value of the dual matrix is not told from 1";
    case NoEnclosure::Why::precision:
      return "more digits than are tried would be needed; features of size near 1 need fewer";
    case NoEnclosure::Why::limit:
      break;
  }
  return no.reason;
}

// Have all tokens of margin 1 at a solution, at any there may be, less score than the selected ones?
std::optional<bool> locally_optimal(const CertifyAnswer& answer) {
  if (answer.solution.feasibility == Feasibility::infeasible || local_witness(answer)) return false;
  if (answer.vacuous()) return true;
  if (optimum(answer) == nullptr) return std::nullopt;
  const bool best = !global_optimality_witness(answer.data, answer.selection);
  // Of one solution all tokens of margin 1 are known.
  const bool one = (answer.face && answer.face->unique() == true) || answer.nuclear_solution() != nullptr;
  return best || one || optimum(answer)->locally_optimal ? std::optional<bool>(true) : std::nullopt;
}

// Why local optimality is open, and what may decide it; empty where it is not.
std::string why_open(const CertifyAnswer& answer) {
  if (locally_optimal(answer)) return "";
  const NormOptimum* found = optimum(answer);
  if (found == nullptr) return "no solution is known";
  if (!found->support_within) return "which tokens have margin 1 at all solutions is not known";
  for (const Constraint& near : *found->support_within)
    if (score_gap(answer.data, answer.selection, near) <= 0)
      return "token " + short_place(near) +
             " scores no less; is its margin above 1? A smaller --gap may tell";
  return "a smaller --gap may tell";
}

// "yes", or "no" or "undecided" and why.
std::string local_words(const CertifyAnswer& answer) {
  const auto local = locally_optimal(answer);
  if (!local) return "undecided: " + why_open(answer);
  if (*local) return "yes";
  const auto witness = local_witness(answer);
  return witness ? "no: token " + short_place(*witness) + ", margin 1 at every solution, scores no less"
                 : "no: infeasible";
}

// Why the problem of bounded rank is not known to have the value of every rank.
std::string why_apart(const CertifyAnswer& answer) {
  const std::optional<NormOptimum>& bounded = answer.in_norm->of_rank;
  if (!bounded)
    return "no separating K Q' of so few columns was found, which does not prove that there is none";
  const auto gap = bounded->relative_gap();
  return "a relative gap of " + (gap ? decimal_up(*gap, 3) : "more than 1") +
         " is left between the best such matrix that a local search found and the least norm of every rank "
         "(no better bound is known: the problem is not convex)";
}

// The rank from which on they do: that of the matrix which comes near the least norm.
std::string way_to_meet(const CertifyAnswer& answer) {
  const std::size_t rank = optimum(answer)->factor_columns();
  if (!answer.decided()) return "the least norm of every rank is not known within the gap asked for either";
  return "from --rank " + std::to_string(rank) + " on they meet";
}

// The same among matrices of the rank asked for.
std::string rank_text(const CertifyAnswer& answer) {
  const std::string what = "rank at most " + std::to_string(answer.rank_asked);
  const std::optional<NormOptimum>& bounded = answer.in_norm->of_rank;
  std::string out = bounded ? fact_line(what, "least norm in " + show(bounded->value, 20), true)
                            : fact_line(what, "undecided: " + why_apart(answer));
  if (meets(answer)) {
    out += fact_line("", "both problems meet, up to a relative " + decimal_up(*bounded->relative_gap(), 3));
  } else if (bounded) {
    out += fact_line("", "whether both problems meet is open: " + why_apart(answer));
  }
  if (!meets(answer)) out += fact_line("", way_to_meet(answer));
  return out;
}

// Is there one solution only?
std::optional<bool> unique_solution(const CertifyAnswer& answer) {
  if (answer.norm.strictly_convex() || answer.nuclear_solution() != nullptr) return true;
  return answer.face ? answer.face->unique() : std::nullopt;
}

Json face_json(const CertifyAnswer& answer) {
  if (!answer.face) return nullptr;
  const std::optional<FaceEvidence>& shown = answer.face->evidence;
  return {{"dimension", {answer.face->dimension_at_least, answer.face->dimension_at_most}},
          {"tight", json_places(answer.face->tight)},
          {"claimed_dimension", shown ? Json{shown->others.size(), shown->entries.size()} : Json(nullptr)}};
}

std::string solution_text(const CertifyAnswer& answer, const NormOptimum& found) {
  std::string out = fact_line("norm of W*", show(found.value, 20), true);
  if (const auto inverse = margin(answer)) out += fact_line("margin", show(*inverse, 20), true);
  if (const auto gap = found.relative_gap())
    out += fact_line("relative gap", "<= " + decimal_up(*gap, 3), true);
  if (answer.norm.kind == NormKind::nuclear) {
    out += fact_line(
        "rank",
        "a matrix K Q' of rank at most " + std::to_string(found.factor_columns()) + " comes this near", true);
  }
  if (answer.rank_asked > 0) out += rank_text(answer);
  out += fact_line("solutions", solutions_words(answer), true);
  if (found.distance) out += fact_line("distance of W*", "<= " + decimal_up(*found.distance, 3), true);
  if (const NuclearSolution* solution = answer.nuclear_solution()) {
    out += fact_line("distance of W*", "<= " + decimal_up(solution->distance, 3) + " (Frobenius)", true);
    out += fact_line("support tokens",
                     std::to_string(solution->support().size()) + " of " +
                         std::to_string(constraint_count(answer.data)) + ", each with a positive multiplier",
                     true);
  }
  if (found.support_within) {
    out += fact_line("support tokens",
                     "all among " + std::to_string(found.support_within->size()) + " of " +
                         std::to_string(constraint_count(answer.data)),
                     true);
  }
  return out;
}

Json rank_json(const CertifyAnswer& answer) {
  Json value{
      {"rank", answer.rank_asked}, {"norm_value", nullptr}, {"relative_gap", nullptr}, {"meets", nullptr}};
  if (optimum(answer) != nullptr && !meets(answer)) {
    value["reason"] = why_apart(answer);
    if (answer.decided()) value["meets_from_rank"] = optimum(answer)->factor_columns();
  }
  if (!answer.in_norm || !answer.in_norm->of_rank) return value;
  const NormOptimum& bounded = *answer.in_norm->of_rank;
  value["norm_value"] = json_enclosure(bounded.value, digits(answer));
  if (const auto gap = bounded.relative_gap()) value["relative_gap"] = decimal_up(*gap, 3);
  value["meets"] = meets(answer);
  return value;
}

Json claimed_distance(const NearRank& near) {
  return near.evidence ? Json(decimal_up(near.evidence->distance, 3)) : Json(nullptr);
}

}  // namespace

std::string solutions_words(const CertifyAnswer& answer) {
  if (answer.norm.strictly_convex()) return "one";
  if (const NuclearSolution* solution = answer.nuclear_solution())
    return "one, of rank " + std::to_string(solution->rank());
  if (answer.norm.kind == NormKind::nuclear) {
    const std::size_t largest = largest_solution_rank(answer.data);
    std::string words = "each of rank at most " + std::to_string(largest);
    if (answer.near_rank && answer.near_rank->rank < largest) {
      words += ", and up to " + decimal_up(answer.near_rank->distance, 3);
      if (answer.near_rank->evidence)
        words += " (in the certificate " + decimal_up(answer.near_rank->evidence->distance, 3) + ")";
      words += " of rank at most " + std::to_string(answer.near_rank->rank);
    }
    words += "; whether there is one is not decided";
    const NoEnclosure* no = answer.enclosure ? std::get_if<NoEnclosure>(&*answer.enclosure) : nullptr;
    return no != nullptr ? words + ": " + open_enclosure_words(*no) : words;
  }
  if (!answer.face) return "whether there is one is not decided";
  const SolutionFace& face = *answer.face;
  const std::string least = std::to_string(face.dimension_at_least),
                    most = std::to_string(face.dimension_at_most);
  return (face.dimension_at_most == 0 ? "one"
          : least == most             ? "a face of dimension " + most
                                      : "a face of dimension " + least + " to " + most) +
         "; tokens of margin 1 in each: " + std::to_string(face.tight.size());
}

std::string norm_text(const CertifyAnswer& answer) {
  const Instance& instance = answer.instance;
  std::string out = fact_line("instance", answer.instance_path);
  out += fact_line("problem", setting_words(instance) + ", " + std::to_string(instance.sequences()) +
                                  " sequences, " + std::to_string(instance.first_row.back()) +
                                  " tokens, dimension " + std::to_string(instance.dimension) + ", " +
                                  std::to_string(constraint_count(answer.data)) + " constraints");
  out += fact_line("norm", answer.norm.word);
  if (!answer.merged.empty()) out += fact_line("equal tokens", merged_text(answer.merged));
  out += fact_line("verdict", verdict(answer), answer.decided());
  if (const std::string why = reason(answer); !why.empty()) out += fact_line("reason", why);
  if (const auto rows = conflict_rows(answer.solution); !rows.empty())
    out += fact_line("conflict", conflict_text(rows), true);
  if (const NormOptimum* found = optimum(answer)) out += solution_text(answer, *found);
  out += fact_line("locally optimal", local_words(answer), locally_optimal(answer).has_value());
  const auto witness = global_optimality_witness(answer.data, answer.selection);
  out += fact_line("globally optimal",
                   witness ? "no: token " + short_place(*witness) + ", it scores no less" : "yes", true);
  if (!answer.file.path.empty())
    out += fact_line("certificate", certificate_words(answer.file, answer.certificate.claims.size()));
  char line[160];
  std::snprintf(line, sizeof line, "c read %.3f s, solve %.3f s, write %.3f s, total %.3f s\n",
                answer.read_seconds, answer.solve_seconds, answer.write_seconds, answer.total_seconds);
  out += line;
  if (answer.in_norm) {
    out += "c path " + answer.in_norm->path + ", precision " +
           std::to_string(answer.in_norm->precision_bits) + " bits\n";
  }
  return out + verdict_line(verdict(answer), answer.vacuous());
}

Json norm_json_value(const CertifyAnswer& answer) {
  const NormOptimum* found = optimum(answer);
  const auto enclosed = [&](const std::optional<Interval>& x) { return json_enclosure(x, digits(answer)); };
  Json value_of;
  value_of["verdict"] = verdict(answer);
  if (const std::string why = reason(answer); !why.empty()) value_of["reason"] = why;
  value_of["setting"] = name(answer.instance.setting);
  value_of["norm"] = answer.norm.word;
  value_of["merged"] = json_merged(answer.merged);
  value_of["selection"] = answer.selection;
  value_of["margin"] = enclosed(margin(answer));
  value_of["norm_value"] = enclosed(value(answer));
  const auto gap = found == nullptr ? std::nullopt : found->relative_gap();
  value_of["relative_gap"] = gap ? Json(decimal_up(*gap, 3)) : Json(nullptr);
  const bool factored = answer.norm.kind == NormKind::nuclear && found != nullptr;
  // A norm above 0 is no zero matrix's.
  value_of["rank_lower"] = gap ? Json(1) : answer.vacuous() ? Json(0) : Json(nullptr);
  value_of["rank_upper"] = factored ? Json(found->factor_columns()) : Json(nullptr);
  if (answer.rank_asked > 0) value_of["rank_bounded"] = rank_json(answer);
  value_of["rank_of_every_solution"] = factored ? Json(largest_solution_rank(answer.data)) : Json(nullptr);
  value_of["near_rank"] = answer.near_rank ? Json{{"rank", answer.near_rank->rank},
                                                  {"distance", decimal_up(answer.near_rank->distance, 3)},
                                                  {"claimed_distance", claimed_distance(*answer.near_rank)}}
                                           : Json(nullptr);
  const NuclearSolution* solution = answer.nuclear_solution();
  value_of["rank"] = solution != nullptr ? Json(solution->rank()) : Json(nullptr);
  const auto unique = found == nullptr ? std::nullopt : unique_solution(answer);
  value_of["unique"] = unique ? Json(*unique) : Json(nullptr);
  value_of["face"] = face_json(answer);
  value_of["distance"] =
      found != nullptr && found->distance ? Json(decimal_up(*found->distance, 3)) : Json(nullptr);
  value_of["solution"] =
      solution != nullptr ? Json{{"distance", decimal_up(solution->distance, 3)}} : Json(nullptr);
  value_of["support"] = answer.vacuous()      ? Json::array()
                        : solution != nullptr ? json_places(solution->support())
                                              : Json(nullptr);
  value_of["support_within"] =
      found != nullptr && found->support_within ? json_places(*found->support_within) : Json(nullptr);
  const auto local = locally_optimal(answer);
  const auto witness = global_optimality_witness(answer.data, answer.selection);
  value_of["locally_optimal"] = local ? Json(*local) : Json(nullptr);
  if (!local) value_of["locally_optimal_reason"] = why_open(answer);
  value_of["globally_optimal"] = !witness;
  Json witnesses = Json::object();
  if (const auto at = local_witness(answer)) witnesses["locally_optimal"] = json_place(*at);
  if (witness) witnesses["globally_optimal"] = json_place(*witness);
  if (const auto rows = conflict_rows(answer.solution); !rows.empty()) witnesses.update(json_conflict(rows));
  value_of["witness"] = std::move(witnesses);
  value_of["vacuous"] = answer.vacuous();
  value_of["claims"] = json_claims(answer.certificate.claims);
  value_of["certificate"] = json_file(answer.file);
  value_of["statistics"] = {{"path", answer.in_norm ? answer.in_norm->path : ""},
                            {"precision_bits", answer.in_norm ? answer.in_norm->precision_bits : 0},
                            {"read_seconds", answer.read_seconds},
                            {"solve_seconds", answer.solve_seconds},
                            {"write_seconds", answer.write_seconds},
                            {"total_seconds", answer.total_seconds},
                            {"certificate_bytes", answer.file.bytes},
                            {"certificate_lines", answer.certificate.lines}};
  return value_of;
}

}  // namespace attest
