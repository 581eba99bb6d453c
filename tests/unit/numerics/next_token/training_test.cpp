// The attention stage against the textbook in long double: every position of a context by itself, W and W_ov
// as matrices (no differences of nearly equal numbers, so that small gradients are right); and what is proved
// of later steps against these.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "numerics/next_token/attention_run.hpp"
#include "numerics/next_token/attention_training.hpp"
#include "numerics/next_token/collocation.hpp"
#include "numerics/next_token/stages.hpp"
#include "tests/unit/numerics/next_token/random_sentences.hpp"

using namespace attest;
using namespace next_token_tests;

namespace {

const Budget unlimited;

using Real = long double;
using Matrix = std::vector<std::vector<Real>>;

struct Text {
  Sentences sentences;
  Collocation collocation;
  std::vector<AttentionGroup> groups;
  std::optional<AttentionStage> stage;
  std::optional<AttentionOptimum> optimum;
};

// Sentences whose attention stage can be trained; nothing where their orders have a cycle, or no rows.
std::optional<Text> random_text(unsigned seed) {
  const std::size_t V = 4 + seed % 5;
  Text text;
  text.sentences = random_sentences(seed, V, 2 + seed % 6, 3 + seed % 5);
  const CollocationSearch search = find_collocation(text.sentences, Budget());
  if (search.verdict != CollocationSearch::Verdict::given &&
      search.verdict != CollocationSearch::Verdict::found)
    return std::nullopt;
  text.collocation = search.collocation;
  text.groups = attention_groups(text.sentences);
  const auto orders = token_orders(text.groups, text.collocation);
  if (shortest_cycle(orders)) return std::nullopt;
  const MarginSolution solution = solve_one_hot_attention(orders, {});
  if (!solution.exact || solution.exact->multipliers.size() == 0) return std::nullopt;
  text.stage.emplace(text.sentences, text.groups, text.collocation);
  text.optimum.emplace(*text.stage, *solution.exact);
  return text;
}

// Loss and gradient by W (token x query) with W_ov = c sum e_n(x) e_x'.
struct Textbook {
  const Text& text;
  Real c;

  Real operator()(const Matrix& W, Matrix& gradient) const {
    const std::size_t V = text.sentences.vocabulary;
    gradient.assign(V, std::vector<Real>(V, 0));
    Real loss = 0, count = 0;
    for (const auto& sentence : text.sentences.sentence) {
      if (sentence.size() < 3) continue;
      ++count;
      const std::size_t T = sentence.size() - 1;
      const TokenId q = sentence[T - 1], y = sentence[T];
      std::vector<Real> s(T), out(V, 0), slope(T, 0);
      Real total = 0, all = 0, others = 0;
      for (std::size_t t = 0; t < T; ++t) total += s[t] = std::exp(W[sentence[t]][q]);
      for (std::size_t t = 0; t < T; ++t) {
        s[t] /= total;
        if (const auto next = text.collocation.next(sentence[t])) out[*next] += c * s[t];
      }
      for (std::size_t u = 0; u < V; ++u) all += std::exp(out[u]);
      for (std::size_t u = 0; u < V; ++u) others += u == y ? 0 : std::exp(out[u]);
      loss += std::log(all) - out[y];
      for (std::size_t t = 0; t < T; ++t) {
        if (const auto next = text.collocation.next(sentence[t]))
          slope[t] = c * (*next == y ? -others : std::exp(out[*next])) / all;
      }
      for (std::size_t t = 0; t < T; ++t) {
        for (std::size_t r = 0; r < T; ++r) gradient[sentence[t]][q] += s[t] * s[r] * (slope[t] - slope[r]);
      }
    }
    for (auto& row : gradient)
      for (Real& x : row) x /= count;
    return loss / count;
  }
  // Where all attention is on the selected tokens.
  Real least() const { return std::log1p((text.sentences.vocabulary - 1) * std::exp(-c)); }
};

Real norm_of(const Matrix& m) {
  Real sum = 0;
  for (const auto& row : m)
    for (const Real x : row) sum += x * x;
  return std::sqrt(sum);
}

void descend(Matrix& W, const Matrix& gradient, Real eta) {
  const Real length = norm_of(gradient);
  for (std::size_t x = 0; x < W.size(); ++x)
    for (std::size_t q = 0; q < W.size(); ++q) W[x][q] -= eta * gradient[x][q] / length;
}

bool holds(const Ball& ball, Real value, double tolerance) {
  const double x = static_cast<double>(value), room = tolerance * (1 + std::abs(x));
  return ball.lower_double() <= x + room && ball.upper_double() >= x - room;
}

}  // namespace

TEST_CASE("the attention stage's enclosures hold the textbook's numbers") {
  std::size_t trained = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto text = random_text(seed);
    if (!text) continue;
    ++trained;
    CAPTURE(seed);
    const Rational squared(Integer(1 + seed % 40)), step(1, 4);
    AttentionRun run(*text->stage, sqrt(Ball(squared, 256), 256), Ball(step, 256), 192, unlimited);
    const Textbook textbook{*text, std::sqrt(static_cast<Real>(1 + seed % 40))};
    const std::size_t V = text->sentences.vocabulary;
    Matrix W(V, std::vector<Real>(V, 0)), gradient;
    for (int t = 0; t < 40; ++t) {
      const Real loss = textbook(W, gradient);
      REQUIRE(holds(run.point().loss_gap(), loss - textbook.least(), 1e-14));
      REQUIRE(holds(run.point().speed(), norm_of(gradient), 1e-14));
      REQUIRE(holds(run.norm(), norm_of(W), 1e-14));
      for (const auto& [at, entry] : text->stage->entry) {
        REQUIRE(holds(run.entries()[entry], W[at.second][at.first], 1e-14));
        REQUIRE(holds(run.point().velocity()[entry], -gradient[at.second][at.first], 1e-14));
      }
      descend(W, gradient, 0.25L);
      REQUIRE(run.advance());
    }
  }
  CHECK(trained > 20);
}

TEST_CASE("no two points of the attention stage part faster than the bound of the step's derivative") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto text = random_text(seed);
    if (!text) continue;
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const Textbook textbook{*text, 4};
    const std::size_t V = text->sentences.vocabulary;
    AttentionPoint point(*text->stage, Ball(4.0), unlimited);
    for (int trial = 0; trial < 20; ++trial) {
      Matrix W(V, std::vector<Real>(V, 0)), other, gradient;
      std::vector<WorkingBall> entries(text->stage->entry.size());
      for (const auto& [at, entry] : text->stage->entry) {
        const double x = normal(random) * (trial % 4);
        W[at.second][at.first] = x;
        arb_set_d(entries[entry], x);
      }
      other = W;
      Real apart = 0;
      for (const auto& [at, entry] : text->stage->entry) {
        const double x = 1e-6 * normal(random);
        other[at.second][at.first] += x;
        apart += x * x;
      }
      point.evaluate(entries, 128);
      const double eta = 0.1 * (1 + trial % 30), bound = point.expansion(Ball(eta));
      for (Matrix* each : {&W, &other}) {
        textbook(*each, gradient);
        descend(*each, gradient, eta);
      }
      for (std::size_t x = 0; x < V; ++x)
        for (std::size_t q = 0; q < V; ++q) W[x][q] -= other[x][q];
      CHECK(norm_of(W) <= bound * std::sqrt(apart) * 1.0001L);
    }
  }
}

TEST_CASE("what is proved of all later steps of the attention stage holds at later steps") {
  std::size_t locked = 0, limits = 0;
  for (unsigned seed = 0; seed < 80; ++seed) {
    const auto text = random_text(seed);
    if (!text) continue;
    CAPTURE(seed);
    const Rational squared(Integer(1 + seed % 30)), step(1, 2 + seed % 5);
    const AttentionTraining found =
        train_attention(*text->stage, *text->optimum, {squared, step, 200}, Budget());
    REQUIRE(found.reason.empty());
    if (!found.lock_in) continue;
    ++locked;
    REQUIRE(found.limit);
    ++limits;
    const Textbook textbook{*text, std::sqrt(static_cast<Real>(1 + seed % 30))};
    const std::size_t V = text->sentences.vocabulary;
    const Real eta = 1.0L / (2 + seed % 5);
    Matrix W(V, std::vector<Real>(V, 0)), gradient;
    Real most = std::numeric_limits<Real>::infinity();  // that the loss may be next
    const Real optimum =
        std::sqrt(static_cast<Real>(mpq_get_d(text->optimum->norm_squared.backend().data())));
    for (std::uint64_t t = 0; t <= 400; ++t) {
      const Real gap = textbook(W, gradient) - textbook.least();
      CHECK(gap <= most + 1e-15L);
      if (t >= found.lock_in->from())
        most = gap - found.lock_in->conclusion().decrease.convert_to<double>() * eta * norm_of(gradient);
      if (t >= found.limit->from()) {
        CHECK(static_cast<double>(gap) <= found.limit->loss_gap_at(t).ball().upper_double() + 1e-15);
        Real height = 0;
        for (const auto& [at, entry] : text->stage->entry)
          height += W[at.second][at.first] *
                    static_cast<Real>(mpq_get_d(text->optimum->entries[entry].backend().data())) / optimum;
        CHECK(static_cast<double>(height) >= found.limit->height_at(t).ball().lower_double() - 1e-9);
        const Real away = 1 - height / norm_of(W);
        CHECK(static_cast<double>(away) <= found.limit->one_minus_cos_at(t).ball().upper_double() + 1e-12);
      }
      descend(W, gradient, eta);
    }
  }
  CHECK(locked > 10);
  CHECK(limits == locked);
}

// W = r W*/||W*|| + noise, with the least r at which T23 is proved, found by halving.
struct BarelyInside {
  Matrix W;
  std::optional<AttentionLockIn> lock_in;
  AttentionLimit::Start start;
};

BarelyInside barely_inside(const Text& text, const StageTraining& training,
                           const std::vector<double>& noise) {
  const std::size_t V = text.sentences.vocabulary;
  const double norm = std::sqrt(text.optimum->norm_squared.convert_to<double>());
  AttentionPoint point(*text.stage, training.scale.ball(), unlimited);
  BarelyInside found;
  double outside = 0, inside = 4096;
  for (int halving = 0; halving < 40; ++halving) {
    const double r = halving == 0 ? inside : (outside + inside) / 2;
    std::vector<WorkingBall> entries(noise.size());
    Matrix W(V, std::vector<Real>(V, 0));
    AttentionLimit::Start start;
    double height = 0, square = 0;
    for (const auto& [at, entry] : text.stage->entry) {
      const double along = text.optimum->entries[entry].convert_to<double>() / norm;
      const double x = r * along + noise[entry];
      W[at.second][at.first] = x;
      arb_set_d(entries[entry], x);
      height += x * along;
      square += x * x;
    }
    point.evaluate(entries, 128);
    const auto lock_in = AttentionLockIn::prove(*text.stage, training, BallNumber(Ball(point.loss_gap())), 0);
    (lock_in ? inside : outside) = r;
    if (!lock_in) continue;
    for (const WorkingBall& x : entries) start.entries.emplace_back(Ball(x));
    start.height = BallNumber(height);
    start.residual = BallNumber(std::sqrt(std::max(0.0, square - height * height)) + 1e-6);
    found = {W, lock_in, start};
  }
  return found;
}

TEST_CASE("started barely inside the region of T23, the loss falls at every step and the bounds hold") {
  std::size_t started = 0;
  for (unsigned seed = 0; seed < 160; ++seed) {
    const auto text = random_text(seed);
    if (!text) continue;
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const double eta = 0.05 * (1 + seed % 7), c = 0.5 + seed % 9;
    const StageTraining training{BallNumber(c), BallNumber(eta)};
    std::vector<double> noise;
    for (std::size_t k = 0; k < text->stage->entry.size(); ++k) noise.push_back(normal(random) * (seed % 4));
    BarelyInside at = barely_inside(*text, training, noise);
    if (!at.lock_in) continue;
    ++started;
    const auto limit = AttentionLimit::prove(*text->stage, *text->optimum, training, *at.lock_in, at.start);
    REQUIRE(limit);
    const Textbook textbook{*text, c};
    const double norm = std::sqrt(text->optimum->norm_squared.convert_to<double>());
    const double theta = at.lock_in->decrease().ball().lower_double();
    Matrix W = at.W, gradient;
    Real most = std::numeric_limits<Real>::infinity();
    for (std::uint64_t t = 0; t < 300; ++t) {
      const Real gap = textbook(W, gradient) - textbook.least();
      CHECK(gap <= most + 1e-15L);
      most = gap - theta * eta * norm_of(gradient);
      CHECK(static_cast<double>(gap) <= limit->loss_gap_at(t).ball().upper_double() + 1e-15);
      Real height = 0;
      for (const auto& [entry, k] : text->stage->entry)
        height += W[entry.second][entry.first] * text->optimum->entries[k].convert_to<double>() / norm;
      CHECK(static_cast<double>(height) >= limit->height_at(t).ball().lower_double() - 1e-6);
      const Real away = 1 - height / norm_of(W);
      CHECK(static_cast<double>(away) <= limit->one_minus_cos_at(t).ball().upper_double() + 1e-6);
      descend(W, gradient, eta);
    }
  }
  CHECK(started > 20);
}

TEST_CASE("the curvature ratio bounds weighted sums of squares of an order's rows") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  double closest = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t entries = 3 + random() % 5;
    std::vector<std::pair<std::size_t, std::size_t>> rows;
    for (std::size_t a = 0; a < entries; ++a) {
      for (std::size_t b = a + 1; b < entries; ++b)
        if (random() % 2 == 0) rows.emplace_back(a, b);
    }
    if (rows.empty()) continue;
    const double ratio = std::sqrt(static_cast<double>(squared_curvature_ratio(entries, rows)));
    std::vector<double> weight, sum(entries, 0.0), v(entries), next;
    for (const auto& [a, b] : rows) {
      weight.push_back(std::pow(uniform(random), 4));
      sum[a] += weight.back();
      sum[b] -= weight.back();
    }
    const auto norm = [](const std::vector<double>& x) {
      double square = 0;
      for (const double y : x) square += y * y;
      return std::sqrt(square);
    };
    for (double& x : v) x = uniform(random) - 0.5;
    double most = 0;  // towards the largest eigenvalue
    for (int power = 0; power < 200; ++power) {
      next.assign(entries, 0.0);
      for (std::size_t c = 0; c < rows.size(); ++c) {
        const double part = weight[c] * (v[rows[c].first] - v[rows[c].second]);
        next[rows[c].first] += part;
        next[rows[c].second] -= part;
      }
      most = norm(next);
      for (std::size_t x = 0; x < entries; ++x) v[x] = next[x] / most;
    }
    CHECK(most <= ratio * norm(sum) * (1 + 1e-12));
    closest = std::max(closest, most / (ratio * norm(sum)));
  }
  CHECK(closest > 0.9);
  CHECK(squared_curvature_ratio(2, {{0, 1}}) == 2);
}
