// A kind of network as the program sees it: its name, its options, and how one is made. src/nets/kinds.cpp lists them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/network.h"
#include "nn/network.h"

namespace agentnet {

// What is known of a set of graphs when settings are suggested for it.
struct SetSize {
  std::uint64_t graphs = 0;
  double mean_nodes = 0;
  const GraphSet* set = nullptr;  // the graphs themselves, for networks that count in them; null: nobody has them
};

// A value for an option that nobody has set, and why.
struct OptionChoice {
  std::string option;  // "agents"
  std::string value;   // as JSON: "18"
  std::string why;     // "the mean number of nodes"
};

struct Fitter;  // src/classic/fitter.h

struct NetworkKind {
  std::string_view name;     // "agentnet"
  std::string_view summary;  // one line

  // The options that a user sets, as agentnet/network.h describes them.
  std::vector<OptionHelp> (*options)();
  // The JSON object with every option: those of `json`, and the defaults of the others. Throws Error (kUsage) for an
  // unknown option, with a suggestion, and for a value of a wrong type or out of range; not for options that contradict
  // each other, since options may come one by one.
  std::string (*complete)(const std::string& json);
  // What suits a set of graphs.
  std::vector<OptionChoice> (*advise)(const SetSize& set);

  // Throw Error (kUsage) as complete() does, and for options that contradict each other or the shape.
  std::shared_ptr<const Network<float>> (*make_float)(const NetworkConfig& config);
  std::shared_ptr<const Network<double>> (*make_double)(const NetworkConfig& config);

  // Null for what is trained by steps of an optimizer; else how it is fitted to a training part as a whole.
  const Fitter* fitter = nullptr;
};

// Kinds by their names. Immutable.
class KindTable {
 public:
  explicit KindTable(std::vector<const NetworkKind*> kinds) : kinds_(std::move(kinds)) {}

  [[nodiscard]] std::span<const NetworkKind* const> all() const { return kinds_; }
  // Null if there is none of this name.
  [[nodiscard]] const NetworkKind* find(std::string_view name) const;
  // Throws Error (kUsage), with a suggestion, if there is none.
  [[nodiscard]] const NetworkKind& at(std::string_view name) const;
  [[nodiscard]] std::shared_ptr<const Network<float>> make(const NetworkConfig& config) const {
    return at(config.kind).make_float(config);
  }

 private:
  std::vector<const NetworkKind*> kinds_;
};

}  // namespace agentnet
