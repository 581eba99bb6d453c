// write_manual FOLDER: man pages (FOLDER/man1) and completions (FOLDER/completions) of attest, from its
// commands.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "certify/commands/application.hpp"
#include "certify/manual/completion.hpp"
#include "certify/manual/man_page.hpp"

namespace {

bool write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return static_cast<bool>(file.flush());
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the build with its message
  if (argc != 2) {
    std::fputs("usage: write_manual FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path pages = std::filesystem::path(argv[1]) / "man1";
  const std::filesystem::path completions = std::filesystem::path(argv[1]) / "completions";
  std::filesystem::create_directories(pages);
  std::filesystem::create_directories(completions);
  CLI::App app;
  const auto runners = attest::configure_application(app);
  const std::vector<attest::CommandHelp> commands = attest::command_help(app);
  bool written = write(pages / "attest.1", attest::program_man_page(ATTEST_VERSION, commands));
  for (const attest::CommandHelp& command : commands) {
    const std::string page = attest::command_man_page(ATTEST_VERSION, command);
    written = write(pages / ("attest-" + command.name + ".1"), page) && written;
  }
  written = write(completions / "attest.bash", attest::bash_completion(commands)) && written;
  written = write(completions / "_attest", attest::zsh_completion(commands)) && written;
  written = write(completions / "attest.fish", attest::fish_completion(commands)) && written;
  if (!written) std::fputs("write_manual: a file could not be written\n", stderr);
  return written ? 0 : 1;
}
