// Model files: what is saved comes back bit for bit, and what is damaged is refused with a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/model.h"
#include "core/files/checksum.h"
#include "core/files/safetensors.h"
#include "nets/model_inside.h"
#include "support/graphs.h"
#include "support/model_variants.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

AgentNetConfig small_config() {
  AgentNetConfig c;
  c.hidden = 8;
  c.agents = 3;
  c.steps = 2;
  c.node_features = 1;
  return c;
}

Model small_model() {
  Model model(small_config(), 7);
  model.card().task = "classification";
  model.card().label_names = {"no", "yes, \"quoted\"", "\xC3\xA4"};
  model.card().schema = R"({"task":"classification"})";
  model.card().reading = R"({"degree":true})";
  model.card().training = {{"seed", "7"}, {"data", "none"}};
  return model;
}

Graph path_of_five() {
  GraphParts parts;
  parts.num_nodes = 5;
  parts.from = {0, 1, 2, 3};
  parts.to = {1, 2, 3, 4};
  parts.undirected = true;
  parts.node_dense.assign(5, 1.0F);
  return Graph(parts);
}

TEST(ModelFile, EveryVariantComesBackBitForBit) {
  const TempFolder folder;
  for (const ModelVariant& variant : model_variants()) {
    SCOPED_TRACE(variant.name);
    Model model(variant.config, 3);
    std::vector<float> odd(model.parameters().begin(), model.parameters().end());
    odd[0] = -0.0F;
    odd[1] = 1e-42F;  // a denormal
    model.set_parameters(odd);
    const auto path = folder / "model.safetensors";
    model.save(path);
    const Model back = Model::load(path);
    EXPECT_EQ(back.config(), model.config());
    EXPECT_EQ(back.card(), model.card());
    EXPECT_TRUE(same_bits(back.parameters(), model.parameters()));
  }
}

TEST(ModelFile, TheCardTravelsAlongAndTheSameModelGivesTheSameBytes) {
  const TempFolder folder;
  small_model().save(folder / "a");
  Model::load(folder / "a").save(folder / "b");
  EXPECT_EQ(Model::load(folder / "b").card(), small_model().card());
  EXPECT_EQ(read_text(folder / "a"), read_text(folder / "b"));
}

TEST(ModelFile, ALoadedModelPredictsTheSameBits) {
  const TempFolder folder;
  const Model model(small_config(), 5);
  model.save(folder / "m");
  const Graph graph = path_of_five();
  const GraphView view = graph.view();
  const auto before = model.run({&view, 1}, {.seed = 9});
  const auto after = Model::load(folder / "m").run({&view, 1}, {.seed = 9, .threads = 2});
  EXPECT_TRUE(same_bits(before, after));
}

// What model_file.h says the checksum covers.
std::string checksum_of(const std::vector<TensorData>& tensors, const std::map<std::string, std::string>& metadata) {
  Checksum sum;
  for (const char* key : {"agentnet.format", "agentnet.kind", "agentnet.config", "agentnet.card", "agentnet.inputs"}) {
    if (!metadata.contains(key)) continue;  // format 1 has no kind, and only format 3 has inputs
    const std::string& text = metadata.at(key);
    sum.update(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
  }
  std::vector<TensorData> sorted = tensors;
  sort_as_written(sorted);
  for (const TensorData& t : sorted) sum.update(t.bytes);
  return sum.hex();
}

Model scaled_model(const InputScale& scale) {
  const Model model = small_model();
  return ModelInside::make(ModelInside::network(model), {model.parameters().begin(), model.parameters().end()}, {},
                           scale, model.card());
}

TEST(ModelFile, TheScaleOfNumbersTravelsAlong) {
  const TempFolder folder;
  const InputScale scale{{{.centre = 0.1, .spread = 1.0 / 3}}, {}};
  const Model model = scaled_model(scale);
  model.save(folder / "m");
  EXPECT_EQ(SafetensorsFile::open(folder / "m").metadata().at("agentnet.format"), "3");
  const Model back = Model::load(folder / "m");
  EXPECT_EQ(ModelInside::inputs(back), scale);
  const Graph graph = path_of_five();
  const GraphView view = graph.view();
  EXPECT_TRUE(same_bits(model.run({&view, 1}, {.seed = 9}), back.run({&view, 1}, {.seed = 9})));
  EXPECT_FALSE(same_bits(model.run({&view, 1}, {.seed = 9}), small_model().run({&view, 1}, {.seed = 9})));
  back.save(folder / "again");
  EXPECT_EQ(read_text(folder / "m"), read_text(folder / "again"));
}

// Programs of before read it, and get the bytes that they wrote.
TEST(ModelFile, WithoutAScaleItIsOfFormat2) {
  const TempFolder folder;
  small_model().save(folder / "m");
  const auto metadata = SafetensorsFile::open(folder / "m").metadata();
  EXPECT_EQ(metadata.at("agentnet.format"), "2");
  EXPECT_FALSE(metadata.contains("agentnet.inputs"));
}

TEST(ModelFile, AScaleThatCannotBeIsRefused) {
  const TempFolder folder;
  scaled_model({{{.centre = 1, .spread = 2}}, {}}).save(folder / "m");
  const SafetensorsFile file = SafetensorsFile::open(folder / "m");
  std::vector<TensorData> tensors;
  for (const TensorInfo& t : file.tensors()) tensors.push_back({t.name, t.dtype, t.shape, t.data});
  for (const auto& [text, reason] : std::vector<std::pair<const char*, const char*>>{
           {"[]", "it is no object"},
           {"{\"nodes\":[]}", "there is no list 'edges'"},
           {R"({"nodes":[[0,1],[0,1]],"edges":[]})", "'nodes' has 2 columns, the shape 1"},
           {R"({"nodes":[[0,0]],"edges":[]})", "column 0 of 'nodes' has no finite centre and spread"},
           {R"({"nodes":[[0,-1]],"edges":[]})", "column 0 of 'nodes' has no finite centre and spread"},
           {R"({"nodes":[[0]],"edges":[]})", "no pair of numbers"},
           {R"({"nodes":[["a",1]],"edges":[]})", "no pair of numbers"}}) {
    std::map<std::string, std::string> metadata = file.metadata();
    metadata["agentnet.inputs"] = text;
    metadata["agentnet.checksum"] = checksum_of(tensors, metadata);
    write_safetensors(folder / "bad", tensors, metadata);
    try {
      static_cast<void>(Model::load(folder / "bad"));
      FAIL() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kData);
      EXPECT_THAT(e.what(), HasSubstr("agentnet.inputs"));
      EXPECT_THAT(e.what(), HasSubstr(reason));
    }
  }
}

// What the program wrote before there were kinds of networks: no kind, and options and shape side by side.
TEST(ModelFile, OfFormat1LoadsAndPredictsTheSameBits) {
  const TempFolder folder;
  const Model model = small_model();
  model.save(folder / "now");
  const SafetensorsFile now = SafetensorsFile::open(folder / "now");
  std::vector<TensorData> tensors;
  for (const TensorInfo& t : now.tensors()) tensors.push_back({t.name, t.dtype, t.shape, t.data});
  std::map<std::string, std::string> metadata = now.metadata();
  metadata["agentnet.format"] = "1";
  metadata.erase("agentnet.kind");
  metadata["agentnet.config"] =
      R"({"hidden":8,"agents":3,"steps":2,"outputs":2,"width":2,"node_features":1,"node_categories":[],)"
      R"("edge_features":0,"edge_categories":[],"max_neighbours":0,"input_mlp":true,"edge_kernel":false,)"
      R"("node_update":true,"neighbourhood":"occupied","merge":"none","reduce":"log","global_communication":true,)"
      R"("graph_size":false,"time_node":true,"time_neighbourhood":true,"time_agent":true,"time_readout":true,)"
      R"("time_table":"sinusoidal","moves":"learned","attention":true,"attention_width":1,"exploration":"shared",)"
      R"("self_loops":true,"visited_decay":0.9,"temperature":0.6666666666666666,"readout_mlp":false,)"
      R"("head_mlp":false,"slope":0.01,"edge_slope":0.2,"dropout":0.0})";
  metadata["agentnet.checksum"] = checksum_of(tensors, metadata);
  write_safetensors(folder / "old", tensors, metadata);
  const Model old = Model::load(folder / "old");
  EXPECT_EQ(old.config(), model.config());
  EXPECT_EQ(old.card(), model.card());
  const Graph graph = path_of_five();
  const GraphView view = graph.view();
  EXPECT_TRUE(same_bits(old.run({&view, 1}, {.seed = 9}), model.run({&view, 1}, {.seed = 9})));
}

TEST(ModelFile, TextsThatAreNotUtf8AreRefusedAndNothingIsWritten) {
  const TempFolder folder;
  Model model = small_model();
  model.card().label_names = {"\xFF"};
  try {
    model.save(folder / "m");
    FAIL() << "saved";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage);
    EXPECT_THAT(e.what(), HasSubstr("UTF-8"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
}

// A way in which a model file can be bad: how it is made from a good one, and what the message must say.
struct BadFile {
  const char* name;
  std::function<void(std::vector<TensorData>&, std::map<std::string, std::string>&)> damage;
  const char* message;
  bool checksum_fits = false;  // as if a program had written it like this
};

void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name; }

class BadModelFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadModelFile, IsRefusedWithItsReason) {
  const TempFolder folder;
  small_model().save(folder / "good");
  const SafetensorsFile good = SafetensorsFile::open(folder / "good");
  std::vector<TensorData> tensors;
  for (const TensorInfo& t : good.tensors()) tensors.push_back({t.name, t.dtype, t.shape, t.data});
  std::map<std::string, std::string> metadata = good.metadata();
  GetParam().damage(tensors, metadata);
  if (GetParam().checksum_fits) metadata["agentnet.checksum"] = checksum_of(tensors, metadata);
  write_safetensors(folder / "bad", tensors, metadata);
  try {
    (void)Model::load(folder / "bad");
    FAIL() << "loaded";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    EXPECT_THAT(e.what(), HasSubstr(GetParam().message));
    EXPECT_THAT(e.what(), HasSubstr("bad: "));
    EXPECT_NE(e.hint(), "");
  }
}

using Tensors = std::vector<TensorData>;
using Metadata = std::map<std::string, std::string>;

std::vector<BadFile> bad_files() {
  return {
      BadFile{"NotAModel", [](Tensors&, Metadata& m) { m.clear(); }, "not one of agentnet's models"},
      BadFile{"NewerFormat", [](Tensors&, Metadata& m) { m["agentnet.format"] = "4"; },
              "model format '4' is not known"},
      BadFile{"NoKind", [](Tensors&, Metadata& m) { m.erase("agentnet.kind"); }, "no metadata 'agentnet.kind'"},
      BadFile{"UnknownKind", [](Tensors&, Metadata& m) { m["agentnet.kind"] = "agentnot"; },
              "a network of kind 'agentnot' is not known to this program", true},
      BadFile{"NoShape", [](Tensors&, Metadata& m) { m["agentnet.config"] = R"({"options":{}})"; },
              "there are no options or no shape in it", true},
      BadFile{"NoConfig", [](Tensors&, Metadata& m) { m.erase("agentnet.config"); }, "no metadata 'agentnet.config'"},
      BadFile{"NoCard", [](Tensors&, Metadata& m) { m.erase("agentnet.card"); }, "no metadata 'agentnet.card'"},
      BadFile{"NoChecksum", [](Tensors&, Metadata& m) { m.erase("agentnet.checksum"); },
              "no metadata 'agentnet.checksum'"},
      BadFile{"ChangedConfig",
              [](Tensors&, Metadata& m) {
                std::string& c = m["agentnet.config"];
                c.replace(c.find("\"steps\":2"), 9, "\"steps\":3");
              },
              "checksum"},
      BadFile{"ChangedWeights",
              [](Tensors& all, Metadata&) {
                static std::vector<std::byte> other;
                other.assign(all[0].bytes.begin(), all[0].bytes.end());
                other[0] ^= std::byte{1};
                all[0].bytes = other;
              },
              "checksum"},
      BadFile{"TensorCutOff", [](Tensors& all, Metadata&) { all.pop_back(); }, "checksum"},
      BadFile{"MissingTensor", [](Tensors& all, Metadata&) { all.erase(all.begin()); }, "agent_update.0.bias", true},
      BadFile{"UnknownTensor",
              [](Tensors& all, Metadata&) {
                all.push_back({"surprise", Dtype::kF32, {1}, all[0].bytes.first(4)});
              },
              "tensor 'surprise' is not part of a model of this config", true},
      BadFile{"WrongShape",
              [](Tensors& all, Metadata&) {
                for (TensorData& tensor : all) {
                  if (tensor.name == "head.0.weight") std::swap(tensor.shape[0], tensor.shape[1]);
                }
              },
              "tensor 'head.0.weight' has shape [32, 2], the config asks for [2, 32]", true},
      BadFile{"WrongType",
              [](Tensors& all, Metadata&) {
                for (TensorData& tensor : all) {
                  if (tensor.name == "head.0.bias") tensor.dtype = Dtype::kI32;
                }
              },
              "tensor 'head.0.bias' holds I32, models hold F32", true},
      BadFile{"ConfigNotJson", [](Tensors&, Metadata& m) { m["agentnet.config"] = "{"; }, "not valid JSON", true},
      BadFile{"ConfigUnknownKey",
              [](Tensors&, Metadata& m) {
                std::string& c = m["agentnet.config"];
                c.replace(c.find("\"steps\""), 7, "\"stepz\"");
              },
              "unknown model option 'stepz'", true},
      BadFile{"ConfigOutOfRange",
              [](Tensors&, Metadata& m) {
                std::string& c = m["agentnet.config"];
                c.replace(c.find("\"hidden\":8"), 10, "\"hidden\":0");
              },
              "model option 'hidden' is 0", true},
      BadFile{"ConfigNested80000Deep",
              [](Tensors&, Metadata& m) {
                m["agentnet.config"] = "{\"hidden\":" + std::string(80'000, '[') + std::string(80'000, ']') + "}";
              },
              "nested more than 8 deep", true},
      BadFile{"ConfigWithAKeyTwice",
              [](Tensors&, Metadata& m) { m["agentnet.config"].replace(0, 12, "{\"options\":{\"hidden\":8,"); },
              "'hidden' is given twice", true},
      BadFile{"ConfigAsksForMoreThanTheTensorsAre",
              [](Tensors&, Metadata& m) {
                std::string& c = m["agentnet.config"];
                c.replace(c.find("\"hidden\":8"), 10, "\"hidden\":256");
              },
              "tensor 'agents.weight' has shape [3, 8], the config asks for [3, 256]", true},
      // With hidden 16384 this added up to 2 modulo 2^64; agents.weight was then copied over what lay behind two
      // floats.
      BadFile{"ConfigWhoseSizesWrapAround",
              [](Tensors&, Metadata& m) {
                std::string& c = m["agentnet.config"];
                c.replace(c.find("\"hidden\":8"), 10, "\"hidden\":4096");
                std::string tables;
                for (int i = 0; i < 60'000; ++i) tables += (i == 0 ? "" : ",") + std::to_string(2147483647);
                c.replace(c.find("\"node_categories\":[]"), 20, "\"node_categories\":[" + tables + "]");
              },
              "the model would be too large", true},
      BadFile{"ConfigOf524289Tables",
              [](Tensors&, Metadata& m) {
                std::string& c = m["agentnet.config"];
                std::string tables = "1";
                for (int i = 0; i < 524'288; ++i) tables += ",1";
                c.replace(c.find("\"node_categories\":[]"), 20, "\"node_categories\":[" + tables + "]");
              },
              "lists 524289 columns", true},
      BadFile{"ConfigNumberTooLargeForAnything",
              [](Tensors&, Metadata& m) {
                std::string& c = m["agentnet.config"];
                c.replace(c.find("\"steps\":2"), 9, "\"steps\":1e300");
              },
              "model option 'steps' is 1e+300", true},
      BadFile{"CardNested80000Deep",
              [](Tensors&, Metadata& m) {
                m["agentnet.card"] = "{\"task\":" + std::string(80'000, '[') + std::string(80'000, ']') + "}";
              },
              "nested more than 64 deep", true},
      BadFile{"CardBroken", [](Tensors&, Metadata& m) { m["agentnet.card"] = "{\"task\": 5}"; },
              "metadata 'agentnet.card' is not as expected", true}};
}

INSTANTIATE_TEST_SUITE_P(Ways, BadModelFile, testing::ValuesIn(bad_files()),
                         [](const auto& param_info) { return param_info.param.name; });

TEST(ModelFile, AMissingFileIsSaidToBeMissing) {
  try {
    (void)Model::load("/no/such/model.safetensors");
    FAIL() << "loaded";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    EXPECT_THAT(e.what(), HasSubstr("/no/such/model.safetensors"));
  }
}

TEST(Model, ThatWasMovedFromThrowsInsteadOfCrashing) {
  Model model = small_model();
  const Model taken = std::move(model);
  EXPECT_EQ(taken.description(), "AgentNet with 3 agents, 2 steps, hidden size 8");
  // NOLINTBEGIN(bugprone-use-after-move): that is the test
  EXPECT_THROW(static_cast<void>(model.config()), std::logic_error);
  EXPECT_THROW(static_cast<void>(model.card()), std::logic_error);
  EXPECT_THROW(static_cast<void>(model.parameters()), std::logic_error);
  EXPECT_THROW(static_cast<void>(model.parameter_infos()), std::logic_error);
  EXPECT_THROW(model.set_parameters({}), std::logic_error);
  EXPECT_THROW(static_cast<void>(model.run({}, {})), std::logic_error);
  EXPECT_THROW(model.save("/nowhere"), std::logic_error);
  model = small_model();
  EXPECT_EQ(model.outputs(), 2);
  // NOLINTEND(bugprone-use-after-move)
}

}  // namespace
}  // namespace agentnet
