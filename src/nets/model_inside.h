// A model as the library sees it: the network behind it, and its weights ready for running.
#pragma once

#include <memory>

#include "agentnet/model.h"
#include "core/files/atomic_file.h"
#include "nets/kinds.h"
#include "nn/network.h"

namespace agentnet {

struct ModelInside {
  // A model of any network, also one that is in no table, with these weights.
  [[nodiscard]] static Model make(std::shared_ptr<const Network<float>> network, std::vector<float> parameters,
                                  std::vector<float> buffers, InputScale inputs = {}, ModelCard card = {});
  [[nodiscard]] static Model load(const std::filesystem::path& path, const KindTable& kinds);
  static void save(const Model& model, const std::filesystem::path& path, FileSystem& fs);

  [[nodiscard]] static const std::shared_ptr<const Network<float>>& network(const Model& model);
  // Valid until the weights of the model are changed.
  [[nodiscard]] static const Prepared<float>& prepared(const Model& model);
  [[nodiscard]] static std::span<const float> buffers(const Model& model);
  // How the model reads columns of numbers.
  [[nodiscard]] static const InputScale& inputs(const Model& model);
};

}  // namespace agentnet
