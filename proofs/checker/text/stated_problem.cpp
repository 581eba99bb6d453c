// Problems in certificates: see text/stated_problem.hpp.
#include "proofs/checker/text/stated_problem.hpp"

#include <algorithm>

#include "proofs/checker/text/setting.hpp"

namespace attest_check {
namespace {

[[noreturn]] void reject(const Problem& problem, const Line& line, const std::string& why) {
  rejected("problem " + std::to_string(problem.number) + ", line " + std::to_string(line.number()) + ": " +
           why);
}

Loss read_loss(Line& line) {
  line.expect("loss");
  const std::string word = line.word();
  line.finish();
  const auto* found = std::find(std::begin(loss_names), std::end(loss_names), word);
  if (found == std::end(loss_names)) line.bad("unknown loss " + word);
  return static_cast<Loss>(found - std::begin(loss_names));
}

void require_loss_of_head(const Problem& problem, const Line& line, const Instance& instance) {
  if (several_outputs(problem.loss) && !instance.outputs)
    line.bad("unknown loss " + std::string(loss_names[static_cast<std::size_t>(problem.loss)]) +
             ": the head has one output");
  const HeadKind head = head_kind(instance);
  if (problem.loss != Loss::none && head_kind(problem.loss) != head)
    reject(problem, line, std::string("the instance's head is ") + name(head));
}

// The count and as many indices, to the end of the line.
std::vector<std::size_t> read_indices(Line& line, const char* what) {
  const std::size_t count = line.index();
  std::vector<std::size_t> indices;
  while (!line.at_end()) indices.push_back(line.index());
  if (indices.size() != count) line.bad("the count is not the number of " + std::string(what));
  return indices;
}

bool increases(const std::vector<std::size_t>& indices) {
  return std::adjacent_find(indices.begin(), indices.end(), std::greater_equal<>()) == indices.end();
}

// "0,3,4".
std::vector<std::size_t> read_set(Line& line) {
  std::string rest = line.word();
  std::vector<std::size_t> set;
  for (std::size_t comma = 0; comma != std::string::npos;) {
    comma = rest.find(',');
    set.push_back(Line(rest.substr(0, comma), line.number()).index());
    if (comma != std::string::npos) rest.erase(0, comma + 1);
  }
  if (!increases(set)) line.bad("tokens of a set must strictly increase");
  return set;
}

// The lines "decoder" and "relaxed", where they stand, and the first words of the selection's.
void read_rows(Problem& problem, Line& line, CertificateText& text) {
  if (line.accept("decoder")) {
    problem.decoder = true;
    line.finish();
    line = text.next();
  } else if (line.accept("relaxed")) {
    problem.relaxed = read_indices(line, "groups");
    if (problem.relaxed.empty() || !increases(problem.relaxed))
      line.bad("one group at least, strictly increasing");
    line = text.next();
  }
  if (!problem.decoder && problem.relaxed.empty() && line.accept("selected-sets")) {
    const std::size_t count = line.index();
    while (!line.at_end()) problem.sets.push_back(read_set(line));
    if (problem.sets.size() != count || count == 0) line.bad("the count is not the number of sets");
    for (const auto& set : problem.sets) problem.selection.push_back(set.front());
  } else {
    line.expect("selection");
    problem.selection = read_indices(line, "indices");
  }
  if (!problem.plain() && problem.loss != Loss::none)
    line.bad("problems of other rows than those of a selection have loss none");
}

void require_tokens(const Problem& problem, const Line& line) {
  const Features& features = *problem.features;
  const auto require = [&](std::size_t i, std::size_t t) {
    const std::string token = std::to_string(t), group = "group " + std::to_string(i);
    if (t >= features.tokens_of(i)) reject(problem, line, group + " has no token " + token);
    if (!features.present(i, t))
      reject(problem, line, group + ": token " + token + " equals an earlier one, which stands for both");
  };
  if (problem.selection.size() != features.groups())
    reject(problem, line, "the instance has " + std::to_string(features.groups()) + " groups");
  for (std::size_t i = 0; i < features.groups(); ++i) {
    require(i, problem.selection[i]);
    if (problem.sets.empty()) continue;
    for (const std::size_t t : problem.sets[i]) require(i, t);
  }
  if (!problem.relaxed.empty() && problem.relaxed.back() >= features.groups())
    reject(problem, line, "there is no group " + std::to_string(problem.relaxed.back()) + " to relax");
}

}  // namespace

const Features* Certificate::features_of_decoder() {
  const Instance& instance = features.instance();
  if (instance.Y.empty() || instance.v.size() == 0) return nullptr;
  if (!decoder) decoder = std::make_unique<const Features>(instance, Features::Unknown::decoder);
  return decoder.get();
}

Problem read_problem(Line& first, CertificateText& text, Certificate& certificate) {
  Problem problem;
  problem.number = certificate.problems.size() + 1;
  if (first.index() != problem.number) first.bad("problems are numbered 1, 2, 3, …");
  first.finish();
  Line setting = text.next();
  const StatedSetting stated(setting);
  Line norm = text.next();
  norm.expect("norm");
  norm.expect("euclidean");
  norm.finish();
  Line loss = text.next();
  problem.loss = read_loss(loss);
  if (stated.stage && problem.loss != Loss::none) loss.bad("next-token problems have loss none");
  const Instance& instance = certificate.features.instance();
  require_loss_of_head(problem, loss, instance);
  Line line = text.next();
  read_rows(problem, line, text);
  if (stated.setting != instance.setting)
    reject(problem, setting, "the instance's setting is " + std::string(name(instance.setting)));
  problem.features =
      problem.decoder ? certificate.features_of_decoder() : &certificate.features_of(stated.stage);
  if (problem.features == nullptr) reject(problem, line, "the instance has no labels and decoder v");
  require_tokens(problem, line);
  return problem;
}

void describe_problem(const Problem& problem, Statement& say) {
  say("setting", setting_words(problem.features->instance()), "norm euclidean loss",
      loss_names[static_cast<std::size_t>(problem.loss)]);
  if (problem.decoder) say("decoder");
  if (!problem.relaxed.empty()) say("relaxed");
  for (const std::size_t group : problem.relaxed) say(group);
  if (problem.sets.empty()) {
    say("selection");
    for (const std::size_t token : problem.selection) say(token);
    return;
  }
  say("selected-sets");
  for (const auto& set : problem.sets) {
    std::string tokens;
    for (const std::size_t token : set)
      tokens.append(tokens.empty() ? "" : ",").append(std::to_string(token));
    say(tokens);
  }
}

}  // namespace attest_check
