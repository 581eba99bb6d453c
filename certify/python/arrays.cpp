#include "certify/python/arrays.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <variant>

#include "certify/instance/assemble.hpp"
#include "certify/process/input_error.hpp"

namespace attest {
namespace {

namespace py = pybind11;

NumberList numbers(const py::handle& entries, const std::string& key, const RawArray& array) {
  if (py::isinstance<py::array_t<double>>(entries)) {
    const auto values = py::cast<py::array_t<double, py::array::c_style>>(entries);
    return NumberList::of(BinaryArray::of(std::vector<double>(values.data(), values.data() + values.size())));
  }
  NumberList list;
  for (const py::handle& entry : entries) {
    ParsedNumber parsed = parse_number(py::cast<std::string>(entry));
    if (const auto* reason = std::get_if<std::string>(&parsed))
      fail_input(*reason, key, array.index(list.size()));
    if (const auto* value = std::get_if<double>(&parsed)) {
      list.push(*value);
    } else {
      list.push(std::get<Rational>(std::move(parsed)));
    }
  }
  return list;
}

}  // namespace

RawArray raw_array(const std::string& key, const py::handle& value) {
  RawArray array;
  if (py::isinstance<py::str>(value)) {
    array.text = py::cast<std::string>(value);
    return array;
  }
  const auto [shape, entries, lengths] =
      py::cast<std::tuple<std::vector<std::size_t>, py::object, std::optional<std::vector<std::size_t>>>>(
          value);
  array.shape = shape;
  array.lengths = lengths;
  array.values = numbers(entries, key, array);
  return array;
}

Instance instance_of(const py::dict& arrays) {
  RawInstance raw;
  for (const auto& [name, value] : arrays) {
    const auto key = py::cast<std::string>(name);
    if (!is_instance_key(key)) fail_input("no key of an instance", key);
    raw.emplace(key, raw_array(key, value));
  }
  return assemble_instance(std::move(raw));
}

}  // namespace attest
