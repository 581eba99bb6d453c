#include "certify/reports/checkpoint.hpp"

#include <algorithm>
#include <cstdio>

#include "certify/catalogue/context.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/run.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

constexpr std::size_t most_rows = 8;
constexpr int attention_digits = 20;

std::optional<Interval> norm(const CheckpointAnswer& answer) {
  if (!answer.norm_squared) return std::nullopt;
  return square_root(*answer.norm_squared, 128);
}

std::string attention_sentence(const CheckpointAnswer& answer) {
  std::size_t several_tokens = 0, dominated = 0, tied = 0;
  const SequenceAttention* widest = nullptr;
  std::size_t at = 0;
  const Ball half(Rational(1, 2), 64);
  for (std::size_t i = 0; i < answer.attention.size(); ++i) {
    const SequenceAttention& sequence = answer.attention[i];
    if (sequence.attention.size() < 2) continue;
    ++several_tokens;
    dominated += certainly_less(sequence.left, half);
    tied += !sequence.tied.empty();
    if (widest == nullptr || sequence.left.approx_mid() > widest->left.approx_mid()) {
      widest = &sequence;
      at = i;
    }
  }
  if (widest == nullptr) return "No sequence has two tokens: attention is 1 everywhere.";
  std::string text =
      "In " + std::to_string(dominated) + " of " + several(several_tokens, "sequence") +
      " one token has more than half of the attention; the most that is left for other tokens is " +
      short_number(widest->left, 4) + ", in sequence " + std::to_string(at) + ".";
  if (tied > 0)
    text += " In " + several(tied, "sequence") +
            " the largest logit is shared by several tokens; the best-scored one of them is taken.";
  return text;
}

std::string selection_sentence(const CheckpointAnswer& answer) {
  std::string text = "W is nearest to the selection " + show(answer.selection);
  const auto better = global_optimality_witness(answer.data, answer.selection);
  text += better ? ", which is not the best-scored one (" + place(*better) + " scores no less)"
                 : ", the best-scored one";
  if (answer.one_minus_corr)
    text += "; 1 - correlation with its max-margin direction is " + short_number(*answer.one_minus_corr, 4);
  return text + ".";
}

std::string training_sentence(const CheckpointAnswer& answer) {
  std::string text;
  for (const CheckpointTraining& training : answer.training) {
    if (training.forever.verdict != "holds") continue;
    text += std::string(text.empty() ? "Training W by " : "; by ") + training.spec.rule->long_name() + " (" +
            training.spec.rule->step_word() + " " + show_short(training.spec.step) + ")";
    text += " tends for ever to that direction, by " + training.forever.theorem;
    if (training.forever.dominates_from == 0)
      text += ", and every selected token keeps more than half of the attention";
  }
  return text.empty() ? text : text + ".";
}

std::string first_places(const std::vector<Constraint>& rows) {
  std::string text;
  for (std::size_t k = 0; k < std::min(rows.size(), most_rows); ++k)
    text += " (" + std::to_string(rows[k].group) + "," + std::to_string(rows[k].token) + ")";
  return rows.size() > most_rows ? text + " ... (" + std::to_string(rows.size()) + " in all)" : text;
}

std::string margins_sentence(const CheckpointAnswer& answer) {
  const Constraint& worst = answer.blocking.front();
  const Rational& margin = answer.margins[answer.data.row(worst.group, worst.token)];
  const MarginShortfall& shortfall = *answer.least_shortfall();
  char level[32];
  std::snprintf(level, sizeof level, "%.3g", shortfall.level);
  return "No theorem about all later steps applies yet: " + several(answer.blocking.size(), "token") +
         (answer.blocking.size() == 1 ? " has" : " have") + " too small a margin. The least is " +
         short_number(point(margin), 4) + ", of " + place(worst) +
         (shortfall.on_ray
              ? "; a theorem would apply further along the max-margin direction, from margins of "
                "about " +
                    std::string(level) + " on (measured)."
              : "; a theorem would apply if all margins were about " + std::string(level) + " (measured).");
}

std::string blockage_sentence(const CheckpointAnswer& answer) {
  switch (answer.blockage) {
    case Blockage::none:
      return training_sentence(answer);
    case Blockage::vacuous:
      return "There is nothing that training could separate.";
    case Blockage::infeasible:
      return "No theorem about all later steps can apply: no attention matrix separates this selection; " +
             conflict_text(answer.blocking) + ".";
    case Blockage::not_locally_optimal:
      return "No theorem about all later steps can apply: the selection is not locally optimal. " +
             several(answer.blocking.size(), "support token") +
             (answer.blocking.size() == 1 ? " scores" : " score") +
             " no less than the selected token of the sequence, first " + place(answer.blocking.front()) +
             ". Only directions of locally optimal selections are known as limits.";
    case Blockage::margins:
      return margins_sentence(answer);
    case Blockage::undecided:
      return "What follows for later steps was not decided: " + answer.reason + ".";
    case Blockage::other:
      break;
  }
  return "No theorem about all later steps applies: " +
         (answer.reason.empty() ? std::string("none covers these steps") : answer.reason) + ".";
}

Json json_training(const CheckpointTraining& training) {
  Json value{{"optimizer", training.spec.rule->word()},
             {"step", show_short(training.spec.step)},
             {"loss", name(training.spec.loss)}};
  value.update(json_forever(training.forever));
  value["needed_margin"] = training.shortfall ? Json(training.shortfall->level) : Json(nullptr);
  return value;
}

Json json_sequence(const SequenceAttention& sequence) {
  Json list = Json::array();
  for (const Ball& share : sequence.attention)
    list.push_back(json_enclosure(interval_of(share), attention_digits));
  return {{"nearest", sequence.nearest},
          {"tied", sequence.tied},
          {"attention", std::move(list)},
          {"one_minus_s", json_enclosure(interval_of(sequence.left), attention_digits)}};
}

// The sequences with the most attention left for others, one a line.
std::string attention_lines(const CheckpointAnswer& answer) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < answer.attention.size(); ++i) {
    if (answer.attention[i].attention.size() > 1) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return answer.attention[a].left.approx_mid() > answer.attention[b].left.approx_mid();
  });
  std::string out = padded("sequence", 12) + padded("nearest", 12) + padded("attention", 14) +
                    padded("left", 14) + "next token, its margin\n";
  for (std::size_t k = 0; k < std::min(order.size(), most_rows); ++k) {
    const std::size_t i = order[k];
    const SequenceAttention& sequence = answer.attention[i];
    std::size_t next = sequence.nearest == 0 ? 1 : 0;
    const auto margin = [&](std::size_t t) { return answer.margins[answer.data.row(i, t)]; };
    for (std::size_t t = 0; t < sequence.attention.size(); ++t) {
      if (t != sequence.nearest && margin(t) < margin(next)) next = t;
    }
    out += padded(std::to_string(i), 12) + padded(std::to_string(sequence.nearest), 12) +
           padded(short_number(sequence.attention[sequence.nearest]), 14) +
           padded(short_number(sequence.left), 14) + std::to_string(next) + ", " +
           short_number(point(margin(next))) + "\n";
  }
  if (order.size() > most_rows)
    out += "... the " + several(most_rows, "sequence") + " of " + std::to_string(order.size()) +
           " with the most attention left for other tokens; --json has all\n";
  return out;
}

}  // namespace

const char* verdict_word(const CheckpointAnswer& answer) {
  if (answer.blockage == Blockage::none) return "holds";
  return answer.blockage == Blockage::undecided ? "undecided" : "open";
}

std::string blockage_word(Blockage blockage) {
  switch (blockage) {
    case Blockage::none:
      return "";
    case Blockage::vacuous:
      return "vacuous";
    case Blockage::infeasible:
      return "infeasible";
    case Blockage::not_locally_optimal:
      return "not-locally-optimal";
    case Blockage::margins:
      return "margins";
    case Blockage::undecided:
      return "undecided";
    case Blockage::other:
      break;
  }
  return "other";
}

std::vector<std::string> summary(const CheckpointAnswer& answer) {
  if (answer.attention.size() < answer.data.groups()) return {blockage_sentence(answer)};
  std::vector<std::string> sentences{attention_sentence(answer), selection_sentence(answer),
                                     blockage_sentence(answer)};
  if (answer.factored && answer.blockage == Blockage::none)
    sentences.push_back("This is about training W itself; training K and Q moves W = K Q' in another way.");
  return sentences;
}

std::string text(const CheckpointAnswer& answer) {
  std::string out = fact_line("instance", answer.instance_path);
  out += fact_line("layer", answer.factored ? "W = K Q', multiplied exactly" : "W");
  if (const auto length = norm(answer)) out += fact_line("||W||", short_number(*length, 12), true);
  if (answer.one_minus_corr) out += fact_line("1 - corr", short_number(*answer.one_minus_corr, 8), true);
  if (!answer.attention.empty()) out += attention_lines(answer);
  for (const CheckpointTraining& training : answer.training) {
    const std::string what = std::string(training.spec.rule->word()) + ", " +
                             training.spec.rule->step_word() + " " + show_short(training.spec.step);
    for (const ForeverAnswer::Proof& proof : training.forever.proofs)
      out += fact_line(what, "for ever by " + proof.theorem + ": 1-corr = O(" + proof.rate + ")", true);
    if (training.forever.proofs.empty())
      out += fact_line(what, "nothing for ever: " + training.forever.reason);
  }
  if (!answer.blocking.empty()) out += fact_line("blocking tokens", first_places(answer.blocking).substr(1));
  if (!answer.file.path.empty())
    out += fact_line("certificate", certificate_words(answer.file, answer.certificate.claims.size()));
  out += "\n";
  for (const std::string& sentence : summary(answer)) out += sentence + "\n";
  char line[64];
  std::snprintf(line, sizeof line, "c total %.3f s\n", answer.total_seconds);
  return out + line + verdict_line(verdict_word(answer));
}

std::string json(const CheckpointAnswer& answer) {
  Json value;
  value["verdict"] = verdict_word(answer);
  if (!answer.reason.empty()) value["reason"] = answer.reason;
  std::string words;
  for (const std::string& sentence : summary(answer)) words += (words.empty() ? "" : " ") + sentence;
  value["summary"] = words;
  value["setting"] = name(answer.setting);
  value["norm"] = json_enclosure(norm(answer));
  value["selection"] = answer.selection;
  value["one_minus_corr"] = json_enclosure(answer.one_minus_corr);
  value["sequences"] = Json::array();
  for (const SequenceAttention& sequence : answer.attention)
    value["sequences"].push_back(json_sequence(sequence));
  const std::string blocked = blockage_word(answer.blockage);
  value["blocked_by"] = blocked.empty() ? Json(nullptr) : Json(blocked);
  value["blocking"] = json_places(answer.blocking);
  const MarginShortfall* nearest = answer.least_shortfall();
  value["needed_margin"] = nearest != nullptr ? Json(nearest->level) : Json(nullptr);
  value["forever"] = Json::array();
  for (const CheckpointTraining& training : answer.training)
    value["forever"].push_back(json_training(training));
  value["claims"] = json_claims(answer.certificate.claims);
  value["certificate"] = json_file(answer.file);
  value["statistics"] = {{"path", answer.solution.statistics.path}, {"total_seconds", answer.total_seconds}};
  return written(value);
}

}  // namespace attest
