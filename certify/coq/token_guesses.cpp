#include "certify/coq/token_guesses.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "certify/coq/text.hpp"
#include "proofs/checker/instance/sentences.hpp"

namespace attest {
namespace {

using Ways = std::map<std::uint32_t, std::set<std::uint32_t>>;

// All that the ways lead to from a token.
std::set<std::uint32_t> reached(std::uint32_t from, const Ways& ways) {
  std::set<std::uint32_t> seen;
  std::deque<std::uint32_t> open{from};
  while (!open.empty()) {
    const auto next = ways.find(open.front());
    open.pop_front();
    if (next == ways.end()) continue;
    for (const std::uint32_t x : next->second) {
      if (seen.insert(x).second) open.push_back(x);
    }
  }
  return seen;
}

std::string number(long x) {
  return coq_number(attest_check::Integer(x));
}

}  // namespace

AskingSentences::AskingSentences(const attest_check::Problem& problem) {
  const attest_check::Sentences& text = *problem.features->instance().sentences;
  std::size_t group = 0;
  for (std::size_t k = 0; k < text.count(); ++k) {
    const std::size_t first = text.first[k], last = text.first[k + 1] - 1;
    if (last - first == 1) {
      before_.emplace(text.ids[last], text.ids[first]);
      continue;
    }
    std::vector<std::uint32_t> places;
    std::map<std::uint32_t, std::uint64_t> counts;
    for (std::size_t t = first; t < last; ++t) {
      if (++counts[text.ids[t]] == 1) places.push_back(text.ids[t]);
    }
    const std::uint32_t query = text.ids[last - 1], top = places[problem.selection[group]];
    auto at = std::find_if(columns_.begin(), columns_.end(),
                           [&](const Column& column) { return column.query == query; });
    if (at == columns_.end()) {
      at = columns_.emplace(columns_.end());
      at->query = query;
    }
    for (std::size_t t = 0; t < places.size(); ++t) {
      const std::uint32_t below = places[t];
      if (std::find(at->tokens.begin(), at->tokens.end(), below) == at->tokens.end())
        at->tokens.push_back(below);
      if (below == top) continue;
      const Row row{group, t, counts[below], counts[top]};
      const auto [kept, is_new] = at->rows[top].try_emplace(below, row);
      if (!is_new && row.count * kept->second.chosen > kept->second.count * row.chosen) kept->second = row;
    }
    ++group;
  }
}

const AskingSentences::Column* AskingSentences::column(std::uint32_t query) const {
  const auto at = std::find_if(columns_.begin(), columns_.end(),
                               [&](const Column& column) { return column.query == query; });
  return at == columns_.end() ? nullptr : &*at;
}

// 1 or -1 at a token at an end of the order; at others h, h + 1 at what is above and h - 1 at what is below,
// for the h that makes the vector shortest: every row of the token gets 1 or more, and no other less than 0.
AskingSentences::Vector AskingSentences::vector_of(const Column& column, std::uint32_t token) {
  Ways up, down;
  for (const auto& [top, rows] : column.rows) {
    for (const auto& [below, row] : rows) {
      up[below].insert(top);
      down[top].insert(below);
    }
  }
  if (!up.contains(token)) return {{token, 1}};
  if (!down.contains(token)) return {{token, -1}};
  const std::set<std::uint32_t> above = reached(token, up), below = reached(token, down);
  const auto square = [&](long h) {
    return h * h + static_cast<long>(above.size()) * (h + 1) * (h + 1) +
           static_cast<long>(below.size()) * (h - 1) * (h - 1);
  };
  const long h = std::min({0L, 1L, -1L}, [&](long a, long b) { return square(a) < square(b); });
  Vector vector{{token, h}};
  for (const std::uint32_t x : above) vector[x] = h + 1;
  for (const std::uint32_t x : below) vector[x] = h - 1;
  std::erase_if(vector, [](const auto& entry) { return entry.second == 0; });
  return vector;
}

std::string AskingSentences::square() const {
  long most = 0;
  for (const Column& column : columns_) {
    for (const auto& [top, rows] : column.rows) {
      const Vector first = vector_of(column, top);
      for (const auto& [below, row] : rows) {
        Vector sum = vector_of(column, below);
        for (const auto& [x, a] : first) sum[x] += a;
        long square = 0;
        for (const auto& [x, a] : sum) square += a * a;
        most = std::max(most, square);
      }
    }
  }
  return number(most);
}

std::string AskingSentences::vectors() const {
  return coq_list(columns_.size(), [&](std::size_t k) {
    const Column& column = columns_[k];
    const auto token = [&](std::size_t t) {
      const Vector vector = vector_of(column, column.tokens[t]);
      const std::vector<std::pair<std::uint32_t, long>> entries(vector.begin(), vector.end());
      return "(" + coq_natural(column.tokens[t]) + ", " +
             coq_list(entries.size(),
                      [&](std::size_t j) {
                        return "(" + coq_natural(entries[j].first) + ", " + number(entries[j].second) + ")";
                      }) +
             ")";
    };
    return "(" + coq_natural(column.query) + ", " + coq_list(column.tokens.size(), token) + ")";
  });
}

std::string AskingSentences::paths(const std::vector<std::size_t>& context, std::size_t next) const {
  const auto winner = before_.find(static_cast<std::uint32_t>(next));
  const Column* asked = column(static_cast<std::uint32_t>(context.back()));
  if (winner == before_.end() || asked == nullptr) return "[::]";
  std::map<std::uint32_t, std::vector<Row>> ways{{winner->second, {}}};
  std::deque<std::uint32_t> open{winner->second};
  while (!open.empty()) {
    const std::uint32_t at = open.front();
    open.pop_front();
    const auto rows = asked->rows.find(at);
    if (rows == asked->rows.end()) continue;
    for (const auto& [below, row] : rows->second) {
      const auto [way, is_new] = ways.try_emplace(below, ways.at(at));
      if (!is_new) continue;
      way->second.push_back(row);
      open.push_back(below);
    }
  }
  std::vector<std::uint32_t> led;
  for (const std::size_t x : std::set<std::size_t>(context.begin(), context.end())) {
    const auto token = static_cast<std::uint32_t>(x);
    if (token != winner->second && ways.contains(token)) led.push_back(token);
  }
  return coq_list(led.size(), [&](std::size_t k) {
    const std::vector<Row>& way = ways.at(led[k]);
    const auto row = [&](std::size_t j) {
      return "(" + coq_natural(way[j].group) + ", " + coq_natural(way[j].token) + ")";
    };
    return "(" + coq_natural(led[k]) + ", " + coq_list(way.size(), row) + ")";
  });
}

}  // namespace attest
