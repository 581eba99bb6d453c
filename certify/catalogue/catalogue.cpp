// The table of the catalogue.
#include "certify/catalogue/catalogue.hpp"

#include <cstdlib>
#include <new>
#include <utility>

namespace attest {
namespace {

// The model that a statement is about.
enum class Model { any, prompt, matrix, first_token_query, every_query };

// The head that it is about (theory.md section 9): the loss of a mean score, or whatever supplies weights.
enum class Heads { scalar, any };

const char* word(Heads heads) {
  constexpr const char* words[] = {"scalar", "any"};
  return words[static_cast<std::size_t>(heads)];
}

struct Statement {
  const char* id;
  const char* paper;  // arXiv number
  Mark mark;
  Model model;
  Decide* decide;
  const char* text;  // one line
  Heads heads = Heads::scalar;
};

constexpr const char* paper_a = "2306.13596";
constexpr const char* paper_b = "2308.16898";
constexpr const char* paper_c = "2402.05738";
constexpr const char* paper_d = "2410.14581";

constexpr Statement statements[] = {
    {"A.svm", paper_a, Mark::read, Model::any, decide_margin_problem,
     "the max-margin problem of the selection, min ||W|| s.t. margin >= 1 for every unselected token, has a "
     "unique solution",
     Heads::any},
    {"A.vsvm", paper_a, Mark::read, Model::any, decide_decoder_problem,
     "the max-margin problem of a decoder on the selected tokens, min ||v|| s.t. Y_i v'x_i,alpha >= 1, has a "
     "unique solution"},
    {"A.global", paper_a, Mark::recalled, Model::prompt, decide_single_prompt,
     "n = 1, or equal non-optimal scores: gradient descent on p from any p(0) tends to the direction of "
     "p(opt)"},
    {"A.rp", paper_a, Mark::read, Model::prompt, decide_regularisation_path,
     "the regularisation path argmin_{||p|| <= R} L tends to the direction of p(opt) as R grows", Heads::any},
    {"A.margin", paper_a, Mark::read, Model::any, decide_label_margins,
     "for some nu > 0 and all attention s, a decoder on the outputs X_i's_i has label margin at most Gamma - "
     "nu max_i (1 - s_i,alpha), Gamma that on the selected tokens"},
    {"A.joint", paper_a, Mark::read, Model::prompt, decide_joint_path,
     "under A.margin the joint regularisation path tends to the decoder's and the attention's max-margin "
     "directions, rows >= 1 for sequences that support the decoder and >= 0 for the others"},
    {"B.A", paper_b, Mark::read, Model::any, decide_loss_assumption,
     "on bounded intervals l is strictly decreasing (read with l' < 0) and bounded below, |l'| <= M1, l' is "
     "M0-Lipschitz"},
    {"B.T1", paper_b, Mark::read, Model::matrix, decide_feasible_dimension,
     "d >= max(T - 1, n): for almost all data the SVM is feasible for opt", Heads::any},
    {"B.L1", paper_b, Mark::read, Model::matrix, decide_rank,
     "every solution in the Frobenius or the nuclear norm has rank <= n and its row space in span{z_i}",
     Heads::any},
    {"B.L2", paper_b, Mark::read, Model::matrix, decide_infimum,
     "L(W) > L* = (1/n) sum l(g_i,opt) for every finite W; L(R W) -> L* when W separates opt"},
    {"B.T2", paper_b, Mark::read, Model::matrix, decide_matrix_path,
     "the regularisation path argmin_{||W||_F <= R} L tends to the direction of W_mm(opt) as R grows, that "
     "of K Q' over |K|^2 + |Q|^2 <= 2R to the nuclear norm's solutions",
     Heads::any},
    {"B.L3", paper_b, Mark::read, Model::matrix, decide_rank_bounded,
     "the nuclear problem over matrices of rank at most m has the convex problem's value when that has a "
     "solution of such a rank",
     Heads::any},
    {"B.L4", paper_b, Mark::read, Model::matrix, decide_smoothness,
     "grad L is Lipschitz with L_W = (1/n) sum (M0 ||v||^2 ||z_i||^2 ||X_i||^4 + 3 M1 ||v|| ||z_i||^2 "
     "||X_i||^3)"},
    {"B.B1", paper_b, Mark::read, Model::matrix, decide_all_tight,
     "opt unique and every constraint of SVM(opt) is tight at W_mm"},
    {"B.B2", paper_b, Mark::read, Model::matrix, decide_equal_scores,
     "opt unique and all other scores of a sequence are equal"},
    {"B.C", paper_b, Mark::read, Model::matrix, decide_first_step,
     "opt unique and the first gradient step from W = 0 separates: (x_it - x_i,opt)' grad L(0) z_i > 0"},
    {"B.D", paper_b, Mark::read, Model::matrix, decide_no_other_local,
     "for every selection alpha other than opt, some i has alpha_i != opt_i with opt_i a support token of "
     "alpha"},
    {"B.T3", paper_b, Mark::read, Model::matrix, decide_no_stationary,
     "under B.A and B.B1 or B.B2, L has no stationary point and gradient descent with step <= 1/L_W diverges "
     "in norm"},
    {"B.T4", paper_b, Mark::read, Model::matrix, decide_global_convergence,
     "under B.A and B.B2, gradient descent with step <= 1/L_W from any W(0) tends to the direction of "
     "W_mm(opt)"},
    {"B.T5", paper_b, Mark::read, Model::matrix, decide_nearly_equal,
     "under B.A, nearly equal non-optimal scores suffice for the limit of B.T4 (threshold not explicit)"},
    {"B.T6", paper_b, Mark::read, Model::matrix, decide_zero_start,
     "under B.A and B.C, gradient descent from W(0) = 0 with a suitable first step tends to the direction of "
     "W_mm"},
    {"B.T7", paper_b, Mark::read, Model::matrix, decide_local_convergence,
     "alpha locally optimal: {corr >= 1 - mu, ||W|| >= R} has no stationary point and gradient descent from "
     "it tends to the direction of W_mm(alpha)"},
    {"B.Def3", paper_b, Mark::read, Model::matrix, decide_cone,
     "W_mm(alpha) lies in cone_eps(alpha) = {min_i max_{t low} min_{tau high} (x_it - x_itau)'W z_i >= eps "
     "||W||} for some eps > 0"},
    {"B.L5", paper_b, Mark::read, Model::matrix, decide_cone_lemma,
     "W_mm(alpha) lies in cone_eps(alpha) for some eps > 0 iff alpha is locally optimal"},
    {"B.T9", paper_b, Mark::read, Model::matrix, decide_local_path,
     "alpha locally optimal: the local regularisation path, argmin of L over cone_eps(alpha) and R_0 <= "
     "||W|| <= R, tends to the direction of W_mm(alpha) as R grows",
     Heads::any},
    {"B.gen", paper_b, Mark::read, Model::matrix, decide_selected_sets,
     "selected sets: min ||W|| with equal logits inside a set and margin >= 1 outside has a solution W_mm, "
     "the equations of W_fin, <x_it - x_is, W z_i> = log(s_it/s_is) inside, have one, and training tends to "
     "W_fin + c W_mm",
     Heads::any},
    {"B.seq", paper_b, Mark::read, Model::every_query, decide_margin_problem,
     "sequence to sequence and causal: the max-margin problem over all queries k, (x_i,alpha_ik - x_it)'W "
     "x_ik >= 1 (t <= k when causal), has a unique solution",
     Heads::any},
    {"C.global", paper_c, Mark::recalled, Model::first_token_query, decide_data_conditions,
     "data conditions for convergence from any start: nearly orthogonal tokens, (nearly) equal non-optimal "
     "scores, optimal tokens aligned within a class"},
    {"C.ngd", paper_c, Mark::recalled, Model::first_token_query, decide_normalised_rate,
     "normalised gradient descent: W(t)/||W(t)|| tends to W_mm(opt)'s direction at a finite-time rate"},
    {"C.polyak", paper_c, Mark::recalled, Model::first_token_query, decide_polyak_rate,
     "Polyak steps (L - L*)/(2 ||grad L||^2): W(t)/||W(t)|| tends to W_mm(opt)'s direction at a finite-time "
     "rate"},
    {"C.sparse", paper_c, Mark::recalled, Model::first_token_query, decide_sparsity_rate,
     "the attention map becomes one-hot on opt at a finite-time rate (normalised gradient descent)"},
    {"C.joint", paper_c, Mark::recalled, Model::first_token_query, decide_joint_training,
     "normalised gradient descent on decoder and W: W tends to W_mm's direction, the decoder to its "
     "max-margin direction, and the training loss falls like exp(-t^(1/3))"},
    {"D.md", paper_d, Mark::read, Model::any, decide_mirror_iteration,
     "mirror descent with psi = (1/P)||W||_P^P, entry by entry: grad psi(W+) = grad psi(W) - eta grad L(W)"},
    {"D.svm", paper_d, Mark::read, Model::any, decide_mirror_problem,
     "min ||W||_P s.t. margin >= 1 for every unselected token has a unique solution", Heads::any},
    {"D.local", paper_d, Mark::recalled, Model::any, decide_mirror_local,
     "alpha locally optimal: mirror descent from a cone around the P-norm's solution diverges in norm and "
     "tends to its direction"},
    {"D.rate", paper_d, Mark::recalled, Model::any, decide_mirror_rate,
     "and its Bregman divergence falls like log log k/log k (P > 2), (log log k)^2/log k (P = 2), 1/(log "
     "k)^(P-1) (P < 2) at least"},
    {"D.rp", paper_d, Mark::read, Model::any, decide_mirror_path,
     "the regularisation path argmin_{||W||_P <= R} L tends to the direction of the P-norm's solution",
     Heads::any},
    {"D.joint", paper_d, Mark::read, Model::any, decide_joint_path_in_norm,
     "under A.margin the joint regularisation path over ||v|| <= r, ||W||_P <= R tends to the decoder's and "
     "the P-norm's max-margin directions"},
    {"D.cross", paper_d, Mark::read, Model::any, decide_mirror_cross,
     "of the solutions in the 7/4-, 2- and 3-norms, mirror descent with P comes nearest to that of the "
     "P-norm"},
};

// Why the statement does not speak about the instance; null when it does.
const char* mismatch(const Statement& statement, const CatalogueContext& context) {
  const Instance& instance = context.instance();
  const bool prompt = instance.setting == Setting::prompt;
  const bool several = context.data().outputs != nullptr;
  if (statement.heads == Heads::scalar && (several || context.data().targets))
    return "a statement about the scalar head";
  if (context.data().offsets) return "a statement about logits without offsets";
  switch (statement.model) {
    case Model::any:
      return nullptr;
    case Model::prompt:
      return prompt ? nullptr : "a statement about the prompt model";
    case Model::matrix:
      return prompt ? "a statement about the attention matrix W, not about a prompt" : nullptr;
    case Model::first_token_query:
      return instance.setting == Setting::self_attention && instance.query == 0
                 ? nullptr
                 : "the paper's model is self-attention with the first token as query";
    case Model::every_query:
      return instance.made_of.starts_with("causal") || instance.made_of.starts_with("seq2seq")
                 ? nullptr
                 : "a statement about every query of a sequence (setting seq2seq or causal)";
  }
  std::abort();
}

const Row& check(const Statement& statement, CatalogueContext& context) {
  if (const auto done = context.decided().find(statement.id); done != context.decided().end())
    return done->second;
  const Row header{statement.id, statement.paper, statement.text, statement.mark, word(statement.heads)};
  Row row = header;
  if (const char* why = mismatch(statement, context)) {
    row = not_applicable(std::move(row), why);
  } else {
    try {
      statement.decide(context, row);
    } catch (const BudgetReached& reached) {  // this row is undecided for that reason; the others stand
      row = header;
      row.reason = reached.reason;
      if (reached.reason.starts_with("time: limit") && !context.time_is_over())
        row.reason = "time: half of what was left for the rows is over";
    } catch (const std::bad_alloc&) {  // what was being made is given back by now
      row = header;
      row.reason = "memory: more is needed than --memory-limit allows";
    }
  }
  return context.decided().emplace(statement.id, std::move(row)).first->second;
}

}  // namespace

const Row& check_row(std::string_view id, CatalogueContext& context) {
  for (const Statement& statement : statements) {
    if (statement.id == id) return check(statement, context);
  }
  std::abort();
}

std::vector<Row> check_catalogue(CatalogueContext& context, const std::function<void()>& proved) {
  std::vector<Row> rows;
  for (const Statement& statement : statements) {
    context.begin_row();
    rows.push_back(check(statement, context));
    if (proved && rows.size() == 1) proved();
  }
  return rows;
}

}  // namespace attest
