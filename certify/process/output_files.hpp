// Where a command writes, and what it must not write over.
//
//   OutputFiles files(force);
//   files.input(options.instance);
//   files.output(options.certificate, FileKind::certificate);   // "" is no output
//   if (const auto error = files.check()) ...                   // before the computation; nothing is written
//   yet
//   ...
//   if (const auto error = files.write(options.certificate, bytes)) ...
//
// An output that is an input, by any name or link, is an error that nothing overrides, and so are two outputs
// that are one file. An existing file is replaced when it is empty or of the kind that is being written; any
// other one only with
// --force. Symbolic links are followed: what is replaced is the file they lead to.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "certify/process/input_error.hpp"

namespace attest {

class ProcessSignals;  // signals.hpp

// What a file's first bytes tell, decompressed when it is gzip.
enum class FileKind {
  certificate,  // "attest-certificate "
  run_state,    // "attest-run-state "
  trace,        // an npz archive whose first member is t.npy: no instance has that member
  plot,         // "<svg "
  report,       // an HTML page that names attest as its generator
  coq,          // a Coq comment that says how to compile an exported file
  instance,     // never replaced without --force
};

// Words for messages: "a certificate".
const char* name(FileKind kind);

class OutputFiles {
 public:
  // `signals` (may be null): so that a signal removes what is not finished.
  explicit OutputFiles(bool force, ProcessSignals* signals = nullptr) : force_(force), signals_(signals) {}

  // A file that is read, or a folder with everything in it. What does not exist is not remembered.
  void input(const std::string& path);
  void output(const std::string& path, FileKind kind);
  // A folder that is to appear: nothing but an empty folder may be there.
  void output_folder(const std::string& path);

  // The first output that must not or cannot be written; malformed, naming the file.
  std::optional<InputError> check() const;

  // The first input that is no longer what it was when it was declared: what was computed from a file that is
  // mapped (map_file()) is then not about it. write() asks for it, too.
  std::optional<InputError> unchanged() const;

  // Puts `bytes` at a declared output, checked again: a file appears whole, by renaming a temporary file of
  // the same folder after fsync, with the permissions of the file it replaces. What exists and is no regular
  // file (a device, a pipe) is written through, and so is whatever file standard output or standard error
  // goes to.
  std::optional<InputError> write(const std::string& path, std::string_view bytes) const;
  // The same for a folder of files {name, bytes}.
  std::optional<InputError> write_folder(const std::string& path,
                                         const std::vector<std::pair<std::string, std::string>>& files) const;
  // Removes a declared output if it is of its kind.
  void remove(const std::string& path) const;

 private:
  struct Identity {
    dev_t device = 0;
    ino_t number = 0;
    bool operator==(const Identity&) const = default;
  };
  struct Input {
    Identity identity;
    std::string path;
    std::optional<std::pair<off_t, timespec>> state;  // size and last change of a regular file
  };
  struct Output {
    std::string path;
    FileKind kind = FileKind::instance;
    bool folder = false;
  };
  struct Target;

  const Output& declared(const std::string& path) const;
  static Target target_of(const std::string& path);
  std::optional<InputError> obstacle(const Output& output, const Target& target) const;

  bool force_;
  ProcessSignals* signals_;
  std::vector<Input> inputs_;
  std::vector<Identity> input_folders_;
  std::vector<Output> outputs_;
};

}  // namespace attest
