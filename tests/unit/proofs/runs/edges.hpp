// The sharpest claims that are accepted: where the answer turns as one constant of a claim grows or shrinks.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <span>

#include "proofs/checker/base/exact.hpp"
#include "tests/unit/proofs/checker/claims.hpp"

namespace checker_tests {

using attest_check::Rational;

// The constant after `word` on the line that starts with `line` is accepted at `accepted` and refused at
// `refused`.
struct Field {
  const char* line;
  const char* word;
  double accepted, refused;
};

struct Edge {
  const char *base, *line, *word;
  double value;
};

struct Base {
  std::string name, instance;
  Lines body;
  std::vector<Field> fields;
};

inline std::string with_value(const std::string& line, const std::string& word, const Rational& value) {
  const std::size_t at = (" " + line).find(" " + word + " ") + word.size() + 1;
  const std::size_t end = line.find(' ', at);
  return line.substr(0, at) + attest_check::canonical(value) +
         (end == std::string::npos ? "" : line.substr(end));
}

inline Lines changed(Lines body, const Field& field, double value) {
  for (std::string& line : body) {
    if (line.starts_with(field.line)) {
      line = with_value(line, field.word, Rational(value));
      return body;
    }
  }
  throw std::logic_error(std::string("no line ") + field.line);
}

inline bool accepted(const Base& base, const Lines& body) {
  return check_body(base.instance, body).status == 0;
}

inline double edge_of(const Base& base, const Field& field) {
  double good = field.accepted, bad = field.refused == 0 ? std::ldexp(good, -300) : field.refused;
  for (int k = 0; k < 46; ++k) {
    const double middle = bad > 0 && bad < good / 2 ? std::sqrt(good * bad) : (good + bad) / 2;
    (accepted(base, changed(base.body, field, middle)) ? good : bad) = middle;
  }
  return good;
}

// Every field of every base turns where `known` says, to a part in 10^8. With ATTEST_PRINT_EDGES=1 the values
// are printed instead; with ATTEST_EDGE_FOLDER naming a folder the claims 2^-24 beyond each are written
// there, for the verified checker.
inline void check_edges(const std::vector<Base>& bases, std::span<const Edge> known) {
  static int number = 0;
  const bool print = std::getenv("ATTEST_PRINT_EDGES") != nullptr;
  for (const Base& base : bases) {
    CAPTURE(base.name);
    const Outcome outcome = check_body(base.instance, base.body);
    CAPTURE(outcome.message);
    CHECK(outcome.status == 0);
    if (outcome.status != 0) continue;
    for (const Field& field : base.fields) {
      CAPTURE(std::string(field.line));
      CAPTURE(std::string(field.word));
      if (print) {
        std::cout << "{\"" << base.name << "\", \"" << field.line << "\", \"" << field.word << "\", "
                  << std::setprecision(12) << edge_of(base, field) << "},\n";
        continue;
      }
      const auto found = std::find_if(known.begin(), known.end(), [&](const Edge& one) {
        return base.name == one.base && std::string(field.line) == one.line &&
               std::string(field.word) == one.word;
      });
      REQUIRE(found != known.end());
      const double edge = found->value,
                   slack = (field.accepted > field.refused ? 1 : -1) * std::abs(edge) * 1e-8;
      CHECK(accepted(base, changed(base.body, field, edge + slack)));
      CHECK_FALSE(accepted(base, changed(base.body, field, edge - slack)));
      if (const char* folder = std::getenv("ATTEST_EDGE_FOLDER")) {
        const std::string file = std::string(folder) + "/" + std::to_string(number++);
        std::ofstream(file + ".json") << base.instance;
        const double beyond =
            edge + (field.accepted > field.refused ? 1 : -1) * std::ldexp(std::abs(edge), -24);
        std::ofstream(file + ".attest")
            << join(certificate(base.instance, changed(base.body, field, beyond)));
      }
    }
  }
}

}  // namespace checker_tests
