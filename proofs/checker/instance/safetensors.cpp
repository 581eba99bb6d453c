// The safetensors format: see safetensors.hpp. The length of a header, 8 bytes; the header, a JSON object
// that gives each tensor's type, shape and place; the tensors' bytes, one after the other, least byte first
// and the last index fastest.
#include "proofs/checker/instance/safetensors.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "proofs/checker/instance/compressed.hpp"

namespace attest_check {
namespace {

constexpr std::size_t largest_header = 100'000'000;  // the format's own limit

struct Tensor {
  std::string name;
  ElementType type;
  std::vector<std::size_t> shape;
  std::size_t end;  // before this byte of the data
};

ElementType element_type(JsonText& in) {
  static const std::map<std::string, ElementType> types = {
      {"F16", {'f', 2}}, {"BF16", {'b', 2}}, {"F32", {'f', 4}}, {"F64", {'f', 8}},
      {"I8", {'i', 1}},  {"I16", {'i', 2}},  {"I32", {'i', 4}}, {"I64", {'i', 8}},
      {"U8", {'u', 1}},  {"U16", {'u', 2}},  {"U32", {'u', 4}}, {"U64", {'u', 8}}};
  const auto found = types.find(in.string());
  if (found == types.end()) in.bad("an unsupported element type");
  return found->second;
}

// The tensors by their first bytes.
std::map<std::size_t, Tensor> read_header(JsonText& in) {
  std::map<std::size_t, Tensor> tensors;
  in.whole([&](const std::string& name) {
    if (name == "__metadata__") return in.members([&](const std::string&) { in.string(); });
    std::optional<ElementType> type;
    std::optional<std::vector<std::size_t>> shape, place;
    in.members([&](const std::string& field) {
      if (field == "dtype") {
        type = element_type(in);
      } else if (field == "shape") {
        shape = in.sizes();
      } else if (field == "data_offsets") {
        place = in.sizes();
      } else {
        in.bad("unexpected key " + field);
      }
    });
    if (!type || !shape || !place || place->size() != 2) {
      in.bad("a tensor needs dtype, shape and two data_offsets");
    }
    if (!tensors.try_emplace(place->front(), Tensor{name, *type, *shape, place->back()}).second) {
      in.bad("begins where another tensor does");
    }
  });
  return tensors;
}

}  // namespace

void read_safetensors(const Bytes& file, const std::string& path, const UseArray& use) {
  const std::string begin = file.text(0, 9);
  const std::size_t size = little_endian(std::string_view(begin).substr(0, 8));
  if (size > std::min(file.size() - 8, largest_header) || begin[8] != '{') {
    malformed(path + ": byte 0: the header is cut off or too long, or none");
  }
  ByteSource header(path, file.part(8, size));  // no gzip: it begins with a brace
  Pieces pieces{[&] { return header.next(); }};
  JsonText text(pieces, path, 8);
  const Bytes data = file.part(8 + size, file.size() - 8 - size);
  std::size_t at = 0;
  const auto place = [&] { return path + ": byte " + std::to_string(8 + size + at) + ": "; };
  for (const auto& [first, tensor] : read_header(text)) {
    if (first != at || tensor.end < first || tensor.end > data.size()) {
      malformed(place() + tensor.name +
                " does not begin where the bytes before it end, or not end in the file");
    }
    use(tensor.name, read_entries(data.part(at, tensor.end - at), tensor.type, tensor.shape, false,
                                  place() + tensor.name));
    at = tensor.end;
  }
  if (at != data.size()) malformed(place() + "bytes that belong to no tensor");
}

}  // namespace attest_check
