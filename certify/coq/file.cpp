// The exported Coq file: see coq/file.hpp.
#include "certify/coq/file.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "certify/coq/text.hpp"
#include "certify/coq/tokens.hpp"
#include "proofs/checker/instance/sentences.hpp"

namespace attest {
namespace {

using attest_check::Features;
using attest_check::Instance;
using attest_check::ScaledMatrix;
using attest_check::Sentences;
using attest_check::Setting;
using attest_check::Stage;

constexpr const char* imports =
    "From Coq Require Import String Uint63 Sint63 Reals.\n"
    "From mathcomp Require Import all_ssreflect.\n"
    "From Coquelicot Require Import Coquelicot.\n"
    "From Attest Require Import Euclid Selection Direction Growth Losses RegularisationPath Runs NormDuality "
    "EntrywiseDuality DualNorm NormChecks NormDistanceChecks NormKinds NormPath NormPathKind NearRankKind "
    "ShortestVector SolutionFace NormFaceKind "
    "FinitePart "
    "NearestCombination "
    "FinitePartChecks Rank Heads HeadRuns CrossEntropyHead Mirror MirrorIteration JointPath FactoredStep "
    "FactoredIteration Number "
    "Rows Words LongNumbers TokenData Instances EqualTokens MergedTokens LabelledValues TextData Claims "
    "Senses "
    "SensedClaims "
    "DecoderData\n"
    "                           MarginChecks OptimalityChecks GramBound RankChecks AttentionIntervals "
    "RunChecks PathChecks RunClaims\n"
    "                           Replay ForeverChecks HeadBounded ForeverEvidence ForeverClaims "
    "LabelMarginsChecks JointPathChecks MirrorRunChecks FactoredRunChecks FactoredOnward "
    "OutputHeads OutputValues OutputGaps\n"
    "                           Posed TokenRayKind MirrorForeverKind LabelMarginsGroups LabelMarginsKind "
    "JointPathParts "
    "JointPathKind "
    "RunFinitePartKind Certificates Exported "
    "StatedRuns StatedSets StatedPaths StatedMirror StatedFactored StatedOutputs.\n";

// Of files about sentences.
constexpr const char* token_imports =
    "From Attest Require Import TokenHead TokenPlaces TokenSees TokenRunChecks TokenForeverChecks "
    "TokenShiftChecks StatedTokens.\n";

// A text that may stand in a comment: no quotes, nothing that ends a comment or starts one.
std::string comment_text(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '"' || c == '(' || c == ')' || c == '*'; }, '_');
  return text;
}

// `term` with its numbers multiplied by 2^refinement.
std::string refined(const char* function, std::size_t refinement, const std::string& term) {
  if (refinement == 0) return term;
  return std::string("(") + function + " " + coq_digits(attest_check::power_of_two(refinement)) + " " + term +
         ")";
}

// One definition for each sequence's rows, the list of them, and the denominator.
std::string define_blocks(const std::string& name, const ScaledMatrix& matrix, const Instance& instance,
                          std::size_t refinement) {
  std::string text;
  for (std::size_t i = 0; i < instance.groups(); ++i) {
    text += "Definition " + name + "_" + std::to_string(i) + " : seq (seq big_integers) := " +
            coq_rows(matrix, instance.first_row[i], instance.first_row[i + 1]) + ".\n";
  }
  const auto block = [&](std::size_t i) { return name + "_" + std::to_string(i); };
  return text + "Definition " + name + " : seq (seq (seq big_integers)) :=\n  " +
         refined("refine_blocks", refinement, coq_list(instance.groups(), block)) + ".\nDefinition " + name +
         "_denominator : big_integers := " +
         refined("refine_number", refinement, coq_number(matrix.denominator())) + ".\n\n";
}

std::string nat_list(const std::vector<std::size_t>& numbers) {
  return coq_list(numbers.size(), [&](std::size_t k) { return std::to_string(numbers[k]); });
}

std::string define_labels(const Instance& instance) {
  return "(* Y: true stands for 1, false for -1 *)\nDefinition Y := " +
         coq_list(instance.groups(),
                  [&](std::size_t i) { return std::string(instance.Y[i] > 0 ? "true" : "false"); }) +
         ".\n\n";
}

std::string define_indices(const std::string& comment, const std::vector<std::size_t>& y) {
  return "(* " + comment + " *)\nDefinition y : seq nat := " + nat_list(y) + "%nat.\n\n";
}

// A list of numbers, or a table of rows of them, and their denominator, which is NAME_denominator.
std::string define_numbers(const std::string& name, const attest_check::NumberArray& numbers,
                           std::size_t columns, bool table) {
  const ScaledMatrix matrix(numbers, columns);
  return "Definition " + name + " : seq " + (table ? "(seq big_integers) := " : "big_integers := ") +
         (table ? coq_rows(matrix, 0, matrix.rows()) : coq_row(matrix, 0)) + ".\nDefinition " + name +
         "_denominator : big_integers := " + coq_number(matrix.denominator()) + ".\n\n";
}

// The layer of a head of several outputs.
std::string define_layer(const Instance& instance, std::string& scoring) {
  const attest_check::OutputLayer& layer = *instance.outputs;
  if (layer.classifier) {
    scoring = "SeveralOutputs (ClassLayer y U U_denominator)";
    return define_indices("y: the class of each sequence", layer.classes) +
           "(* U: one row for each class *)\n" + define_numbers("U", layer.weights, instance.dimension, true);
  }
  scoring = "SeveralOutputs (UnitLayer Y A A_denominator bias bias_denominator r r_denominator)";
  return define_labels(instance) +
         "(* ReLU units: the rows of A, what is added to them, and their weights r *)\n" +
         define_numbers("A", layer.weights, instance.dimension, true) +
         define_numbers("bias", layer.bias, layer.bias.size(), false) +
         define_numbers("r", layer.r, layer.r.size(), false);
}

// What gives the scores, and the term that says so: Y and v, or one row of scores for each sequence; or the
// layer of several outputs.
std::string define_scoring(const Instance& instance, std::string& scoring) {
  if (instance.outputs) return define_layer(instance, scoring);
  if (instance.cross_entropy()) {
    scoring = "TargetTokens big_integers y";
    return define_indices("y: the token that each sequence is to select", instance.y);
  }
  if (instance.scores) {
    const ScaledMatrix scores(*instance.scores, 1);
    scoring = "GivenScores scores " + coq_number(scores.denominator());
    return "(* one row for each sequence *)\nDefinition scores : seq (seq big_integers) := map flatten\n  " +
           coq_list(instance.groups(),
                    [&](std::size_t i) {
                      return coq_rows(scores, instance.first_row[i], instance.first_row[i + 1]);
                    }) +
           ".\n\n";
  }
  const ScaledMatrix v(instance.v, instance.dimension);
  scoring = "Decoder Y v " + coq_number(v.denominator());
  return define_labels(instance) + "Definition v : seq big_integers := " + coq_row(v, 0) + ".\n\n";
}

// How often each token stands in its sequence, and the term that says so.
std::string define_counts(const Instance& instance, std::string& counts) {
  counts = instance.counts.size() == 0 ? "[::]" : "counts";
  if (instance.counts.size() == 0) return {};
  const auto row = [&](std::size_t i) {
    return coq_list(instance.tokens(i), [&](std::size_t t) {
      const std::uint64_t count = instance.count(instance.first_row[i] + t);
      return coq_number(attest_check::Integer(static_cast<unsigned long>(count)));
    });
  };
  return "(* one row for each sequence *)\nDefinition counts : seq (seq big_integers) :=\n  " +
         coq_list(instance.groups(), row) + ".\n\n";
}

// What the words of the theorems mean.
constexpr const char* data_notations =
    "(* Equal tokens of a sequence are one, the first (T18, MergedTokens.v). *)\n"
    "Definition data := data_of instance.\nNotation attention_problem := (problem data).\n"
    "Notation values vector := (@coefficient_of big_integers data vector).\n"
    "Notation member tokens := (@in_mask big_integers data tokens).\n\n";

// The ids of each sentence and the embeddings, of which Coq makes the instances of the stages.
std::string define_text(const Instance& instance) {
  const Sentences& sentences = *instance.sentences;
  const auto ids = [&](std::size_t k) {
    const auto at = sentences.ids.begin();
    const auto first = at + static_cast<std::ptrdiff_t>(sentences.first[k]);
    return nat_list({first, at + static_cast<std::ptrdiff_t>(sentences.first[k + 1])});
  };
  std::string text = "(* token ids *)\nDefinition sentences : seq (seq nat) :=\n  " +
                     coq_list(sentences.count(), ids) + "%nat.\n\n";
  std::string embeddings = "None";
  if (sentences.embeddings.size() > 0) {
    const ScaledMatrix rows(sentences.embeddings, sentences.dimension);
    embeddings = "(Some (embeddings, " + coq_number(rows.denominator()) + "))";
    text += "(* a row for each id *)\nDefinition embeddings : seq (seq big_integers) := " +
            coq_rows(rows, 0, sentences.vocabulary) + ".\n\n";
  }
  return text + "Definition text : text big_integers := Text sentences " + embeddings +
         ".\n(* The sentences of two tokens: the second is next to the first. *)\n"
         "Definition pairs : seq (nat * nat) := said_pairs text.\n\n";
}

std::string define_stage(const Instance& instance, std::size_t refinement) {
  return std::string(
             "(* A stage's logits and scores: attention_logit, attention_score, feed_forward_logit, "
             "feed_forward_score (TextData.v). *)\nDefinition instance : instance big_integers :=\n  "
             "stage_instance ") +
         coq_number(attest_check::power_of_two(refinement)) + " text " +
         (instance.stage == Stage::attention ? "AttentionStage" : "FeedForwardStage") + ".\n\n" +
         data_notations;
}

// Rows of X are refined where they are rows of a problem: in prompt problems only the decoder's are.
std::string define_instance(const Features& features, std::size_t refinement, bool decoder) {
  const Instance& instance = features.instance();
  std::string text = "(* X: sequences, tokens, coordinates; every number over X_denominator *)\n";
  std::string model;
  if (instance.setting == Setting::prompt) {
    const ScaledMatrix X(instance.X, instance.dimension);
    text += define_blocks("X", X, instance, decoder ? refinement : 0) + "(* K: the keys *)\n" +
            define_blocks("K", features.tokens(), instance, refinement);
    model = "Prompt K K_denominator";
  } else {
    text += define_blocks("X", features.tokens(), instance, refinement);
    if (instance.setting == Setting::cross_attention) {
      text += "(* z: one query for each sequence *)\nDefinition z : seq (seq big_integers) := " +
              coq_rows(features.queries(), 0, instance.groups()) + ".\n\n";
      model = "CrossAttention z " + coq_number(features.queries().denominator());
    } else {
      const bool from_end = instance.query < 0;
      model = std::string("SelfAttention big_integers (") + (from_end ? "FromEnd " : "FromStart ") +
              std::to_string(std::labs(instance.query)) + "%nat)";
    }
  }
  std::string scoring;
  text += define_scoring(instance, scoring);
  std::string counts;
  text += define_counts(instance, counts);
  return text + "Definition instance : instance big_integers :=\n  Instance X X_denominator (" + scoring +
         ")\n    (" + model + ") " + counts + ".\n\n" + data_notations;
}

std::string selection_name(std::size_t problem) {
  return "selection_" + std::to_string(problem);
}

std::string problem_name(std::size_t problem) {
  return "problem_" + std::to_string(problem);
}

// Whose rows a problem has and in which senses, as a posing of Posed.v.
std::string posing(const attest_check::Problem& problem) {
  if (problem.decoder) return "Decoding";
  if (!problem.relaxed.empty()) return "(RelaxedGroups " + nat_list(problem.relaxed) + "%nat)";
  if (problem.sets.empty()) return "Attention";
  const auto set = [&](std::size_t i) {
    std::vector<std::size_t> tokens;
    for (const std::size_t t : problem.sets[i]) tokens.push_back(data_token(*problem.features, i, t));
    return nat_list(tokens);
  };
  return "(SelectedSets " + coq_list(problem.sets.size(), set) + "%nat)";
}

// What statements about rows that are not a selection's, all >= 1, speak of: see coq_rows_of.
std::string define_rows(const attest_check::Problem& problem) {
  const std::string number = "_" + std::to_string(problem.number), posed = problem_name(problem.number);
  if (problem.plain()) return {};
  if (!problem.decoder) {
    return "Notation senses" + number + " := (fun t : token attention_problem =>\n  sense_in (posing_of " +
           posed + ") (tag (t : data_token data)) (tagged (t : data_token data))).\n";
  }
  return "(* The decoder's problem: margins are Y_i <x_i, v> (decoder_margin, DecoderData.v). *)\nDefinition "
         "data" +
         number + " := decoder_data instance " + selection_name(problem.number) +
         ".\nNotation decoder_problem" + number + " := (problem data" + number + ").\nNotation values" +
         number + " vector := (@coefficient_of big_integers data" + number + " vector).\nNotation member" +
         number + " tokens := (@in_mask big_integers data" + number + " tokens).\n";
}

std::string define_certificate(const CoqClaims& claims) {
  std::string text = "(* ---- the certificate ---- *)\n\n";
  for (const attest_check::Problem* at : claims.problems) {
    const attest_check::Problem& problem = *at;
    text += "Definition " + selection_name(problem.number) + " : seq nat :=\n  " +
            coq_list(problem.selection.size(),
                     [&](std::size_t i) {
                       return std::to_string(data_token(*problem.features, i, problem.selection[i]));
                     }) +
            "%nat.\nDefinition " + problem_name(problem.number) + " : posed := Posed " + posing(problem) +
            " " + selection_name(problem.number) + ".\n" + define_rows(problem);
  }
  std::vector<std::string> names;
  for (const CoqClaim& claim : claims.claims) {
    const std::string title = "claim " + std::to_string(claim.number) + ", " + claim.kind;
    if (!claim.skipped.empty()) {
      text += "\n(* " + title + ": not exported: " + claim.skipped + " *)\n";
      continue;
    }
    names.push_back("claim_" + std::to_string(claim.number));
    text += "\n(* " + title + " *)\n" + claim.definitions + "Definition " + names.back() +
            " : claim big_integers := " + claim.term + ".\n";
  }
  return text + "\nDefinition certificate : certificate big_integers :=\n  Certificate " +
         coq_list(claims.problems.size(),
                  [&](std::size_t p) { return problem_name(claims.problems[p]->number); }) +
         "\n    " + coq_list(names.size(), [&](std::size_t k) { return names[k]; }) + ".\n\n";
}

std::string alpha_name(std::size_t problem) {
  return "alpha_" + std::to_string(problem);
}

// The selection of a problem, and that no other takes its tokens.
std::string define_selection(const attest_check::Problem& problem, std::size_t place) {
  const std::string alpha = alpha_name(problem.number), of = coq_rows_of(problem).problem;
  const std::string tokens = problem.decoder ? "(decoder_picks instance)" : selection_name(problem.number);
  const std::string at = " accepted (p := " + std::to_string(place) + ") (erefl true)";
  return "(* The one selection that takes the tokens of " + tokens + ". *)\nDefinition " + alpha +
         " : selection " + of + " := accepted_selection" + at + ".\n\nTheorem " + alpha +
         "_selects : selects " + alpha + " " + tokens + ".\nProof. exact: (accepted_selects" + at +
         "). Qed.\n\nTheorem " + alpha + "_unique (beta : selection " + of + ") : selects beta " + tokens +
         " -> beta = " + alpha + ".\nProof. exact: (accepted_unique" + at + "). Qed.\n\n";
}

// The attention's selection of the tokens that a decoder's problem is about.
std::string define_chosen(std::size_t problem) {
  const std::string number = std::to_string(problem), chosen = "chosen_" + number;
  const std::string at = " accepted (p := " + std::to_string(problem - 1) + ") (erefl true)";
  return "(* Of the attention, the one selection that takes the tokens of " + selection_name(problem) +
         ". *)\nDefinition " + chosen + " : selection attention_problem := accepted_chosen" + at +
         ".\n\nTheorem " + chosen + "_selects : selects " + chosen + " " + selection_name(problem) +
         ".\nProof. exact: (accepted_chosen_selects" + at + "). Qed.\n\n";
}

// L* of the claims about runs is the loss of the best scores.
constexpr const char* best_tokens =
    "(* A token with the best score of each sequence; L* of the runs is the loss of these scores. *)\n"
    "Theorem best_tokens_exist : best_ok data = true.\nProof. vm_cast_no_check (erefl true). Qed.\n\n"
    "Definition best_tokens : selection attention_problem := accepted_best best_tokens_exist.\n\n"
    "Theorem best_tokens_best : best best_tokens.\nProof. exact: (accepted_best_best accepted "
    "best_tokens_exist). Qed.\n\n";

// "claim_3_forever_from_run".
std::string theorem_name(const CoqClaim& claim) {
  std::string name = "claim_" + std::to_string(claim.number) + "_" + claim.kind;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The theorem of a claim, which is at `position` among the exported ones.
std::string state_claim(const CoqClaim& claim, std::size_t position) {
  const std::string meaning = "(accepted_claim accepted (j := " + std::to_string(position) +
                              ") (erefl true) " + alpha_name(claim.problem) + "_selects)";
  return "Theorem " + theorem_name(claim) + " :\n  " + claim.statement + ".\nProof.\nexact_no_check " +
         (claim.proof.empty() ? meaning : "(" + claim.proof + "\n  " + meaning + ")") +
         ".\nQed.\n\n";  // Qed compares the two
}

std::string state_claims(const CoqClaims& claims) {
  std::string text;
  for (std::size_t p = 0; p < claims.problems.size(); ++p) text += define_selection(*claims.problems[p], p);
  if (std::any_of(claims.claims.begin(), claims.claims.end(),
                  [](const CoqClaim& claim) { return claim.needs_best; })) {
    text += best_tokens;
  }
  std::set<std::size_t> chosen;
  for (const CoqClaim& claim : claims.claims) {
    if (claim.needs_chosen && chosen.insert(claim.problem).second) text += define_chosen(claim.problem);
  }
  std::size_t position = 0;
  for (const CoqClaim& claim : claims.claims) {
    if (claim.skipped.empty()) text += state_claim(claim, position++);
  }
  return text;
}

std::string define_hash(const Features& features) {
  return "(* The SHA-256 of the instance's canonical text, as in the certificate. Nothing here computes it: "
         "`attest info` prints it for\n"
         "   a dataset file, and proofs/coq/exported_hash.py computes it from the numbers below. *)\n"
         "Definition instance_sha256 : string := \"" +
         attest_check::canonical_sha256(features.instance()) + "\"%string.\n\n";
}

// What the claims about one instance prove.
std::string prove_claims(const CoqClaims& claims) {
  return define_certificate(claims) +
         "(* ---- the computation ---- *)\n\nTheorem accepted : check_certificate big_words instance "
         "certificate = true.\n"
         "Proof. vm_cast_no_check (erefl true). Qed.\n\n(* ---- what it proves ---- *)\n\n"
         "Local Close Scope sint63_scope.\nLocal Open Scope R_scope.\n\n" +
         state_claims(claims);
}

// Both stages of sentences, a module each, whose theorems the file has under their own names.
std::string prove_stages(const std::vector<CoqClaims>& parts) {
  std::string text, names;
  for (const CoqClaims& claims : parts) {
    const Instance& instance = claims.features->instance();
    const std::string name = instance.stage == Stage::attention ? "Attention_stage" : "Feed_forward_stage";
    text.append("Module ").append(name).append(".\n\n").append(define_stage(instance, claims.refinement));
    text.append(prove_claims(claims)).append("End ").append(name).append(".\n\n");
    names.append(" ").append(name);
  }
  return text + "Import" + names + ".\n";
}

}  // namespace

std::string coq_file(const attest_check::Certificate& certificate, const std::vector<CoqClaims>& all,
                     const std::string& source) {
  std::vector<CoqClaims> parts;  // that have an exported claim
  std::copy_if(all.begin(), all.end(), std::back_inserter(parts), [](const CoqClaims& claims) {
    return std::any_of(claims.claims.begin(), claims.claims.end(),
                       [](const CoqClaim& claim) { return claim.skipped.empty(); });
  });
  const Features& features = *parts.front().features;
  const bool sentences = features.instance().setting == Setting::next_token;
  std::string text =
      "(* " + comment_text(source) +
      "\n\n   Compile with the development of proofs/coq: coqc -Q proofs/coq/theories Attest THIS_FILE.\n"
      "   Selection.v there defines the words of the theorems at the end. *)\n";
  text += imports;
  if (sentences) text += token_imports;
  text += "Local Open Scope sint63_scope.\n\n" + define_hash(features) + "(* ---- the instance ---- *)\n\n";
  if (sentences) text += define_text(features.instance());
  if (parts.size() > 1) return text + prove_stages(parts);
  const CoqClaims& claims = parts.front();
  text += sentences ? define_stage(features.instance(), claims.refinement)
                    : define_instance(features, claims.refinement, certificate.decoder != nullptr);
  return text + prove_claims(claims);
}

}  // namespace attest
