// Which files are told how; see instance/foreign.hpp.
#include "certify/instance/foreign.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace attest {
namespace {

struct Foreign {
  const char* what;
  std::vector<const char*> extensions;
  const char* python;  // FILE and OUT stand for the names
  const char* out = ".npz";
};

// The keys of dictionaries and groups become those of the instance.
const Foreign torch{"PyTorch file",
                    {".pt", ".pth", ".ckpt"},
                    "import numpy, torch; numpy.savez('OUT', **{k: t.numpy(force=True) for k, t in "
                    "torch.load('FILE', map_location='cpu').items()})"};
const Foreign tensor{"PyTorch tensor",
                     {},
                     "import numpy, torch; numpy.save('OUT', torch.load('FILE', map_location='cpu')"
                     ".numpy(force=True))",
                     ".npy"};
const Foreign tables{"table",
                     {".csv", ".tsv"},
                     "import numpy; t = numpy.loadtxt('FILE', delimiter='DELIMITER', ndmin=2); "
                     "numpy.savez('OUT', X=t[:, :-1].reshape(n, T, d), Y=t[::T, -1], v=v)"};
const Foreign parquet{"Parquet table",
                      {".parquet"},
                      "import numpy, pandas; t = pandas.read_parquet('FILE').to_numpy(); "
                      "numpy.savez('OUT', X=t[:, :-1].reshape(n, T, d), Y=t[::T, -1], v=v)"};
const Foreign hdf5{"HDF5 file",
                   {".h5", ".hdf5"},
                   "import h5py, numpy; numpy.savez('OUT', **{k: a[()] for k, a in "
                   "h5py.File('FILE', 'r').items()})"};
const Foreign pickle{"pickle",
                     {".pkl", ".pickle"},
                     "import numpy, pickle; numpy.savez('OUT', **pickle.load(open('FILE', 'rb')))"};

const Foreign* by_extension(const std::string& path) {
  std::string name = path;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Foreign* foreign : {&torch, &tables, &parquet, &hdf5, &pickle}) {
    for (const char* extension : foreign->extensions) {
      if (name.ends_with(extension)) return foreign;
    }
  }
  return nullptr;
}

// What torch.save wrote begins the pickle of a tensor or a parameter with the function that rebuilds it, that
// of a dictionary of them with the dictionary.
const Foreign* torch_kind(std::string_view start) {
  const bool single = start.find("\x80\2ctorch._utils\n_rebuild_") != std::string_view::npos;
  return single ? &tensor : &torch;
}

// The kind of the file whose first bytes these are.
const Foreign* by_content(std::string_view start, const std::string& path) {
  if (start.starts_with("\x89HDF\r\n\x1a\n")) return &hdf5;
  if (start.starts_with("PAR1")) return &parquet;
  const Foreign* const named = by_extension(path);
  if (start.starts_with("PK"))
    return start.find("data.pkl") != std::string_view::npos ? torch_kind(start) : nullptr;
  if (start.size() > 1 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5)
    return named == &torch ? torch_kind(start) : &pickle;
  const std::size_t text = start.find_first_not_of(" \t\r\n");
  const bool json = text != std::string_view::npos && start[text] == '{';
  const bool tensors = start.size() > 8 && start[7] == 0 && start[8] == '{';
  const bool read = json || tensors || start.starts_with("\x1f\x8b") || start.starts_with("\x93NUMPY");
  return read ? nullptr : named;
}

// Every FROM in the text as TO.
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::string command(const Foreign& foreign, const std::string& file, const std::string& out, bool tabs) {
  std::string python = foreign.python;
  replace_all(python, "DELIMITER", tabs ? "\\t" : ",");
  replace_all(python, "OUT", out);
  replace_all(python, "FILE", file);
  return "python3 -c \"" + python + "\"";
}

constexpr const char* hint_for_tables = " (n sequences of T tokens: d columns, the last the label; v a list)";

}  // namespace

std::string how_to_convert(const std::string& path) {
  // What is not a file, a pipe say, cannot be read twice.
  if (std::error_code error; !std::filesystem::is_regular_file(path, error)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string start(1024, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (start.empty()) return {};
  const Foreign* const foreign = by_content(start, path);
  if (foreign == nullptr) return {};
  // Names that a shell or Python would take apart are left to the user.
  const bool plain =
      path.find_first_of("'\"\\$`!") == std::string::npos &&
      std::all_of(path.begin(), path.end(), [](unsigned char c) { return c >= 32 && c != 127; });
  const std::string shown = plain ? path : "FILE";
  const std::size_t dot = shown.find_last_of("./");
  const bool has_extension = dot != std::string::npos && dot > 0 && shown[dot] == '.';
  const std::string out = (has_extension ? shown.substr(0, dot) : shown) + foreign->out;
  const bool rows = foreign == &tables || foreign == &parquet;
  return std::string("is a ") + foreign->what +
         ", which is not read; convert it: " + command(*foreign, shown, out, path.ends_with(".tsv")) +
         (rows ? hint_for_tables : "");
}

std::string conversions() {
  std::string text;
  for (const Foreign* foreign : {&torch, &tables, &parquet, &hdf5, &pickle}) {
    std::string names;
    for (const char* extension : foreign->extensions)
      names += (names.empty() ? "" : " ") + std::string(extension);
    names.resize(std::max<std::size_t>(names.size(), 14), ' ');
    text += "  " + names + " " + command(*foreign, "FILE", "data.npz", false) + "\n";
  }
  return text;
}

}  // namespace attest
