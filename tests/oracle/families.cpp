// Generators of the instance families.
#include "tests/oracle/families.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/oracle/margin.hpp"
#include "tests/oracle/random.hpp"

namespace reference {

namespace {

const std::vector<Kind> every_kind{Kind::prompt, Kind::cross, Kind::self};

Row exact(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

Number power_of_two(long exponent) {
  Number value = 1;
  if (exponent >= 0)
    mpq_mul_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<unsigned long>(exponent));
  else
    mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<unsigned long>(-exponent));
  return value;
}

// The factor that decides a token's feature: its key (prompt) or its row of X.
Row& factor(Dataset& data, std::size_t group, std::size_t token) {
  return data.kind == Kind::prompt ? data.K[group][token] : data.X[group][token];
}

void append_group(Dataset& data, std::size_t source) {
  data.X.push_back(std::vector<Row>(data.X[source]));
  data.Y.push_back(data.Y[source]);
  if (data.kind == Kind::cross) data.z.push_back(Row(data.z[source]));
  if (data.kind == Kind::prompt) data.K.push_back(std::vector<Row>(data.K[source]));
}

void append_token(Dataset& data, std::size_t group, std::size_t source) {
  data.X[group].push_back(Row(data.X[group][source]));
  if (data.kind == Kind::prompt) data.K[group].push_back(Row(data.K[group][source]));
}

// A prompt problem straight from keys: the first token of each group is selected, has score 1, the others 0.
Case keys(const std::string& name, const std::vector<std::vector<Row>>& K) {
  Dataset data;
  data.kind = Kind::prompt;
  data.K = K;
  data.v = {1};
  for (const auto& group : K) {
    data.X.emplace_back();
    for (std::size_t t = 0; t < group.size(); ++t) data.X.back().push_back({t == 0 ? 1 : 0});
    data.Y.push_back(1);
  }
  return {name, data, Choice(K.size(), 0)};
}

class Builder {
 public:
  std::vector<Case> cases;

  void add(const std::string& name, const Dataset& data) { add(name, data, best_choice(data)); }

  void add(const std::string& name, const Dataset& data, const Choice& choice) {
    cases.push_back({name + "-" + std::string(1, setting_words(data)[0]), data, choice});
  }

  void ordinary() {
    for (const Kind kind : every_kind) {
      add("standard", gaussian(kind, 1, std::vector<std::size_t>(6, 8), 10, kind == Kind::prompt ? 48 : 10));
      add("tiny", gaussian(kind, 2, {2}, 2, 2));
      add("one-group", gaussian(kind, 3, {5}, 6, 6));
      add("two-tokens", gaussian(kind, 4, {2, 2, 2, 2}, 4, 5));
      add("ragged", gaussian(kind, 5, {3, 1, 6, 2, 4}, 7, 12));
      add("single-tokens", gaussian(kind, 6, {1, 1, 1}, 3, 3));
      add("narrow", gaussian(kind, 7, std::vector<std::size_t>(6, 8), 2, 2));
      for (std::uint64_t seed = 10; seed < 18; ++seed) {
        const Dataset data = gaussian(kind, seed, {4, 3, 5}, 5, 7);
        add("gaussian" + std::to_string(seed), data);
        Random random(seed);
        Choice other;
        for (const auto& tokens : data.X) other.push_back(random.below(tokens.size()));
        add("any-choice" + std::to_string(seed), data, other);
      }
    }
    Dataset last = gaussian(Kind::self, 8, {4, 3, 5}, 6, 6);
    last.query = -1;
    add("query-last", last);
    Dataset second = gaussian(Kind::self, 9, {4, 3, 5}, 6, 6);
    second.query = 1;
    add("query-second", second);
    Dataset before_last = gaussian(Kind::self, 30, {4, 3, 5}, 6, 6);
    before_last.query = -2;
    add("query-before-last", before_last);
  }

  // Scores that no decoder gives.
  void given_scores() {
    for (const Kind kind : every_kind) {
      Dataset data = gaussian(kind, 31, {4, 2, 3}, 5, 7);
      data.Y.clear();
      data.v.clear();
      data.scores = {exact({0.5, -2, 0.25, 3}), {Number(1, 3), Number(1, 7)}, exact({-1, 0.125, -0.75})};
      add("given-scores", data);
    }
  }

  void duplicates() {
    for (const Kind kind : every_kind) {
      const Dataset base = gaussian(kind, 20, {4, 4, 4}, 6, 12);
      const Choice choice = best_choice(base);
      const MarginAnswer answer = solve_margin(base, choice);
      const Pair support = answer.constraints[answer.support.at(0)];
      {
        Dataset data = base;
        append_token(data, support.first, support.second);
        add("duplicate-support", data, choice);
      }
      {
        Dataset data = base;
        append_token(data, 1, choice[1]);
        add("duplicate-selected", data, choice);
      }
      {
        Dataset data = base;
        append_group(data, 0);
        append_group(data, 0);
        Choice longer = choice;
        longer.resize(5, choice[0]);
        add("identical-samples", data, longer);
      }
      for (const std::size_t a : answer.support)
        for (const std::size_t b : answer.support) {
          if (a >= b || answer.constraints[a].first != answer.constraints[b].first) continue;
          const auto [group, first] = answer.constraints[a];
          Dataset data = base;
          append_token(data, group, first);
          Row& middle = factor(data, group, data.X[group].size() - 1);
          const Row& other = factor(data, group, answer.constraints[b].second);
          for (std::size_t j = 0; j < middle.size(); ++j) middle[j] = (middle[j] + other[j]) / 2;
          add("midpoint" + std::to_string(a) + "-" + std::to_string(b), data, choice);
        }
    }
  }

  // Text-like groups: few different tokens, often repeated, the selected ones too; once with counts. In
  // prompt problems equal keys have scores of their own.
  void repeated() {
    for (const Kind kind : every_kind)
      for (std::uint64_t seed = 80; seed < 84; ++seed) {
        Random random(seed);
        Dataset data = gaussian(kind, seed, {6, 4, 5, 3}, 6, 9);
        for (std::size_t i = 0; i < data.groups(); ++i)
          for (std::size_t t = 3; t < data.X[i].size(); ++t) {
            const std::size_t source = random.below(3);
            factor(data, i, t) = factor(data, i, source);
            if (kind == Kind::prompt && random.below(2) == 0) data.X[i][t] = data.X[i][source];
          }
        add("repeated" + std::to_string(seed), data);
        for (const auto& tokens : data.X) {
          data.counts.emplace_back();
          for (std::size_t t = 0; t < tokens.size(); ++t)
            data.counts.back().push_back(static_cast<long>(1 + random.below(5)));
        }
        add("counted" + std::to_string(seed), data);
      }
    for (const Kind kind : every_kind) {
      Dataset data = gaussian(kind, 84, {3, 3}, 4, 6);
      for (std::size_t t = 1; t < 3; ++t) factor(data, 1, t) = factor(data, 1, 0);
      add("all-equal-group", data);
      for (std::size_t t = 1; t < 3; ++t) factor(data, 0, t) = factor(data, 0, 0);
      add("all-equal", data);
    }
  }

  // Two tokens in the plane, the first one twice: 2 + 3 times, the other once.
  void counted_plane() {
    Dataset data;
    data.kind = Kind::cross;
    data.X = {{{1, 0}, {0, 1}, {1, 0}}};
    data.Y = {1};
    data.v = {1, 0};
    data.z = {{1}};
    data.counts = {{2, 1, 3}};
    cases.push_back({"counted-plane", data, {0}});
  }

  void queries() {
    for (const Kind kind : every_kind) {
      const Dataset base = gaussian(kind, 30, {3, 3, 4}, 5, 8);
      const Choice choice = best_choice(base);
      for (const auto& [name, scale] :
           std::vector<std::pair<std::string, Number>>{{"zero", 0},
                                                       {"negated", -1},
                                                       {"third", Number(1, 3)},
                                                       {"huge", power_of_two(70)},
                                                       {"minute", power_of_two(-70)}}) {
        if (kind == Kind::self && name != "zero") continue;  // the query is itself a token there
        Dataset data = base;
        append_group(data, 1);
        Choice longer = choice;
        longer.push_back(choice[1]);
        if (kind == Kind::cross)
          for (Number& entry : data.z[3]) entry *= scale;
        if (kind == Kind::prompt)
          for (Row& key : data.K[3])
            for (Number& entry : key) entry *= scale;
        if (kind == Kind::self)
          for (Number& entry : data.X[3][0]) entry = 0;
        add("query-" + name, data, longer);
      }
    }
    // One-hot tokens with equal queries: most tight multipliers can be zero.
    Dataset one_hot;
    one_hot.kind = Kind::cross;
    one_hot.v = {5, 3, 2, 1};
    for (std::size_t i = 0; i < 3; ++i) {
      one_hot.X.emplace_back();
      for (std::size_t t = 0; t < 4; ++t) {
        Row row(4);
        row[t] = 1;
        one_hot.X.back().push_back(row);
      }
      one_hot.Y.push_back(1);
      one_hot.z.push_back({1, 2});
    }
    add("one-hot", one_hot);
    Dataset mixed = one_hot;
    mixed.Y = {1, -1, 1};
    add("one-hot-opposed", mixed);
  }

  void tiny_gaps() {
    const Number one = 1;
    const Number slack = power_of_two(-52);
    cases.push_back(keys("collinear-tight", {{{0, 0}, {-1, 0}, {-1, -1}, {-1, 1}, {-1, 2}}}));
    cases.push_back(keys("slack-52", {{{0, 0}, {-1, 0}, {Number(-1 - slack), 0}, {Number(-1 - slack), 1}}}));
    for (const long exponent : {-20L, -60L, -200L}) {
      const Number e = power_of_two(exponent);
      cases.push_back(keys("near-infeasible" + std::to_string(-exponent),
                           {{{0, 0}, {-1, Number(-e)}}, {{0, 0}, {1, Number(-e)}}}));
    }
    cases.push_back(keys("opposed", {{{0, 0}, {-1, 0}}, {{0, 0}, {1, 0}}}));
    cases.push_back(keys("huge-integers", {{{0, 0}, {Number(-power_of_two(53)), -1}},
                                           {{0, 0}, {power_of_two(53), Number(-1 - power_of_two(-52))}}}));
    cases.push_back(keys("zero-multiplier", {{{0, 0}, {-1, 0}, {-1, -1}}}));
    // Three tight constraints, one a positive combination of the others: complementary only off the vertices.
    cases.push_back(keys("dependent-positive", {{{0, 0}, {-1, -1}, {-1, 0}, {-1, 1}}}));
    cases.push_back(keys(
        "rank-deficient",
        {{{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {Number(-1, 2), Number(-1, 2), 0}}, {{0, 0, 0}, {-1, -1, 0}}}));
    for (const Kind kind : every_kind) {
      for (const long exponent : {-30L, -60L}) {
        Dataset data = gaussian(kind, 40, {3, 3}, 4, 8);
        for (std::size_t i = 0; i < 2; ++i)
          for (std::size_t t = 1; t < 3; ++t) {
            Row& row = factor(data, i, t);
            const Row& centre = factor(data, i, 0);
            for (std::size_t j = 0; j < row.size(); ++j) row[j] = centre[j] + power_of_two(exponent) * row[j];
          }
        add("spread" + std::to_string(-exponent), data);
      }
      // Equal scores up to 2^-40: once told apart, once exactly tied, both choices.
      Dataset data = gaussian(kind, 41, {4, 3}, 5, 8);
      const Choice best = best_choice(data);
      const std::size_t other = best[0] == 3 ? 2 : 3;
      data.v.assign(5, 0);
      data.v[0] = 1;
      Number& ours = data.X[0][best[0]][0];
      Number& theirs = data.X[0][other][0];
      ours = data.Y[0] * 8;
      theirs = ours - data.Y[0] * power_of_two(-40);
      add("near-tie", data);
      Choice swapped = best_choice(data);
      swapped[0] = other;
      add("near-tie-other", data, swapped);
      theirs = ours;
      add("tie", data);
      add("tie-other", data, swapped);
    }
  }

  // Draws every number of the vectors anew.
  static void redraw(Dataset& data, const std::function<Number()>& draw) {
    const auto rows = [&](std::vector<Row>& each) {
      for (Row& row : each)
        for (Number& entry : row) entry = draw();
    };
    for (Number& entry : data.v) entry = draw();
    for (auto& tokens : data.X) rows(tokens);
    rows(data.z);
    for (auto& tokens : data.K) rows(tokens);
  }

  void small_integers() {
    for (const Kind kind : every_kind)
      for (std::uint64_t seed = 50; seed < 62; ++seed) {
        Random random(seed);
        const auto draw = [&]() -> Number { return Number(static_cast<long>(random.below(3)) - 1); };
        Dataset data = gaussian(kind, seed, {3, 2, 4}, 4, 6);
        redraw(data, draw);
        add("integers" + std::to_string(seed), data);
      }
  }

  // The instance that tests/corpus writes in every legal and illegal file format.
  void plain() {
    Dataset data;
    data.kind = Kind::cross;
    data.X = {{{1, 0}, {0, 1}, {Number(-1, 2), Number(1, 4)}}, {{2, 1}, {1, 3}, {0, 0}}};
    data.Y = {1, -1};
    data.v = {1, -2};
    data.z = {{1, 2, 0}, {0, 1, -1}};
    add("plain", data);
  }

  void rational() {
    for (const Kind kind : every_kind)
      for (std::uint64_t seed = 70; seed < 73; ++seed) {
        Random random(seed);
        const auto draw = [&]() -> Number {
          return Number(static_cast<long>(random.below(41)) - 20) / static_cast<long>(1 + random.below(12));
        };
        Dataset data = gaussian(kind, seed, {3, 1, 4, 2}, 5, 7);
        redraw(data, draw);
        add("rational" + std::to_string(seed), data);
      }
  }
};

std::vector<std::size_t> shuffled(std::size_t size, Random& random) {
  std::vector<std::size_t> order(size);
  for (std::size_t k = 0; k < size; ++k) order[k] = k;
  for (std::size_t k = size; k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
  return order;
}

}  // namespace

Dataset gaussian(Kind kind, std::uint64_t seed, const std::vector<std::size_t>& tokens, std::size_t dimension,
                 std::size_t factor_dimension) {
  Random random(seed);
  Dataset data;
  data.kind = kind;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    data.X.emplace_back();
    for (std::size_t t = 0; t < tokens[i]; ++t) data.X.back().push_back(exact(random.unit_vector(dimension)));
    data.Y.push_back(i % 2 == 0 ? 1 : -1);
  }
  data.v = exact(random.unit_vector(dimension));
  if (kind == Kind::cross)
    for (std::size_t i = 0; i < tokens.size(); ++i)
      data.z.push_back(exact(random.unit_vector(factor_dimension)));
  if (kind == Kind::prompt)
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      data.K.emplace_back();
      for (std::size_t t = 0; t < tokens[i]; ++t)
        data.K.back().push_back(exact(random.unit_vector(factor_dimension)));
    }
  return data;
}

std::vector<Case> families() {
  Builder builder;
  builder.ordinary();
  builder.given_scores();
  builder.duplicates();
  builder.repeated();
  builder.counted_plane();
  builder.queries();
  builder.tiny_gaps();
  builder.small_integers();
  builder.rational();
  builder.plain();
  return builder.cases;
}

Case permuted(const Case& original, std::uint64_t seed) {
  Random random(seed);
  Case result{original.name + "-permuted", original.data, {}};
  Dataset& data = result.data;
  data.X.clear();
  data.Y.clear();
  data.z.clear();
  data.K.clear();
  data.scores.clear();
  data.counts.clear();
  for (const std::size_t i : shuffled(original.data.groups(), random)) {
    const auto& tokens = original.data.X[i];
    std::vector<std::size_t> order = shuffled(tokens.size(), random);
    if (data.kind == Kind::self) {
      const long place = data.query < 0 ? static_cast<long>(tokens.size()) + data.query : data.query;
      std::iter_swap(order.begin() + place,
                     std::find(order.begin(), order.end(), static_cast<std::size_t>(place)));
    }
    data.X.emplace_back();
    if (data.kind == Kind::prompt) data.K.emplace_back();
    const bool scored = !original.data.scores.empty();
    if (scored) data.scores.emplace_back();
    if (!original.data.counts.empty()) data.counts.emplace_back();
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (scored) data.scores.back().push_back(original.data.scores[i][order[k]]);
      data.X.back().push_back(tokens[order[k]]);
      if (data.kind == Kind::prompt) data.K.back().push_back(original.data.K[i][order[k]]);
      if (!original.data.counts.empty()) data.counts.back().push_back(original.data.counts[i][order[k]]);
      if (order[k] == original.choice[i]) result.choice.push_back(k);
    }
    result.choice.back() = first_equal(data, data.X.size() - 1, result.choice.back());
    if (!scored) data.Y.push_back(original.data.Y[i]);
    if (data.kind == Kind::cross) data.z.push_back(original.data.z[i]);
  }
  return result;
}

}  // namespace reference
