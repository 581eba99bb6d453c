// The files that users of PyTorch and NumPy have: safetensors, half precision, given scores, queries from the
// end; and the line that says how to convert the others.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/instance_hash.hpp"
#include "tests/cli/npz_bytes.hpp"

using namespace cli_tests;

namespace {

std::string little_endian(std::uint64_t value, std::size_t width) {
  std::string bytes;
  for (std::size_t k = 0; k < width; ++k) bytes.push_back(static_cast<char>(value >> (8 * k)));
  return bytes;
}

struct Tensor {
  std::string key, type, shape;
  std::vector<std::uint64_t> words;
  std::size_t width;
};

std::string safetensors(const std::vector<Tensor>& tensors) {
  std::string header = R"({"__metadata__":{"format":"pt"})", data;
  for (const Tensor& tensor : tensors) {
    const std::size_t begin = data.size();
    for (const std::uint64_t word : tensor.words) data += little_endian(word, tensor.width);
    header += ",\"" + tensor.key + R"(":{"dtype":")" + tensor.type + R"(","shape":)" + tensor.shape +
              R"(,"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(data.size()) + "]}";
  }
  header += "}";
  return little_endian(header.size(), 8) + header + data;
}

// 1.5, -2, the least subnormal number and the greatest number of each type.
const std::vector<std::uint64_t> half{0x3e00, 0xc000, 0x0001, 0x7bff};
const std::vector<std::uint64_t> brain{0x3fc0, 0xc000, 0x0001, 0x7f7f};
const std::vector<std::uint64_t> single{0x3fc00000, 0xc0000000, 0x00000001, 0x7f7fffff};
const std::vector<std::uint64_t> twice{0x3ff8000000000000, 0xc000000000000000, 0x0000000000000001,
                                       0x7fefffffffffffff};

std::string json_with(const std::string& least, const std::string& greatest) {
  return R"({"X": [[[1.5, -2], [")" + least + R"(", ")" + greatest +
         R"("]]], "Y": [-1], "v": [1, 2], "query": 1})";
}

}  // namespace

TEST_CASE("tensors of every type are read exactly") {
  const Folder folder;
  const std::tuple<const char*, std::vector<std::uint64_t>, std::size_t, const char*, const char*> floats[] =
      {{"F16", half, 2, "1*2^-24", "2047*2^5"},
       {"BF16", brain, 2, "1*2^-133", "255*2^120"},
       {"F32", single, 4, "1*2^-149", "16777215*2^104"},
       {"F64", twice, 8, "1*2^-1074", "9007199254740991*2^971"}};
  for (const auto& [type, words, width, least, greatest] : floats) {
    const char* const shown = type;  // a binding is not captured
    CAPTURE(shown);
    folder.write("a.json", json_with(least, greatest));
    folder.write("a.safetensors", safetensors({{"X", type, "[1,2,2]", words, width},
                                               {"Y", "I64", "[1,1]", {~std::uint64_t{0}}, 8},
                                               {"v", "U8", "[2]", {1, 2}, 1},
                                               {"query", "I16", "[]", {1}, 2}}));
    CHECK(sha256(folder, "a.safetensors") == sha256(folder, "a.json"));
    REQUIRE(folder.attest("convert a.safetensors b.npz --force").exit == 0);
    CHECK(sha256(folder, "b.npz") == sha256(folder, "a.json"));
  }
  for (const std::size_t width : {1, 2, 4, 8}) {
    const std::string bits = std::to_string(8 * width);
    const std::uint64_t top = std::uint64_t{1} << (8 * width - 1);
    const std::string lowest = "-" + std::to_string(top), most = std::to_string(top - 1 + top);
    folder.write("a.json", R"({"X": [[[")" + lowest + R"("], [0]]], "Y": [1], "v": [")" + most + R"("]})");
    folder.write("a.safetensors", safetensors({{"X", "I" + bits, "[1,2,1]", {top, 0}, width},
                                               {"Y", "F32", "[1]", {0x3f800000}, 4},
                                               {"v", "U" + bits, "[1,1]", {~std::uint64_t{0}}, width}}));
    CHECK(sha256(folder, "a.safetensors") == sha256(folder, "a.json"));
  }
}

TEST_CASE("float16 arrays are read exactly, in either byte order") {
  const Folder folder;
  folder.write("a.json", json_with("1*2^-24", "2047*2^5"));
  const auto header = [](const char* type) {
    return std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (1, 2, 2), }";
  };
  std::string small, big;
  for (const std::uint64_t word : half) {
    const std::string bytes = little_endian(word, 2);
    small += bytes;
    big += std::string(bytes.rbegin(), bytes.rend());
  }
  for (const auto& [type, data] : {std::pair{"<f2", small}, {">f2", big}}) {
    folder.write("a.npz", zip({{"X.npy", npy_raw(header(type), data)},
                               {"Y.npy", npy({-1}, {1, 1})},
                               {"v.npy", npy({1, 2}, {2, 1})},
                               {"query.npy", npy({1}, {}, Type::int64)}}));
    CHECK(sha256(folder, "a.npz") == sha256(folder, "a.json"));
    CHECK(folder.attest("info a.npz").out.find("binary16, numerators up to") != std::string::npos);
  }
}

TEST_CASE("queries count from each sequence's end when negative") {
  const Folder folder;
  const std::string base = R"({"X": [[[1],[2],[3]],[[4],[5]]], "Y": [1,-1], "v": [1], "query": )";
  folder.write("last.json", base + "\"last\"}");
  folder.write("minus-one.json", base + "-1}");
  folder.write("before.json", base + "-2}");
  CHECK(sha256(folder, "last.json") == sha256(folder, "minus-one.json"));
  CHECK(sha256(folder, "last.json") != sha256(folder, "before.json"));
  REQUIRE(folder.attest("convert before.json before.txt").exit == 0);
  CHECK(folder.read("before.txt").find("\nquery -2\n") != std::string::npos);
  CHECK(folder.attest("info before.json").out.find("query token -2") != std::string::npos);
  for (const std::string to : {"before.npz", "folder", "again.json"}) {
    REQUIRE(folder.attest("convert before.json " + to).exit == 0);
    CHECK(sha256(folder, to) == sha256(folder, "before.json"));
  }
}

TEST_CASE("scores stand for Y and v: certified, checked, and kept by conversions") {
  const Folder folder;
  const std::string X = R"({"X": [[[1,0],[0,1],[1,1]],[[0,2],[1,1]]], "z": [[1,0],[0,1]], )";
  folder.write("decoded.json", X + R"("Y": [1,-1], "v": [3,1]})");
  folder.write("scored.json", X + R"("scores": [[3,1,4],[-2,-4]], "alpha": [2,0]})");
  for (const std::string name : {"decoded", "scored"}) {
    CHECK(folder.attest("certify " + name + ".json -o " + name + ".cert --json").exit == 0);
    CHECK(folder.check(name + ".json " + name + ".cert").exit == 0);
  }
  CHECK(sha256(folder, "decoded.json") != sha256(folder, "scored.json"));
  const auto selection = [&](const std::string& name) {
    return nlohmann::json::parse(folder.attest("certify --json " + name + ".json").out).at("selection");
  };
  CHECK(selection("decoded") == selection("scored"));
  for (const std::string to : {"copy.npz", "folder", "copy.json", "copy.json.gz"}) {
    REQUIRE(folder.attest("convert scored.json " + to).exit == 0);
    CHECK(sha256(folder, to) == sha256(folder, "scored.json"));
  }
  const Outcome info = folder.attest("info scored.json");
  CHECK(info.out.find("\nscores ") != std::string::npos);
  CHECK(info.out.find("\nlabels ") == std::string::npos);
  const Outcome rows = folder.attest("verify --time-limit 60 scored.json");
  CHECK(rows.exit == 0);
}

TEST_CASE("offsets of the logits: margins as without, runs not, kept by conversions") {
  const Folder folder;
  const std::string start = R"({"X": [[[1,0],[0,1],[1,0]],[[0,2],[1,1]]], "z": [[1,0],[0,1]], )";
  const std::string rest = R"("scores": [[3,1,3],[2,-4]])";
  folder.write("plain.json", start + rest + "}");
  folder.write("zero.json", start + rest + R"(, "offsets": [[0,0,0],[0,0]]})");
  folder.write("offsets.json", start + rest + R"(, "offsets": [[2,"1/2",-1],[0,1.5]]})");
  CHECK(sha256(folder, "zero.json") == sha256(folder, "plain.json"));
  CHECK(sha256(folder, "offsets.json") != sha256(folder, "plain.json"));
  for (const std::string to : {"offsets.npz", "folder", "again.json"}) {
    REQUIRE(folder.attest("convert offsets.json " + to).exit == 0);
    CHECK(sha256(folder, to) == sha256(folder, "offsets.json"));
  }
  for (const std::string command : {"certify offsets.json", "path offsets.json",
                                    "run offsets.json --optimizer ngd --step 1/10 --steps 40"}) {
    CHECK(folder.attest(command + " -o offsets.cert --force").exit == 0);
    CHECK(folder.check("offsets.json offsets.cert").exit == 0);
    CHECK(folder.check("plain.json offsets.cert").exit == 4);
  }
  CHECK(folder.attest("verify offsets.json").out.find("a statement about logits without offsets") !=
        std::string::npos);
  folder.write("mean.json", start + R"("scores": [[3,1,2],[2,-4]], "offsets": [[2,0,-1],[0,1]]})");
  for (const std::string command : {"certify", "path", "info"}) {
    const Outcome outcome = folder.attest(command + " mean.json");
    CHECK(outcome.exit == 5);
    CHECK(outcome.err.find("key offsets, index [0,2]: this token equals") != std::string::npos);
  }
}

TEST_CASE("other files are refused with the line that converts them") {
  const Folder folder;
  const std::tuple<const char*, std::string, const char*> files[] = {
      {"data.pt", std::string("PK\3\4") + std::string(26, '\0') + "data/data.pkl", "numpy.savez('data.npz'"},
      {"old.pth", "\x80\x02\x8a\x0al\xfc\x9c", "torch.load('old.pth'"},
      {"model.ckpt", "\x80\x02}q", "torch.load('model.ckpt'"},
      {"no-extension", std::string("PK\3\4") + std::string(26, '\0') + "archive/data.pkl", "torch.load"},
      {"W.pt",
       std::string("PK\3\4") + std::string(26, '\0') + "W/data.pkl\x80\2ctorch._utils\n_rebuild_tensor_v2\n",
       "numpy.save('W.npy', torch.load('W.pt', map_location='cpu').numpy(force=True))"},
      {"old-W.pth", "\x80\2\x8a\x0al\xfc\x9c.\x80\2ctorch._utils\n_rebuild_parameter\n",
       "numpy.save('old-W.npy'"},
      {"layer.pt",
       std::string("PK\3\4") + std::string(26, '\0') + "data.pkl\x80\2}qctorch._utils\n_rebuild_tensor_v2\n",
       "numpy.savez('layer.npz'"},
      {"data.csv", "1,2,3\n4,5,6\n", "numpy.loadtxt('data.csv', delimiter=','"},
      {"DATA.TSV", "1\t2\n", "numpy.loadtxt"},
      {"table.tsv", "1\t2\n", "delimiter='\\t'"},
      {"data.parquet", "PAR1xxxxPAR1", "pandas.read_parquet('data.parquet')"},
      {"renamed.npz", "PAR1xxxxPAR1", "pandas.read_parquet('renamed.npz')"},
      {"data.h5", "\x89HDF\r\n\x1a\nxxxx", "h5py.File('data.h5', 'r')"},
      {"data.pkl", "\x80\x04\x95x", "pickle.load(open('data.pkl', 'rb'))"},
      {"it's.csv", "1,2\n", "numpy.loadtxt('FILE'"},
  };
  for (const auto& [name, content, expected] : files) {
    folder.write(name, content);
    const Outcome outcome = folder.attest("info \"" + std::string(name) + "\"");
    const char* const shown = name;
    INFO(shown, ": ", outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find(expected) != std::string::npos);
    CHECK(outcome.err.find("convert it: python3 -c") != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(folder.check("\"" + std::string(name) + "\" /dev/null").exit == 2);
  }
  // A file that is read is read whatever its name.
  folder.write("named.csv", R"({"X": [[[1],[2]]], "Y": [1], "v": [1]})");
  CHECK(folder.attest("info named.csv").exit == 0);
  const std::string help = folder.attest("--help").out;
  for (const char* word : {".pt .pth .ckpt", ".csv .tsv", ".parquet", ".h5 .hdf5", ".pkl", "python3 -c"})
    CHECK(help.find(word) != std::string::npos);
}

TEST_CASE("wrong tensors are named with the byte") {
  const Folder folder;
  const std::string good = safetensors({{"X", "F32", "[1,2,1]", {0x3f800000, 0x40000000}, 4},
                                        {"Y", "I8", "[1]", {1}, 1},
                                        {"v", "F16", "[1]", {0x3c00}, 2}});
  folder.write("good.safetensors", good);
  CHECK(folder.attest("info good.safetensors").exit == 0);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const std::pair<std::string, const char*> cases[] = {
      {good.substr(0, good.size() - 1), "key v: its data does not begin where"},
      {good + "x", "bytes that belong to no tensor, from byte"},
      {std::string("\xff\xff\xff\0\0\0\0\0", 8) + good.substr(8), "announces a header of"},
      {replaced("F16", "F8 "), "key v: type F8  is not supported (F16, BF16"},
      {replaced("\"v\"", "\"w\""), "key w: unknown key (known: X, Y, v, scores"},
      {replaced("[1,2,1]", "[1,3,1]"), "key X: shape asks for 3 entries of 4 bytes"},
      {replaced("[0,8]", "[1,8]"), "key X: its data does not begin where"},
      {replaced("dtype", "dtypo"), "key X: unknown field dtypo"},
      {replaced("}", "\x01"), "malformed header at byte"},
  };
  for (const auto& [bytes, expected] : cases) {
    folder.write("bad.safetensors", bytes);
    const Outcome outcome = folder.attest("info bad.safetensors");
    const char* const wanted = expected;
    INFO(outcome.err, " expected: ", wanted);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find(expected) != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}
