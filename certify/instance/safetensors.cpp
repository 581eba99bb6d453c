// The safetensors format: the length of a header (8 bytes, least first), the header, which is a JSON object
// that gives each tensor's type, shape and place, and the tensors' bytes one after the other; see
// instance/safetensors.hpp.
#include "certify/instance/safetensors.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "certify/instance/counted_text.hpp"
#include "certify/instance/npy.hpp"
#include "certify/process/input_error.hpp"

namespace attest {
namespace {

constexpr std::size_t largest_header = 100'000'000;  // the format's own limit

struct Tensor {
  std::optional<EntryType> type;
  std::optional<std::vector<std::size_t>> shape, place;
};

std::optional<EntryType> entry_type(const std::string& name) {
  static const std::map<std::string, EntryType> types = {
      {"F16", {'f', 2}}, {"BF16", {'b', 2}}, {"F32", {'f', 4}}, {"F64", {'f', 8}},
      {"I8", {'i', 1}},  {"I16", {'i', 2}},  {"I32", {'i', 4}}, {"I64", {'i', 8}},
      {"U8", {'u', 1}},  {"U16", {'u', 2}},  {"U32", {'u', 4}}, {"U64", {'u', 8}}};
  const auto found = types.find(name);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

// Takes the header as it is parsed: an object of tensors, each an object of dtype, shape and data_offsets,
// and of texts under __metadata__.
class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  HeaderEvents(const CountedText& header, TensorNames names) : header_(header), allowed_(names) {}

  std::map<std::string, Tensor> take() { return std::move(tensors_); }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("true or false"); }
  bool binary(binary_t&) override { unexpected("binary data"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { unexpected("a number that is no size"); }
  bool number_unsigned(number_unsigned_t value) override {
    if (list_ == nullptr) unexpected("a number");
    list_->push_back(value);
    return true;
  }
  bool string(string_t& text) override {
    check_ascii(text);
    if (depth_ == 2 && in_metadata()) return true;
    if (depth_ != 2 || field_ != "dtype" || list_ != nullptr) unexpected("a string");
    tensors_[name_].type = entry_type(text);
    if (!tensors_[name_].type) {
      fail_input("type " + shown(text) + " is not supported (F16, BF16, F32, F64 and integers are)", name_);
    }
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || list_ != nullptr || in_metadata()) unexpected("a list");
    std::optional<std::vector<std::size_t>>& target =
        field_ == "shape" ? tensors_[name_].shape : tensors_[name_].place;
    if (field_ == "dtype") unexpected("a list");
    list_ = &target.emplace();
    return true;
  }
  bool end_array() override {
    list_ = nullptr;
    return true;
  }
  bool start_object(std::size_t) override {
    if (depth_ == 2 || list_ != nullptr) unexpected("an object");
    ++depth_;
    texts_.clear();
    return true;
  }
  bool end_object() override {
    if (--depth_ != 1 || in_metadata()) return true;
    const Tensor& tensor = tensors_[name_];
    if (!tensor.type || !tensor.shape || !tensor.place || tensor.place->size() != 2) {
      fail_input("a tensor needs dtype, shape and two data_offsets", name_);
    }
    if (tensor.shape->size() > 8) fail_input("more than 8 dimensions", name_);
    return true;
  }
  bool key(string_t& name) override {
    check_ascii(name);
    if (depth_ == 1) {
      name_ = name;
      field_.clear();
      if (!names_.insert(name).second) fail_input("given twice" + place(), shown(name));
      if (allowed_ == TensorNames::of_instances && !in_metadata() && !is_instance_key(name)) {
        fail_input("unknown key (" + known_keys() + ")", shown(name));
      }
    } else {
      field_ = name;
      if (!texts_.insert(name).second) fail_input(shown(name) + " is given twice" + place(), name_);
      const bool known = name == "dtype" || name == "shape" || name == "data_offsets";
      if (!in_metadata() && !known) fail_input("unknown field " + shown(name), name_);
    }
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception&) override {
    fail_input("malformed header at byte " + std::to_string(7 + byte) + " of the file", name_);
  }

 private:
  static std::string shown(const std::string& name) {
    std::string text;
    for (const char c : name.substr(0, 40)) text.push_back(c >= 32 && c < 127 ? c : '?');
    return text;
  }
  std::string place() const { return ", at byte " + std::to_string(8 + header_.read()) + " of the file"; }
  [[noreturn]] void unexpected(const char* what) const {
    fail_input(std::string("unexpected ") + what + (field_.empty() ? "" : " in its " + shown(field_)), name_);
  }
  bool in_metadata() const { return name_ == "__metadata__"; }
  // As everything else that is read; the checkers' readers ask for it.
  void check_ascii(const std::string& text) const {
    const auto other = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    if (std::any_of(text.begin(), text.end(), other)) fail_input("a character that is not ASCII", name_);
  }

  const CountedText& header_;
  TensorNames allowed_;
  std::map<std::string, Tensor> tensors_;
  std::set<std::string> names_, texts_;       // seen in the header; in its present object
  std::string name_, field_;                  // what is being read
  std::vector<std::size_t>* list_ = nullptr;  // to which sizes belong
  int depth_ = 0;                             // of objects
};

std::map<std::string, Tensor> read_header(std::string_view header, TensorNames names) {
  if (!header.starts_with('{')) fail_input("malformed header at byte 8 of the file");
  // The parser would take a zero byte for the end of the text.
  if (const std::size_t zero = header.find('\0'); zero != std::string_view::npos) {
    fail_input("malformed header at byte " + std::to_string(8 + zero) + " of the file");
  }
  CountedText counted(header);
  HeaderEvents events(counted, names);
  nlohmann::json::sax_parse(counted.begin(), counted.end(), &events);
  return events.take();
}

}  // namespace

RawInstance read_safetensors(std::string_view bytes, const std::shared_ptr<const void>& owner,
                             TensorNames names) {
  std::size_t size = 0;
  for (std::size_t k = 8; k-- > 0;) size = size << 8 | static_cast<unsigned char>(bytes[k]);
  if (size > std::min(bytes.size() - 8, largest_header)) {
    fail_input("announces a header of " + std::to_string(size) + " bytes, which it does not have");
  }
  const std::map<std::string, Tensor> tensors = read_header(bytes.substr(8, size), names);
  const std::string_view data = bytes.substr(8 + size);
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [key, tensor] : tensors) order.emplace_back(tensor.place->front(), key);
  std::sort(order.begin(), order.end());
  RawInstance raw;
  std::size_t at = 0;
  for (const auto& [begin, key] : order) {
    const Tensor& tensor = tensors.at(key);
    const std::size_t end = tensor.place->back();
    if (begin != at || end < begin || end > data.size()) {
      fail_input("its data does not begin where that before it ends, at byte " +
                     std::to_string(8 + size + at) + " of the file, or not end in the file",
                 key);
    }
    raw.emplace(
        key, decode_entries(data.substr(begin, end - begin), *tensor.type, *tensor.shape, false, key, owner));
    at = end;
  }
  if (at != data.size()) {
    fail_input("bytes that belong to no tensor, from byte " + std::to_string(8 + size + at) + " of the file");
  }
  return raw;
}

}  // namespace attest
