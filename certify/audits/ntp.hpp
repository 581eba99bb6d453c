// The use case `ntp`: next-token prediction on sentences (paper E): collocation, partial orders by query, the
// margin problems of both stages, predictions on other sentences.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certify/audits/certify.hpp"
#include "certify/audits/embedded_training.hpp"
#include "certify/catalogue/row.hpp"
#include "certify/instance/sentences.hpp"
#include "certify/instance/text_sentences.hpp"
#include "numerics/next_token/attention_training.hpp"
#include "numerics/next_token/collocation.hpp"
#include "numerics/next_token/component_logits.hpp"
#include "numerics/next_token/token_orders.hpp"

namespace attest {

struct NtpRequest {
  std::string file;                                    // of sentences
  TokenKind tokens = TokenKind::words;                 // of all the files
  std::string embeddings;                              // .npy, a row a token by id; empty: one-hot
  std::string collocation;                             // further sentences of two tokens; empty: none
  std::string shift;                                   // sentences to predict; empty: none
  std::string step = "1/10", attention_step = "3/10";  // of both stages' normalised gradient descent, exact
  std::uint64_t steps = 1000;                          // of either stage; 0: neither is trained
  std::string prefix;                                  // of the files to write; empty: none
  std::size_t memory_limit = 0;
  bool force = false;
};

// The last token of a sentence as the limit of training predicts it.
struct ShiftedPrediction {
  std::size_t line = 0;
  std::string expected;                  // the sentence's own last token
  std::optional<std::string> predicted;  // certified: attention tends to one token x, and n(x) is this
  // The model trained on predicts that at this step of the attention stage and all later ones; proved.
  std::optional<std::uint64_t> from;
};

// Both stages trained with normalised steps, the feed-forward stage in closed form.
struct NtpTraining {
  // c^2: where all attention is on x, the last W_ov has the output n(x) above all others by c.
  Rational squared_scale;
  std::size_t outputs = 0;
  std::optional<AttentionTraining>
      attention;  // where its margin problem has rows and a solution known exactly

  BallNumber scale() const { return sqrt(number(squared_scale)); }
  // Of every sentence where all attention is on the selected token, and of every pair.
  BallNumber least_loss() const { return log1p(number(Rational(outputs - 1)) * exp(-scale())); }
};

struct NtpAnswer {
  std::string file;
  std::optional<Vocabulary> vocabulary;
  std::size_t sentences = 0, tokens = 0;  // of the file
  std::vector<std::size_t> line;          // of each sentence; 0 of those that the collocation added
  Sentences text;                         // with the collocation as sentences of two tokens
  std::vector<AttentionGroup> groups;
  CollocationSearch collocation;
  // Without a collocation that fits: none of the following, but the orders that the pairs given make where
  // these have a cycle already.
  std::vector<TokenOrder> orders;
  std::optional<OrderCycle> cycle;
  std::optional<ComponentForm> components;               // with a cycle, one-hot embeddings
  std::optional<FiniteLogits> finite;                    // likewise
  std::optional<CertifyAnswer> feed_forward, attention;  // their instances are empty
  std::vector<ShiftedPrediction> shift;
  bool one_hot = true;
  Rational step, attention_step;  // of normalised gradient descent
  std::uint64_t steps = 0;
  std::optional<NtpTraining> training;       // with one-hot embeddings
  std::optional<EmbeddedTraining> embedded;  // with given ones and solutions of both
  std::vector<Row> theorems;                 // of paper E
  std::string instance;                      // written; empty: none
  Certificate training_certificate;          // of one-hot training and shifted sentences
  CertificateFile training_file;
  std::string
      training_reason;  // why the attention stage's training is not in it; empty: it is, or was not asked for
  double total_seconds = 0;

  bool fits() const {
    return collocation.verdict == CollocationSearch::Verdict::given ||
           collocation.verdict == CollocationSearch::Verdict::found;
  }
  // Both margin problems are, or there is none.
  bool problems_decided() const;
  // And no limit or signal ended the training.
  bool decided() const;
  // Why the attention stage has nothing to learn; empty: it has, or is not there.
  std::string nothing_to_attend() const;
  // Why the feed-forward stage has nothing to learn; empty: it has, or is not there.
  std::string nothing_to_train() const;
};

Result<NtpAnswer> ntp(const NtpRequest& request, AuditWatch& watch);

}  // namespace attest
