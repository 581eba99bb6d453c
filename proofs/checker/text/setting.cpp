// Settings and stages in certificates: see setting.hpp.
#include "proofs/checker/text/setting.hpp"

#include "proofs/checker/instance/sentences.hpp"

namespace attest_check {

StatedSetting::StatedSetting(Line& line) {
  line.expect("setting");
  const std::string stated = line.word();
  while (stated != name(setting)) {
    if (setting == Setting::next_token) line.bad("unknown setting " + stated);
    setting = static_cast<Setting>(static_cast<int>(setting) + 1);
  }
  if (setting == Setting::next_token) {
    stage = line.peek() == name(Stage::attention) ? Stage::attention : Stage::feed_forward;
    line.expect(name(*stage));
  }
  line.finish();
}

std::string setting_words(const Instance& instance) {
  std::string words = name(instance.setting);
  if (instance.setting == Setting::next_token) (words += ' ') += name(instance.stage);
  return words;
}

const Features& Certificate::features_of(std::optional<Stage> stage) {
  if (stage == Stage::feed_forward && !feed_forward) {  // the instance is read as its attention stage
    stage_instance = std::make_unique<const Instance>(
        next_token_stage(features.instance().sentences, Stage::feed_forward, "the sentences"));
    feed_forward = std::make_unique<const Features>(*stage_instance);
  }
  return stage == Stage::feed_forward ? *feed_forward : features;
}

}  // namespace attest_check
