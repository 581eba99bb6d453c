#include "numerics/problem/selection_problem.hpp"

#include <algorithm>

namespace attest {

Rational exact_dot(const ExactArray& x, std::size_t x_row, const ExactArray& y, std::size_t y_row,
                   std::size_t dimension) {
  Rational sum = 0;
  for (std::size_t j = 0; j < dimension; ++j) {
    sum += x.exact(x_row * dimension + j) * y.exact(y_row * dimension + j);
  }
  return sum;
}

std::size_t TokenData::different(std::size_t group) const {
  if (multiplicities.empty()) return tokens(group);
  std::size_t count = 0;
  for (std::size_t t = 0; t < tokens(group); ++t) count += present(group, t) ? 1 : 0;
  return count;
}

PassedGroups::PassedGroups(const TokenData& data)
    : data_(data),
      tokens_(data.token_factor.binary64()),
      queries_(data.query_factor.binary64()),
      scores_(data.scores.source() != nullptr ? *data.scores.source() : BinaryArray()),
      score_width_(data.scores.source() != nullptr ? data.scores.source()->size() / data.scores.size() : 0) {}

void PassedGroups::before(std::size_t group) {
  const std::size_t row = data_.first_row[group];
  if (data_.token_factor.is_binary64()) tokens_.before(row * data_.left_dimension);
  if (data_.query_factor.is_binary64()) queries_.before(group * data_.right_dimension);
  scores_.before(row * score_width_);
}

std::size_t constraint_count(const TokenData& data) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < data.groups(); ++i) count += data.different(i) - 1;
  return count;
}

std::vector<Constraint> constraints(const TokenData& data, const Selection& selection) {
  std::vector<Constraint> all;
  all.reserve(constraint_count(data));
  for (std::size_t i = 0; i < data.groups(); ++i) {
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t != selection[i] && data.present(i, t)) all.push_back({i, t});
    }
  }
  return all;
}

std::vector<MarginRow> margin_rows(const TokenData& data, const Selection& selection) {
  std::vector<MarginRow> rows;
  rows.reserve(constraint_count(data));
  for (const Constraint& c : constraints(data, selection))
    rows.push_back({c.group, selection[c.group], c.token});
  return rows;
}

std::vector<MarginRow> margin_rows(const TokenData& data, const SelectedSets& sets) {
  std::vector<MarginRow> rows;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    const std::size_t winner = sets[i].front();
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t == winner || !data.present(i, t)) continue;
      const bool inside = std::binary_search(sets[i].begin(), sets[i].end(), t);
      rows.push_back({i, winner, t, inside ? Sense::equal_to_zero : Sense::at_least_one});
    }
  }
  return rows;
}

Rational score_gap(const TokenData& data, const MarginRow& row) {
  if (data.outputs) {
    return limit_gap(*data.outputs, row.group, data.row(row.group, row.winner),
                     data.row(row.group, row.loser));
  }
  return data.score(row.group, row.winner) - data.score(row.group, row.loser);
}

Rational score_gap(const TokenData& data, const Selection& selection, const Constraint& constraint) {
  return score_gap(data, {constraint.group, selection[constraint.group], constraint.token});
}

Selection best_selection(const TokenData& data) {
  Selection best(data.groups(), 0);
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    for (std::size_t t = 1; t < data.tokens(i); ++t) {
      if (data.scores.compare(data.row(i, t), data.row(i, best[i])) > 0) best[i] = t;
    }
  }
  return best;
}

std::optional<ScoreTie> first_tie(const TokenData& data) {
  if (data.outputs) return std::nullopt;
  const Selection best = best_selection(data);
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    for (std::size_t t = best[i] + 1; t < data.tokens(i); ++t) {
      if (data.present(i, t) && data.scores.equal(data.row(i, t), data.row(i, best[i])))
        return ScoreTie{i, best[i], t};
    }
  }
  return std::nullopt;
}

std::optional<Constraint> global_optimality_witness(const TokenData& data, const Selection& selection) {
  const auto above = [&](std::size_t i, std::size_t t) {
    if (data.outputs) return score_gap(data, {i, selection[i], t}) > 0;
    return data.scores.compare(data.row(i, selection[i]), data.row(i, t)) > 0;
  };
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t == selection[i] || !data.present(i, t)) continue;
      if (!above(i, t)) return Constraint{i, t};
    }
  }
  return std::nullopt;
}

}  // namespace attest
