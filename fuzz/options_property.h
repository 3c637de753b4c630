// What must hold of any text given as options in JSON: of the model, of the training, of the reading of data.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "agentnet/config.h"
#include "agentnet/data.h"
#include "agentnet/error.h"
#include "agentnet/train.h"
#include "core/text.h"
#include "data/tables/options_json.h"
#include "reader_property.h"

namespace agentnet {

// What is taken writes itself out as a text that means the same; options that contradict each other are refused later.
template <class Options>
bool check_options_of(const std::string& text) {
  try {
    Options options;
    apply_json(options, text);
    Options again;
    const std::string written = to_json(options);
    apply_json(again, written);
    require_of_reader(to_json(again) == written, "what was written does not read back");
    if constexpr (requires { validate(options); }) validate(options);
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    require_of_reader(error.kind() == ErrorKind::kUsage, "refused with the wrong kind of error");
    require_of_reader(printable(message) == message && !error.hint().empty(), "message or hint cannot be shown");
    return false;
  }
}

// The first byte says whose options the rest are.
inline bool check_options(std::span<const std::byte> bytes) {
  if (bytes.empty()) return false;
  const std::string text = text_of(bytes.subspan(1));
  switch (static_cast<char>(bytes[0])) {
    case 'm':
      return check_options_of<AgentNetConfig>(text);
    case 't':
      return check_options_of<TrainConfig>(text);
    default:
      return check_options_of<DataOptions>(text);
  }
}

}  // namespace agentnet
