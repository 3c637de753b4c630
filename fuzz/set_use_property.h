// What must hold of any bytes that are used as a mapped graph set, by whatever reads one: training, cross-validation,
// prediction, evaluation, explanation, statistics, the viewer's page, writing. All succeed or throw Error (kData or
// kMismatch); none crashes, hangs, or blames the program.
//
// Files above DataOptions::check_up_to are not read as a whole when they are opened, and those of 16 MB or more are
// copied instead of touched: both sizes are had here with small inputs.
#pragma once

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "agentnet/compare.h"
#include "agentnet/config.h"
#include "agentnet/error.h"
#include "agentnet/explain.h"
#include "agentnet/predict.h"
#include "agentnet/train.h"
#include "classic/baselines.h"
#include "core/files/checksum.h"
#include "data/huge/mapped_set.h"
#include "data/tables/fingerprint.h"
#include "data/tables/statistics.h"
#include "file_property.h"
#include "graph/set_file_layout.h"
#include "predict/reading.h"
#include "view/page/page.h"
#include "view/page/page_walks.h"
#include "view/tables/class_table.h"

namespace agentnet {

// A set with every kind of section, in which edges were given twice.
inline Dataset sample_of_everything() {
  Dataset data;
  data.source = "sample";
  data.format = "sample";
  data.schema.task = Task::kClassification;
  data.schema.targets = {"y"};
  data.schema.classes = {"no", "yes"};
  data.schema.nodes = {{"charge", "size"}, {{"element", {"C", "N", "O"}}, {"ring", {"0", "1"}}}};
  data.schema.edges = {{"length"}, {{"bond", {"1", "2", "3"}}}};
  data.official = Split{{0, 1, 2, 3}, {4, 5}, {6, 7}};
  for (std::uint32_t g = 0; g < 8; ++g) {
    GraphParts parts;
    parts.num_nodes = 3 + g % 3;
    parts.undirected = true;
    std::vector<float> positions;
    std::vector<std::uint8_t> marks;
    for (std::uint32_t u = 0; u < parts.num_nodes; ++u) {
      parts.node_dense.insert(parts.node_dense.end(), {0.5F * static_cast<float>(u), 1.0F});
      parts.node_categories.insert(parts.node_categories.end(),
                                   {static_cast<std::int32_t>((u + g) % 3), static_cast<std::int32_t>(u % 2)});
      positions.insert(positions.end(), {static_cast<float>(u), static_cast<float>(g), 0.5F});
      marks.push_back(u == 0 ? 1 : 0);
    }
    const auto add_edge = [&](std::uint32_t from, std::uint32_t to) {
      parts.from.push_back(from);
      parts.to.push_back(to);
      parts.edge_dense.push_back(0.25F * static_cast<float>(to));
      parts.edge_categories.push_back(static_cast<std::int32_t>((from + to) % 3));
    };
    for (std::uint32_t u = 0; u + 1 < parts.num_nodes; ++u) add_edge(u, u + 1);
    add_edge(0, 1);
    if (g % 2 == 0) add_edge(0, 2);
    const double target = g % 2;
    data.graphs.add(Graph(std::move(parts)), {&target, 1}, "graph " + std::to_string(g), {positions, marks});
    data.columns["note"].push_back("note " + std::to_string(g));
  }
  return data;
}

// A set with a list long enough to be a hub's.
inline Dataset sample_with_hub() {
  Dataset data;
  data.source = "sample";
  data.format = "sample";
  data.schema.task = Task::kRegression;
  data.schema.targets = {"y"};
  data.schema.nodes = {{}, {{"kind", {"leaf", "hub"}}}};
  for (std::uint32_t g = 0; g < 4; ++g) {
    GraphParts parts;
    parts.num_nodes = g == 0 ? 1030 : 4;
    parts.undirected = true;
    parts.node_categories.assign(parts.num_nodes, 0);
    parts.node_categories[0] = 1;
    for (std::uint32_t u = 1; u < parts.num_nodes; ++u) {
      parts.from.push_back(0);
      parts.to.push_back(u);
    }
    const double target = 0.5 * g;
    data.graphs.add(Graph(std::move(parts)), {&target, 1});
  }
  return data;
}

inline std::string bytes_of_set(const Dataset& data) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("agentnet-sample-" + std::to_string(::getpid()) + ".agentset");
  static_cast<void>(write_mapped_set(data, path));
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  return bytes;
}

struct SetSectionPlace {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
};

// The sections of a set file, as far as its table goes.
inline std::vector<SetSectionPlace> sections_of_set(std::string_view file) {
  std::vector<SetSectionPlace> places;
  SetHeader header{};
  if (file.size() < sizeof(header)) return places;
  std::memcpy(&header, file.data(), sizeof(header));
  for (std::uint64_t s = 0; s < std::min(header.sections, kMostSections); ++s) {
    SetSection section{};
    const std::uint64_t at = sizeof(header) + s * sizeof(section);
    if (at + sizeof(section) > file.size()) break;
    std::memcpy(&section, file.data() + at, sizeof(section));
    section.name.back() = 0;
    if (section.offset > file.size() || section.bytes > file.size() - section.offset) continue;
    places.push_back({section.name.data(), section.offset, section.bytes});
  }
  return places;
}

// The bytes as a file that is read as huge ones are: zeros behind the last section, which the header knows of.
inline std::string as_huge_set(std::string bytes) {
  constexpr std::size_t kHuge = std::size_t{1} << 24;
  SetHeader header{};
  if (bytes.size() < sizeof(header)) return bytes;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::size_t end = sizeof(header) + std::size_t{header.sections} * sizeof(SetSection);
  if (header.sections > kMostSections || end + sizeof(std::uint64_t) > bytes.size()) return bytes;
  bytes.resize(std::max(bytes.size(), kHuge), '\0');
  header.file_size = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof(header));
  const std::uint64_t checksum = xxh3_64(std::as_bytes(std::span(bytes)).first(end));
  std::memcpy(bytes.data() + end, &checksum, sizeof(checksum));
  return bytes;
}

// How mapped sets are used in this program, on one file.
class SetUser {
 public:
  // `model` was made for sets of the same schema. With `any_settings` the metadata may have been changed, too, so that
  // what is asked for may make no sense (kUsage).
  SetUser(const Model& model, bool any_settings) : model_(model), any_settings_(any_settings) {}

  // Returns how many of the uses were refused.
  int use(const std::filesystem::path& path, std::uint64_t check_up_to) {
    path_ = path.string();
    options_ = {};
    options_.check_up_to = check_up_to;
    refused_ = 0;
    attempt([&] { count(); });
    attempt([&] { learn(); });
    attempt([&] { cross_validate_folds(); });
    attempt([&] { predict_all(0); });
    attempt([&] { predict_all(2); });
    attempt([&] { explain_all(); });
    attempt([&] { make_page(); });
    return refused_;
  }
  [[nodiscard]] const std::string& last_message() const { return message_; }

 private:
  template <class F>
  void attempt(const F& f) {
    try {
      f();
    } catch (const Error& error) {
      ++refused_;
      message_ = error.what();
      const bool diverged =  // a feature may be finite and yet beyond anything that can be learned from
          error.kind() == ErrorKind::kFailure && message_.find("not a finite number") != std::string::npos;
      const bool damage = error.kind() == ErrorKind::kData || error.kind() == ErrorKind::kMismatch;
      if (!damage && !diverged && !(any_settings_ && error.kind() == ErrorKind::kUsage)) {
        throw std::logic_error("refused with the wrong kind of error: " + message_);
      }
      if (error.kind() == ErrorKind::kData && message_.find(path_) == std::string::npos) {
        throw std::logic_error("the message does not name the file: " + message_);
      }
    }
  }

  [[nodiscard]] Dataset read() const { return read_data(path_, options_); }

  void count() const {
    DataOptions options = options_;
    options.official = true;
    const Dataset data = read_data(path_, options);
    static_cast<void>(statistics_of(data));
    static_cast<void>(fingerprint(data));
    const std::filesystem::path copy =
        std::filesystem::temp_directory_path() / ("agentnet-copy-" + std::to_string(::getpid()) + ".jsonl");
    write_data(data, copy, "jsonl", /*replace=*/true);
    std::filesystem::remove(copy);
  }

  static AgentNetConfig small_config() {
    AgentNetConfig config;
    config.hidden = 4;
    config.agents = 2;
    config.steps = 2;
    return config;
  }
  static TrainConfig short_training() {
    TrainConfig config;
    config.epochs = 1;
    config.batch = 4;
    config.rollouts = 1;
    return config;
  }
  static void train_on(const Dataset& data, const Split& split) {
    static_cast<void>(train(data, split, small_config(), short_training()));
  }

  void learn() const {
    const Dataset data = read();
    Split split;
    for (std::size_t g = 0; g < data.graphs.size(); ++g) (g % 4 == 3 ? split.valid : split.train).push_back(g);
    train_on(data, split);
    static_cast<void>(constant_baseline(data, split.train, split.valid));
    static_cast<void>(structure_blind_baseline(data, split.train, split.valid));
  }

  void cross_validate_folds() const {
    const Dataset data = read();
    CvOptions options;
    options.folds = 2;
    for (const Split& split : protocol_folds(data, Protocol::kGin, options, 1).splits) train_on(data, split);
  }

  void predict_all(int max_neighbours) const {
    const Dataset data = read_for_model(model_, path_, options_);
    PredictOptions options;
    options.rollouts = 1;
    options.max_neighbours = max_neighbours;
    static_cast<void>(predict(model_, data.graphs.views(), options));
  }

  void explain_all() const {
    const Dataset data = read_labelled(model_, path_, options_);
    ExplainOptions options;
    options.walks.rollouts = 1;
    options.leave_one_out = 8;
    options.fidelity = 0.3;
    options.recorded = 1;
    const Spelling spelling(data.schema, {});
    ClassTableBuilder table({"all"}, {.agents = 2, .steps = 2}, spelling);
    for (std::size_t g = 0; g < data.graphs.size(); ++g) {
      const GraphView graph = data.graphs.view(g);
      table.add(0, graph, explain(model_, {&graph, 1}, options).front());
      static_cast<void>(data.graphs.id(g));
    }
    static_cast<void>(table.table());
  }

  void make_page() const {
    const Dataset data = read_labelled(model_, path_, options_);
    PageData page;
    page.model = &model_;
    page.data = &data;
    page.graphs.resize(data.graphs.size());
    std::iota(page.graphs.begin(), page.graphs.end(), std::size_t{0});
    PredictOptions options;
    options.rollouts = 1;
    const Predictions predictions = predict(model_, data.graphs.views(), options);
    page.predictions = &predictions;
    WalkChoice choice;
    choice.graphs = 3;
    choice.walks = options;
    choice.recorded = 1;
    add_walks(page, choice);
    static_cast<void>(page_json(page));
  }

  const Model& model_;
  bool any_settings_;
  std::string path_, message_;
  DataOptions options_;
  int refused_ = 0;
};

// A model for sets like this one.
inline Model model_for(const Dataset& data) {
  Split split;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) split.train.push_back(g);
  AgentNetConfig config;
  config.hidden = 4;
  config.agents = 3;
  config.steps = 2;
  TrainConfig training;
  training.epochs = 1;
  training.batch = 4;
  return train(data, split, config, training).model;
}

// Returns whether the bytes, checked where they are used only, can be used in every way.
inline bool check_use_of_set(std::span<const std::byte> bytes) {
  static const Model kModels[] = {model_for(sample_of_everything()), model_for(sample_with_hub())};
  int refused = 0;
  for (const bool huge : {false, true}) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string file = huge ? as_huge_set(text) : text;
    const FileInMemory in_memory(std::as_bytes(std::span(file)));
    for (const Model& model : kModels) refused += SetUser(model, true).use(in_memory.path(), 0);
  }
  return refused == 0;
}

}  // namespace agentnet
