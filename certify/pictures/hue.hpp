// The colours of pictures: Okabe and Ito's, which people tell apart who see fewer colours. What differs in
// colour differs in shape or dash as well.
#pragma once

#include <string>

namespace attest {

enum class Hue { blue, vermillion, green, purple, grey };

inline constexpr Hue every_hue[] = {Hue::blue, Hue::vermillion, Hue::green, Hue::purple, Hue::grey};

// The class of what is drawn in it, in which `currentColor` is the colour.
inline const char* name(Hue hue) {
  constexpr const char* names[] = {"blue", "vermillion", "green", "purple", "grey"};
  return names[static_cast<int>(hue)];
}

// On white and on nearly black paper.
inline const char* on_light(Hue hue) {
  constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#a8537f", "#767676"};
  return colours[static_cast<int>(hue)];
}
inline const char* on_dark(Hue hue) {
  constexpr const char* colours[] = {"#56b4e9", "#ee7733", "#2fb890", "#cc79a7", "#9a9a9a"};
  return colours[static_cast<int>(hue)];
}

}  // namespace attest
