// Rows about the rank in the nuclear norm: B.L3, and B.L1's half.
#include "certify/catalogue/catalogue.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/norms/nuclear_solution.hpp"
#include "numerics/norms/solution_face.hpp"

namespace attest {
namespace {

std::string relative_gap(const NormOptimum& optimum) {
  const std::optional<Rational> gap = optimum.relative_gap();
  return gap ? decimal_up(*gap, 3) : "1";
}

// The rank of the only solution (T24); nothing where none is enclosed.
std::optional<std::size_t> exact_rank(CatalogueContext& context, const NormAnswer& solved) {
  const NormRequest request{*parse_norm("nuc")};
  const Enclosure found =
      enclose_solution(context.data(), context.selection(), request, solved, context.budget());
  const auto* solution = std::get_if<NuclearSolution>(&found);
  return solution != nullptr ? std::optional(solution->rank()) : std::nullopt;
}

}  // namespace

void add_nuclear_rank(CatalogueContext& context, Row& row) {
  row.conclusion +=
      "; nuclear norm: every solution has rank <= " + std::to_string(largest_solution_rank(context.data())) +
      " and its rows in span{z_i} (projections shrink the norm)";
  const NormAnswer& solved = context.solved_in({*parse_norm("nuc")}, context.selection());
  if (!solved.optimum) return;
  row.conclusion += ", one of rank <= " + std::to_string(solved.optimum->factor_columns()) +
                    " comes within a relative " + relative_gap(*solved.optimum) +
                    " of the least one (checked)";
  if (const auto rank = exact_rank(context, solved))
    row.conclusion += "; there is one solution, of rank " + std::to_string(*rank) + " exactly (checked, T24)";
}

void decide_rank_bounded(CatalogueContext& context, Row& row) {
  row.require(some_constraint(context));
  row.require(feasible("alpha", context.solved()));
  settle(row);
  if (row.verdict != Verdict::holds) return;
  const std::size_t every = largest_solution_rank(context.data());
  const std::size_t rank = context.options().rank == 0 ? every : context.options().rank;
  NormRequest request{*parse_norm("nuc")};
  request.rank = rank;
  const NormAnswer& solved = context.solved_in(request, context.selection());
  if (!solved.optimum) return settle(row, Verdict::undecided, solved.reason);
  const std::string words = "rank <= " + std::to_string(rank);
  if (!solved.of_rank)
    return settle(row, Verdict::undecided, "precision: no separating K Q' of " + words + " was found");
  row.conclusion = words + ": least nuclear norm in " + show(solved.of_rank->value) +
                   ", without that bound in " + show(solved.optimum->value) + " (checked, T5)";
  if (const auto exact = exact_rank(context, solved); exact && rank >= *exact) {
    row.conclusion += "; they are equal: the only solution has rank " + std::to_string(*exact) + " (T24)";
    return settle(row);
  }
  if (rank >= every) {
    row.conclusion += "; they are equal: every solution has rank <= " + std::to_string(every);
    return settle(row);
  }
  settle(row, Verdict::undecided,
         "precision: equal up to a relative " + relative_gap(*solved.of_rank) + ": " + row.conclusion);
}

}  // namespace attest
