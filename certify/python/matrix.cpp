#include "certify/python/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "numerics/margin/primal_dual.hpp"
#include "numerics/numbers/quotient.hpp"

namespace attest {
namespace {

namespace py = pybind11;

py::array_t<double> doubles(const ExactArray& values, std::vector<py::ssize_t> shape) {
  py::array_t<double> array(std::move(shape));
  double* out = array.mutable_data();
  for (std::size_t k = 0; k < values.size(); ++k) out[k] = values.approx(k);
  return array;
}

py::array_t<double> doubles(const std::vector<double>& values) {
  py::array_t<double> array(static_cast<py::ssize_t>(values.size()));
  std::copy(values.begin(), values.end(), array.mutable_data());
  return array;
}

// left += scale (x_winner - x_loser).
void add_difference(std::vector<double>& left, const TokenData& data, std::size_t group, std::size_t winner,
                    std::size_t loser, double scale) {
  const std::size_t d = data.left_dimension;
  for (std::size_t j = 0; j < d; ++j) {
    left[j] += scale * (data.token_factor.approx(data.row(group, winner) * d + j) -
                        data.token_factor.approx(data.row(group, loser) * d + j));
  }
}

// W += left z_group'.
void add_product(double* w, const TokenData& data, std::size_t group, const std::vector<double>& left) {
  const std::size_t e = data.right_dimension;
  for (std::size_t k = 0; k < e; ++k) {
    const double query = data.query_factor.approx(group * e + k);
    for (std::size_t j = 0; j < left.size(); ++j) w[j * e + k] += left[j] * query;
  }
}

py::array_t<double> doubles(const WrittenMatrix& matrix) {
  py::array_t<double> array({matrix.rows, matrix.columns});
  double* out = array.mutable_data();
  for (const Integer& x : matrix.numerator) *out++ = Rational(x, matrix.denominator).convert_to<double>();
  return array;
}

double near_value(const ConstraintVector& vector, std::size_t k) {
  return approx_quotient(vector.numerator[k], vector.denominator);
}

py::list near_multipliers(const ConstraintVector& dual) {
  py::list multipliers;
  for (std::size_t k = 0; k < dual.size(); ++k) {
    multipliers.append(
        py::make_tuple(dual.constraint[k].group, dual.constraint[k].token, near_value(dual, k)));
  }
  return multipliers;
}

}  // namespace

py::object near_solution(const TokenData& data, const Selection& selection, const MarginSolution& solution) {
  const std::unique_ptr<PrimalDual> found = primal_dual(solution);
  const ConstraintVector* primal = found                ? &found->primal()
                                   : solution.separator ? &*solution.separator
                                                        : nullptr;
  if (primal == nullptr) return py::none();
  py::array_t<double> w({data.left_dimension, data.right_dimension});
  std::fill_n(w.mutable_data(), w.size(), 0.0);
  std::vector<double> left(data.left_dimension, 0);
  for (std::size_t k = 0; k < primal->size(); ++k) {
    const Constraint& at = primal->constraint[k];
    add_difference(left, data, at.group, selection[at.group], at.token, near_value(*primal, k));
    if (k + 1 < primal->size() && primal->constraint[k + 1].group == at.group) continue;
    add_product(w.mutable_data(), data, at.group, left);
    std::fill(left.begin(), left.end(), 0.0);
  }
  py::dict answer(py::arg("W") = w, py::arg("multipliers") = py::none());
  if (const ConstraintVector* dual = found ? found->dual() : nullptr)
    answer["multipliers"] = near_multipliers(*dual);
  return answer;
}

py::object near_solution(const NormOptimum& optimum) {
  py::dict answer(py::arg("W") = doubles(optimum.left),
                  py::arg("multipliers") = near_multipliers(optimum.multipliers));
  if (optimum.factor_columns() > 0) {
    answer["K"] = doubles(optimum.left);
    answer["Q"] = doubles(optimum.right);
    answer["W"] = answer["K"].attr("__matmul__")(answer["Q"].attr("T"));
  }
  return answer;
}

py::dict near_solutions(const JointProblems& problems, const TokenData& data, const Selection& selection) {
  py::dict answer(py::arg("v") = py::none(), py::arg("W") = py::none());
  if (const std::unique_ptr<PrimalDual> decoder = primal_dual(problems.decoder)) {
    const ConstraintVector& primal = decoder->primal();
    py::array_t<double> v(static_cast<py::ssize_t>(problems.decoder_data.left_dimension));
    std::fill_n(v.mutable_data(), v.size(), 0.0);
    for (std::size_t k = 0; k < primal.size(); ++k) {  // the selected token against 0
      std::vector<double> left(problems.decoder_data.left_dimension, 0);
      add_difference(left, problems.decoder_data, primal.constraint[k].group, 0, 1, near_value(primal, k));
      add_product(v.mutable_data(), problems.decoder_data, primal.constraint[k].group, left);
    }
    answer["v"] = v;
  }
  if (!problems.attention) return answer;
  const py::object attention = near_solution(data, selection, *problems.attention);
  if (!attention.is_none()) answer["W"] = attention["W"];
  return answer;
}

py::dict trace_arrays(const std::vector<TraceRow>& trace, const NamedColumns& more, const ChartLine& later) {
  py::dict arrays;
  const auto column = [&](const char* name, auto member) {
    py::array_t<double> values(static_cast<py::ssize_t>(trace.size()));
    for (std::size_t k = 0; k < trace.size(); ++k)
      values.mutable_data()[k] = static_cast<double>(trace[k].*member);
    arrays[name] = values;
  };
  column("t", &TraceRow::step);
  column("norm", &TraceRow::norm);
  column("along", &TraceRow::along);
  column("across", &TraceRow::across);
  column("one_minus_corr_lo", &TraceRow::one_minus_corr_lo);
  column("one_minus_corr_hi", &TraceRow::one_minus_corr_hi);
  column("loss_gap", &TraceRow::loss_gap);
  column("gradient_norm", &TraceRow::gradient_norm);
  column("max_one_minus_s", &TraceRow::max_unselected);
  for (const auto& [name, values] : more) arrays[name.c_str()] = doubles(values);
  std::vector<double> t, bound;
  for (const auto& [step, value] : later.points) {
    t.push_back(step);
    bound.push_back(value);
  }
  arrays["later_t"] = doubles(t);
  arrays["later_bound"] = doubles(bound);
  return arrays;
}

py::dict problem_arrays(const Instance& instance) {
  const TokenData data = token_data(instance);
  const auto tokens = static_cast<py::ssize_t>(data.first_row.back());
  py::array_t<double> scores(tokens);
  for (py::ssize_t k = 0; k < tokens; ++k) {
    scores.mutable_data()[k] = data.scores[static_cast<std::size_t>(k)].convert_to<double>();
  }
  py::dict arrays;
  arrays["x"] = doubles(data.token_factor, {tokens, static_cast<py::ssize_t>(data.left_dimension)});
  arrays["z"] = doubles(data.query_factor, {static_cast<py::ssize_t>(data.groups()),
                                            static_cast<py::ssize_t>(data.right_dimension)});
  arrays["scores"] = scores;
  py::array_t<std::uint64_t> counts(tokens);
  for (std::size_t k = 0; k < static_cast<std::size_t>(tokens); ++k)
    counts.mutable_data()[k] = data.multiplicities.empty() ? 1 : data.multiplicities[k];
  arrays["counts"] = counts;
  if (data.offsets) {
    py::array_t<double> offsets(tokens);
    for (std::size_t i = 0; i < data.groups(); ++i) {
      for (std::size_t row = data.first_row[i]; row < data.first_row[i + 1]; ++row) {
        const auto k = static_cast<py::ssize_t>(row);
        const bool present = data.present(i, row - data.first_row[i]);
        const double logarithm = present ? data.offsets->log_multiplicity(row, 96).approx_mid() : 0;
        offsets.mutable_data()[k] = present ? logarithm - std::log(static_cast<double>(counts.data()[k])) : 0;
      }
    }
    arrays["offsets"] = offsets;
  }
  arrays["first_row"] =
      py::array_t<std::size_t>(static_cast<py::ssize_t>(data.first_row.size()), data.first_row.data());
  return arrays;
}

bool holds_binary64(const Instance& instance) {
  for (const ExactArray* array : {&instance.X, &instance.v, &instance.z, &instance.K}) {
    if (!array->is_binary64()) return false;
  }
  if (!instance.offsets.is_binary64()) return false;
  if (instance.scores && !instance.scores->is_binary64()) return false;
  if (instance.outputs) {
    for (const ExactArray* array :
         {&instance.outputs->weights, &instance.outputs->bias, &instance.outputs->r}) {
      if (!array->is_binary64()) return false;
    }
  }
  return !instance.W0 || instance.W0->is_binary64();
}

std::vector<std::size_t> token_counts(const Instance& instance) {
  std::vector<std::size_t> counts(instance.sequences());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = instance.tokens(i);
  return counts;
}

}  // namespace attest
