#include "certify/manual/man_page.hpp"

#include <algorithm>
#include <cctype>

namespace attest {
namespace {

// Text as roff prints it: backslashes and hyphens as they are, no line taken for a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string title(const std::string& page, const std::string& version) {
  std::string upper = page;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".TH " + roff(upper) + " 1 \"\" \"attest " + version + "\" \"attest\"\n";
}

std::string exit_statuses() {
  return ".SH EXIT STATUS\n"
         ".TP\n0\ndecided\n"
         ".TP\n30\nundecided: a time, memory or precision budget was reached, or a signal came; only proved "
         "claims "
         "are written\n"
         ".TP\n2\nbad input or usage, or an output that must not be written; nothing is written\n"
         ".TP\n3\n"
         "export: no claim is left that can be exported\n"
         ".TP\n5\nthe input cannot be held within the memory limit\n"
         ".TP\n1\ninternal error\n";
}

std::string names_of(const OptionHelp& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.value.empty() && option.choices.empty()) names += " \\fI" + roff(option.value) + "\\fR";
  if (!option.choices.empty()) {
    std::string all;
    for (const std::string& choice : option.choices) all += (all.empty() ? "" : "|") + choice;
    names += " \\fI" + roff(all) + "\\fR";
  }
  return names;
}

}  // namespace

std::string program_man_page(const std::string& version, const std::vector<CommandHelp>& commands) {
  std::string page = title("attest", version);
  page +=
      ".SH NAME\nattest \\- certified optimisation geometry of softmax attention\n"
      ".SH SYNOPSIS\n\\fBattest\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
      ".SH DESCRIPTION\nReads a dataset of token sequences, decides with proof what training one softmax "
      "attention layer selects on it, and writes certificates that \\fBattest\\-check\\fR(1) re\\-checks "
      "from "
      "the dataset file.\n"
      ".SH COMMANDS\n";
  for (const CommandHelp& command : commands)
    page += ".TP\n\\fBattest\\-" + roff(command.name) + "\\fR(1)\n" + roff(command.summary) + "\n";
  page += exit_statuses();
  return page + ".SH SEE ALSO\n\\fBattest\\-check\\fR(1), \\fBattest\\-check\\-verified\\fR(1)\n";
}

std::string command_man_page(const std::string& version, const CommandHelp& command) {
  const std::string name = "attest-" + command.name;
  std::string page = title(name, version);
  page += ".SH NAME\n" + roff(name) + " \\- " + roff(command.summary) + "\n";
  page += ".SH SYNOPSIS\n\\fBattest " + roff(command.name) + "\\fR";
  for (const OptionHelp& one : command.positionals) page += " \\fI" + roff(one.names[0]) + "\\fR";
  for (const OptionHelp& one : command.options) {
    if (one.required) page += " " + names_of(one);
  }
  page += " [\\fIOPTIONS\\fR]\n";
  if (!command.positionals.empty()) page += ".SH ARGUMENTS\n";
  for (const OptionHelp& one : command.positionals)
    page += ".TP\n\\fI" + roff(one.names[0]) + "\\fR\n" + roff(one.description) + "\n";
  page += ".SH OPTIONS\n";
  for (const OptionHelp& one : command.options)
    page += ".TP\n" + names_of(one) + "\n" + roff(one.description) + "\n";
  if (!command.examples.empty()) page += ".SH EXAMPLES\n.nf\n" + roff(command.examples) + ".fi\n";
  return page + exit_statuses() + ".SH SEE ALSO\n\\fBattest\\fR(1), \\fBattest\\-check\\fR(1)\n";
}

}  // namespace attest
