// From the reference's datasets to the project's instances, through the project's own JSON reader.
#pragma once

#include <map>
#include <string>

#include "certify/catalogue/catalogue.hpp"
#include "certify/instance/assemble.hpp"
#include "certify/instance/json.hpp"
#include "tests/oracle/dataset.hpp"

inline attest::Instance instance_of(const reference::Dataset& data) {
  return attest::assemble_instance(attest::parse_json_instance(reference::json_text(data, std::nullopt)));
}

inline mpq_class to_mpq(const attest::Rational& x) {
  return mpq_class(x.backend().data());
}

// All rows by id.
inline std::map<std::string, attest::Row> rows_of(const reference::Dataset& data,
                                                  const reference::Choice& choice,
                                                  attest::Loss loss = attest::Loss::logistic,
                                                  std::size_t budget = 100000, std::uint64_t run_steps = 0) {
  const attest::Instance instance = instance_of(data);
  attest::CatalogueOptions options;
  options.loss = loss;
  options.enumeration_budget = budget;
  options.run_steps = run_steps;
  attest::CatalogueContext context(instance, choice, options);
  std::map<std::string, attest::Row> rows;
  for (attest::Row& row : attest::check_catalogue(context)) rows.emplace(row.id, row);
  return rows;
}
