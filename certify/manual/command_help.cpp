#include "certify/manual/command_help.hpp"

#include <algorithm>
#include <sstream>

namespace attest {
namespace {

// CLI11 shows the values of a membership check as "TEXT:{auto,exact}".
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t from = type.find('{'), to = type.rfind('}');
  if (from == std::string::npos || to == std::string::npos) return choices;
  std::istringstream words(type.substr(from + 1, to - from - 1));
  for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
  return choices;
}

std::string value_of(const std::string& type) {
  const std::size_t colon = type.find(':');
  const std::string base = type.substr(0, colon);
  std::string name = base == "UINT" || base == "INT" ? "N" : base == "FLOAT" ? "NUMBER" : base;
  if (colon == std::string::npos || type[colon + 1] == '{') return name;
  const std::size_t range = type.find(" in [", colon);
  return range == std::string::npos ? name : name + type.substr(range);
}

OptionHelp option_help(const CLI::Option& option) {
  OptionHelp help;
  help.description = option.get_description();
  help.required = option.get_required();
  if (option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();
    help.choices = choices_of(type);
    help.value = value_of(type);
  }
  if (option.get_positional()) {
    help.names.push_back(option.get_name(true, false));
    return help;
  }
  for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
  return help;
}

}  // namespace

std::vector<CommandHelp> command_help(const CLI::App& app) {
  std::vector<CommandHelp> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandHelp help{command->get_name(), command->get_description(), {}, {}, {}};
    const std::string footer = command->get_footer();
    help.examples = footer.substr(std::min(footer.size(), footer.find('\n') + 1));
    for (const CLI::Option* option : command->get_options())
      (option->get_positional() ? help.positionals : help.options).push_back(option_help(*option));
    commands.push_back(std::move(help));
  }
  return commands;
}

}  // namespace attest
