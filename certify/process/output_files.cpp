#include "certify/process/output_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "certify/process/descriptor.hpp"
#include "certify/process/signals.hpp"

namespace attest {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t bytes_looked_at = 8192;
constexpr int most_links = 40;

std::string because_of(int error) {
  return std::string(": ") + std::strerror(error);
}

// Writes all of it; false leaves the reason in errno.
bool put(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string first_bytes(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes(bytes_looked_at, '\0');
  std::size_t have = 0;
  while (file.get() >= 0 && have < bytes.size()) {
    const ssize_t got = read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

// What the beginning of a gzip file expands to; damaged data simply ends.
std::string expanded(const std::string& compressed) {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  std::string out(bytes_looked_at, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  (void)inflate(&stream, Z_SYNC_FLUSH);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

bool is_of_kind(const std::string& path, FileKind kind) {
  std::string bytes = first_bytes(path);
  if (bytes.starts_with("\x1f\x8b")) bytes = expanded(bytes);
  constexpr std::size_t name_at = 30;  // in a zip archive's first local header
  switch (kind) {
    case FileKind::certificate:
      return bytes.starts_with("attest-certificate ");
    case FileKind::run_state:
      return bytes.starts_with("attest-run-state ");
    case FileKind::trace:
      return bytes.starts_with("PK\x03\x04") && bytes.size() > name_at + 5 && bytes[26] == 5 &&
             bytes[27] == 0 && bytes.compare(name_at, 5, "t.npy") == 0;
    case FileKind::plot:
      return bytes.starts_with("<svg ");
    case FileKind::report:
      return bytes.starts_with("<!DOCTYPE html>") &&
             bytes.find("<meta name=\"generator\" content=\"attest ") != std::string::npos;
    case FileKind::coq:
      return bytes.starts_with("(* ") && bytes.find("theories Attest THIS_FILE") != std::string::npos;
    case FileKind::instance:
      break;
  }
  return false;
}

InputError refusal(const std::string& path, const std::string& message) {
  return {InputError::Kind::malformed, path, {}, {}, message};
}

std::optional<std::pair<off_t, timespec>> state_of(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return std::pair(status.st_size, status.st_mtim);
}

// A name in `folder` that no other file has: short, so that it is no longer than names may be, and
// recognisable.
std::string temporary_name(const std::string& folder, int attempt) {
  return folder + "/.attest-tmp-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
}

constexpr int most_attempts = 1000;

// A file that is to become `path`; removed unless it does, whatever happens.
std::optional<std::string> replace_file(ProcessSignals* signals, const std::string& folder,
                                        const std::string& path, std::string_view bytes,
                                        std::optional<mode_t> permissions) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::string temporary = temporary_name(folder, attempt);
    const Leftover leftover(signals, temporary);
    Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file.get() < 0 && errno == EEXIST) continue;  // left by a process that was killed
    if (file.get() < 0) return "cannot be created" + because_of(errno);
    if (permissions) (void)!fchmod(file.get(), *permissions);
    const bool written = put(file.get(), bytes) && fsync(file.get()) == 0 && close(file.release()) == 0 &&
                         rename(temporary.c_str(), path.c_str()) == 0;
    if (written) return std::nullopt;
    const std::string reason = "cannot be written" + because_of(errno);
    unlink(temporary.c_str());
    return reason;
  }
  return "cannot be created: the folder is full of temporary files";
}

}  // namespace

const char* name(FileKind kind) {
  switch (kind) {
    case FileKind::certificate:
      return "a certificate";
    case FileKind::run_state:
      return "the state of a run";
    case FileKind::trace:
      return "a trace";
    case FileKind::plot:
      return "a plot";
    case FileKind::report:
      return "a report";
    case FileKind::coq:
      return "an exported file";
    case FileKind::instance:
      break;
  }
  return "an instance";
}

// Where a path leads.
struct OutputFiles::Target {
  enum class What { absent, file, folder, special, stream };
  What what = What::absent;
  std::string path;                // links followed
  std::string folder;              // that holds it
  std::string name;                // in the folder
  struct stat status {};           // unless absent
  std::optional<Identity> within;  // of the folder, when there is one
  int descriptor = -1;             // stream: of standard output or error
  Identity identity() const { return {status.st_dev, status.st_ino}; }
};

OutputFiles::Target OutputFiles::target_of(const std::string& given) {
  Target target;
  std::string path = given;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists) {
    target.status = status;
    target.what = S_ISREG(status.st_mode)   ? Target::What::file
                  : S_ISDIR(status.st_mode) ? Target::What::folder
                                            : Target::What::special;
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      struct stat open_file {};
      if (target.what == Target::What::folder || fstat(descriptor, &open_file) != 0) continue;
      if (open_file.st_dev != status.st_dev || open_file.st_ino != status.st_ino) continue;
      target.what = Target::What::stream;
      target.descriptor = descriptor;
      break;
    }
  }
  // A link that leads nowhere is followed, too: the file appears where it leads.
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    const fs::path leads_to = fs::read_symlink(path, error);
    if (error) break;
    path = leads_to.is_absolute() ? leads_to.string() : (fs::path(path).parent_path() / leads_to).string();
  }
  target.path = path;
  const std::size_t slash = path.rfind('/');
  target.folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  target.name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (stat(target.folder.c_str(), &status) == 0) target.within = Identity{status.st_dev, status.st_ino};
  return target;
}

void OutputFiles::input(const std::string& path) {
  struct stat status {};
  if (path.empty() || stat(path.c_str(), &status) != 0) return;
  inputs_.push_back({{status.st_dev, status.st_ino}, path, state_of(status)});
  if (!S_ISDIR(status.st_mode)) return;
  input_folders_.push_back(inputs_.back().identity);
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (stat(entry->path().c_str(), &status) == 0)
      inputs_.push_back({{status.st_dev, status.st_ino}, entry->path().string(), state_of(status)});
  }
}

void OutputFiles::output(const std::string& path, FileKind kind) {
  if (!path.empty()) outputs_.push_back({path, kind, false});
}

void OutputFiles::output_folder(const std::string& path) {
  outputs_.push_back({path, FileKind::instance, true});
}

const OutputFiles::Output& OutputFiles::declared(const std::string& path) const {
  for (const Output& output : outputs_) {
    if (output.path == path) return output;
  }
  throw std::logic_error("an output that was not declared: " + path);
}

// Why this output must not or cannot be written, whatever the other ones are.
std::optional<InputError> OutputFiles::obstacle(const Output& output, const Target& target) const {
  const auto refuse = [&](const std::string& message) { return refusal(output.path, message); };
  if (target.what != Target::What::absent && target.what != Target::What::special) {
    for (const Input& input : inputs_) {
      if (input.identity == target.identity())
        return refuse("is the input " + input.path + " itself; choose another output");
    }
  }
  for (const Identity& folder : input_folders_) {
    if (target.within == folder)
      return refuse("would lie in the folder that is the input; choose another output");
  }
  switch (target.what) {
    case Target::What::special:
    case Target::What::stream:
      return output.folder ? std::optional(refuse("exists and is no folder")) : std::nullopt;
    case Target::What::folder: {
      if (!output.folder) return refuse("is a folder");
      std::error_code error;
      if (!fs::is_empty(target.path, error))
        return refuse("exists and is not empty; remove it or choose another folder");
      break;
    }
    case Target::What::file:
      if (output.folder) return refuse("exists and is no folder");
      if (access(target.path.c_str(), W_OK) != 0) return refuse("cannot be written" + because_of(errno));
      if (target.status.st_size > 0 && !force_ && !is_of_kind(target.path, output.kind)) {
        if (output.kind == FileKind::instance) return refuse("exists already; --force replaces it");
        return refuse(std::string("exists and is not ") + attest::name(output.kind) +
                      "; --force replaces it");
      }
      break;
    case Target::What::absent:
      if (target.name.empty() || target.name == "." || target.name == "..")
        return refuse("is no name of a file");
      break;
  }
  if (access(target.folder.c_str(), W_OK | X_OK) != 0) return refuse("cannot be created" + because_of(errno));
  return std::nullopt;
}

std::optional<InputError> OutputFiles::check() const {
  std::vector<Target> targets;
  for (const Output& output : outputs_) {
    targets.push_back(target_of(output.path));
    const Target& target = targets.back();
    if (auto error = obstacle(output, target)) return error;
    for (std::size_t k = 0; k + 1 < targets.size(); ++k) {
      const bool written_through =
          target.what == Target::What::special || target.what == Target::What::stream;
      const bool same_file = target.what != Target::What::absent && targets[k].what != Target::What::absent &&
                             !written_through && target.identity() == targets[k].identity();
      const bool same_place = !written_through && target.within && target.within == targets[k].within &&
                              target.name == targets[k].name;
      if (same_file || same_place)
        return refusal(output.path, "is the same file as the output " + outputs_[k].path);
    }
  }
  return std::nullopt;
}

std::optional<InputError> OutputFiles::unchanged() const {
  for (const Input& input : inputs_) {
    struct stat status {};
    if (!input.state || stat(input.path.c_str(), &status) != 0) continue;
    const Identity now{status.st_dev, status.st_ino};
    const auto state = state_of(status);
    const bool same = state && state->first == input.state->first &&
                      state->second.tv_sec == input.state->second.tv_sec &&
                      state->second.tv_nsec == input.state->second.tv_nsec;
    // A name that leads to another file by now does not touch the one that is open.
    if (now == input.identity && !same)
      return refusal(input.path, "was changed while it was used: nothing is said about it; try again");
  }
  return std::nullopt;
}

std::optional<InputError> OutputFiles::write(const std::string& path, std::string_view bytes) const {
  if (auto error = unchanged()) return error;
  const Target target = target_of(path);
  if (auto error = obstacle(declared(path), target)) return error;
  std::optional<std::string> failure;
  if (target.what == Target::What::stream) {
    std::fflush(target.descriptor == STDOUT_FILENO ? stdout : stderr);
    if (!put(target.descriptor, bytes)) failure = "cannot be written" + because_of(errno);
  } else if (target.what == Target::What::special) {
    Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    const bool written = file.get() >= 0 && put(file.get(), bytes) && close(file.release()) == 0;
    if (!written) failure = "cannot be written" + because_of(errno);
  } else {
    const bool replaces = target.what == Target::What::file;
    failure = replace_file(signals_, target.folder, target.path, bytes,
                           replaces ? std::optional<mode_t>(target.status.st_mode & 0777) : std::nullopt);
  }
  if (failure) return refusal(path, *failure);
  return std::nullopt;
}

std::optional<InputError> OutputFiles::write_folder(
    const std::string& path, const std::vector<std::pair<std::string, std::string>>& files) const {
  const Target target = target_of(path);
  if (auto error = obstacle(declared(path), target)) return error;
  std::string temporary;
  int attempt = 0;
  std::unique_ptr<Leftover> leftover;
  for (; attempt < most_attempts; ++attempt) {
    temporary = temporary_name(target.folder, attempt);
    leftover = std::make_unique<Leftover>(signals_, temporary);
    if (mkdir(temporary.c_str(), 0777) == 0) break;
    if (errno != EEXIST) return refusal(path, "cannot be created" + because_of(errno));
  }
  if (attempt == most_attempts)
    return refusal(path, "cannot be created: the folder is full of temporary files");
  std::vector<std::unique_ptr<Leftover>>
      inside;  // written before the folder has its name, so no temporary names here
  std::optional<std::string> failure;
  const std::string folder = temporary + "/";
  for (const auto& [name, bytes] : files) {
    const std::string file_path = folder + name;
    inside.push_back(std::make_unique<Leftover>(signals_, file_path));
    Descriptor file(open(file_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    const bool written =
        file.get() >= 0 && put(file.get(), bytes) && fsync(file.get()) == 0 && close(file.release()) == 0;
    if (!written && !failure) failure = "cannot be written" + because_of(errno);
  }
  if (!failure && rename(temporary.c_str(), target.path.c_str()) != 0)
    failure = "cannot be created" + because_of(errno);
  std::error_code error;
  if (failure) fs::remove_all(temporary, error);
  while (!inside.empty()) inside.pop_back();
  if (failure) return refusal(path, *failure);
  return std::nullopt;
}

void OutputFiles::remove(const std::string& path) const {
  const Target target = target_of(path);
  if (target.what == Target::What::file && is_of_kind(target.path, declared(path).kind))
    unlink(target.path.c_str());
}

}  // namespace attest
