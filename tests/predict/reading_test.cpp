// New data for a model: read as its training data was, and refused where it cannot be.
#include "predict/reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>

#include "agentnet/error.h"
#include "support/small_model.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kEdge = "\"edge_index\":[[0,1],[1,0]]";

struct Refusal {
  ErrorKind kind = ErrorKind::kFailure;
  std::string message;
};

Refusal refusal_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_FALSE(error.hint().empty()) << error.what();
    return {error.kind(), error.what()};
  }
  return {ErrorKind::kFailure, "nothing was refused"};
}

class Reading : public testing::Test {
 protected:
  std::string file(const std::string& text, const std::string& name = "set.jsonl") {
    write_text(folder_ / name, text);
    return folder_ / name;
  }
  // A model for what this text holds.
  Model trained_on(const std::string& text, const DataOptions& options = {}) {
    return small_model(read_data(file(text, "train.jsonl"), options).schema, options);
  }
  void expect_mismatch(const Model& model, const std::string& text, const std::string& part, bool labelled = false) {
    const std::string source = file(text);
    const Refusal refusal = refusal_of(
        [&] { static_cast<void>(labelled ? read_labelled(model, source, {}) : read_for_model(model, source, {})); });
    EXPECT_EQ(refusal.kind, ErrorKind::kMismatch) << refusal.message;
    EXPECT_THAT(refusal.message, HasSubstr(part));
  }
  // Three tables with a graph of two nodes, which have two columns of numbers: 0.5 and 1.5, then 2.5 and 3.5.
  std::string tables(const std::string& name, const std::string& columns) {
    std::filesystem::create_directory(folder_ / name);
    file("graph,y\n1,cat\n", name + "/graphs.csv");
    file("graph,node," + columns + "\n1,0,0.5,1.5\n1,1,2.5,3.5\n", name + "/nodes.csv");
    file("graph,source,target\n1,0,1\n", name + "/edges.csv");
    return folder_ / name;
  }
  static std::vector<float> numbers_of_node(const Dataset& data, std::uint64_t node) {
    const GraphView graph = data.graphs.view(0);
    std::vector<float> numbers(static_cast<std::size_t>(graph.node_dense.width));
    graph.node_dense.copy(node, numbers.data());
    return numbers;
  }
  TempFolder folder_;
  const std::string labelled_ = "{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":\"cat\"}\n" +  //
                                "{\"node_feat\":[[2],[3]]," + kEdge + ",\"y\":\"dog\"}\n";
};

TEST_F(Reading, CategoriesAreRenumberedAndUnseenOnesCounted) {
  const Model model = trained_on(labelled_);
  UnseenValues unseen;
  const Dataset data =
      read_for_model(model, file("{\"node_feat\":[[3],[7],[7]],\"edge_index\":[[0],[1]]}\n"), {}, &unseen);
  EXPECT_THAT(data.graphs.view(0).node_categories.row(0), ElementsAre(2));
  EXPECT_THAT(data.graphs.view(0).node_categories.row(1), ElementsAre(3));
  EXPECT_EQ(unseen.nodes, 2U);
  EXPECT_EQ(unseen.by_value.at("node_feat0=7"), 2U);
}

TEST_F(Reading, ASmallFileIsReadLikeTheLargeOneOfTheTraining) {
  const Model dense = trained_on("{\"node_feat\":[[0.5],[2]]," + kEdge + ",\"y\":1.5}\n");
  EXPECT_EQ(reading_options(dense, {}).node_features, FeatureKind::kDense);
  const Dataset data = read_for_model(dense, file("{\"node_feat\":[[1],[2]]," + kEdge + "}\n"), {});
  EXPECT_EQ(data.schema.nodes, schema_of(dense).nodes);
  EXPECT_EQ(reading_options(trained_on(labelled_), {}).node_features, FeatureKind::kCategories);
}

TEST_F(Reading, OptionsOfTheTrainingHoldUnlessTheCallerSaysOtherwise) {
  DataOptions options;
  options.degree = true;
  options.direction = Direction::kUndirected;
  const Model model = trained_on(labelled_, options);
  EXPECT_TRUE(reading_options(model, {}).degree);
  DataOptions asked;
  asked.direction = Direction::kDirected;
  asked.threads = 3;
  const DataOptions reading = reading_options(model, asked);
  EXPECT_EQ(reading.direction, Direction::kDirected);
  EXPECT_EQ(reading.threads, 3);
  EXPECT_TRUE(reading.degree);
}

// A stranger's model must not decide how far a stranger's archive unpacks.
TEST_F(Reading, TheLimitOnAtomsIsTheModelsAndThatOnUnpackingTheCallers) {
  DataOptions options;
  options.max_atoms = 900;
  options.max_unpack_ratio = 100000;
  const Model model = trained_on(labelled_, options);
  EXPECT_EQ(reading_options(model, {}).max_atoms, 900);
  EXPECT_EQ(reading_options(model, {}).max_unpack_ratio, DataOptions{}.max_unpack_ratio);
  DataOptions asked;
  asked.max_atoms = 50;
  asked.max_unpack_ratio = 7;
  EXPECT_EQ(reading_options(model, asked).max_atoms, 50);
  EXPECT_EQ(reading_options(model, asked).max_unpack_ratio, 7);
}

TEST_F(Reading, AMappedSetIsReadWhateverMadeTheTrainingSet) {
  DataOptions options;
  options.degree = true;
  options.direction = Direction::kUndirected;
  options.targets = {"y"};
  const Model model = trained_on(labelled_, options);
  const std::string mapped = folder_ / "set.agentset", plain = folder_ / "plain.agentset";
  write_data(read_data(file(labelled_), options), mapped);
  write_data(read_data(file(labelled_), {}), plain);
  for (const std::string& source : {mapped, plain}) {
    EXPECT_EQ(read_for_model(model, source, {}).schema.nodes, schema_of(model).nodes) << source;
    EXPECT_EQ(read_labelled(model, source, {}).schema.classes, schema_of(model).classes) << source;
  }
}

TEST_F(Reading, TargetsMayBeMissingWrongOrBlankForPredictions) {
  DataOptions options;
  options.targets = {"y"};
  const Model model = trained_on(labelled_, options);
  for (const char* target : {"", ",\"y\":null", ",\"y\":[1,2,3]", ",\"y\":\"bird\""}) {
    const Dataset data = read_for_model(model, file("{\"node_feat\":[[1],[2]]," + kEdge + target + "}\n"), {});
    EXPECT_EQ(data.graphs.num_targets(), 0);
  }
}

TEST_F(Reading, ClassesAreRenumberedToTheModels) {
  const Model model = trained_on(labelled_);
  const Dataset data = read_labelled(model,
                                     file("{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":\"dog\"}\n" +
                                          "{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":null}\n"),
                                     {});
  EXPECT_EQ(data.graphs.targets(0)[0], 1);
  EXPECT_TRUE(std::isnan(data.graphs.targets(1)[0]));
  EXPECT_THAT(data.schema.classes, ElementsAre("cat", "dog"));
}

TEST_F(Reading, FewWholeNumbersAreStillNumbersForARegression) {
  const Model model = trained_on("{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":0.5}\n");
  const Dataset data = read_labelled(
      model,
      file("{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":4}\n" + "{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":7}\n"),
      {});
  EXPECT_EQ(data.schema.task, Task::kRegression);
  EXPECT_EQ(data.graphs.targets(0)[0], 4);
  EXPECT_EQ(data.graphs.targets(1)[0], 7);
}

TEST_F(Reading, SeveralTargetsAreFoundByNameInAnyOrder) {
  Schema schema = read_data(file(labelled_), {}).schema;
  schema.task = Task::kRegression;
  schema.classes.clear();
  schema.targets = {"y1", "y0"};
  const Model model = small_model(schema);
  const Dataset data = read_labelled(model, file("{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":[0.5,8,9]}\n"), {});
  EXPECT_THAT(data.graphs.targets(0), ElementsAre(8, 0.5));
  expect_mismatch(model, "{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":0.5}\n",
                  "the model was trained to predict 'y1', 'y0'; the data has the targets 'y'", true);
}

TEST_F(Reading, MismatchesNameWhatDiffers) {
  const Model model = trained_on(labelled_);
  expect_mismatch(model, "{\"num_nodes\":2," + kEdge + "}\n",
                  "the model was trained on the node columns 'node_feat0' (categories); the data has 'constant' "
                  "(numbers)");
  expect_mismatch(model, "{\"node_feat\":[[1,5],[2,5]]," + kEdge + "}\n", "too much: 'node_feat1'");
  expect_mismatch(model, "{\"node_feat\":[[1],[2]]," + kEdge + ",\"edge_attr\":[[1],[2]]}\n",
                  "the model was trained on the edge columns none; the data has 'edge_attr0' (categories)");
  expect_mismatch(model, "{\"node_feat\":[[1],[2]]," + kEdge + "}\n", "has no targets to compare with", true);
  expect_mismatch(model, "{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":\"bird\"}\n",
                  "the model tells the classes 'cat', 'dog' apart; the data has the class 'bird'", true);
  expect_mismatch(model, "{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":0.25}\n", "the data has numbers, such as '0.25'",
                  true);
  expect_mismatch(model, "{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":[1,0]}\n", "the data has the targets 'y0', 'y1'",
                  true);
  const Model numbers = trained_on("{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":0.5}\n");
  expect_mismatch(numbers, labelled_, "the model predicts numbers, but target 'y' has the value 'cat'", true);
  const Model questions = trained_on("{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":[1,0]}\n");
  expect_mismatch(questions, "{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":[1,0.5]}\n",
                  "the model answers yes/no questions, but target 'y1' has the value 0.5", true);
}

TEST_F(Reading, ColumnsOfWhichOnlySomeNamesAgreeAreAMismatch) {
  const Model model = small_model(read_data(tables("train", "charge,mass"), {}).schema);
  for (const bool labelled : {false, true}) {
    const std::string source = tables("other", "mass,radius");
    const Refusal refusal = refusal_of(
        [&] { static_cast<void>(labelled ? read_labelled(model, source, {}) : read_for_model(model, source, {})); });
    EXPECT_EQ(refusal.kind, ErrorKind::kMismatch);
    EXPECT_EQ(refusal.message,
              "the model was trained on the node columns 'charge' (numbers), 'mass' (numbers); the data has 'mass' "
              "(numbers), 'radius' (numbers); missing: 'charge'; too much: 'radius'");
  }
}

TEST_F(Reading, ColumnsAreFoundByNameInAnyOrderWithoutANote) {
  const Model model = small_model(read_data(tables("train", "charge,mass"), {}).schema);
  UnseenValues unseen;
  const Dataset turned = read_for_model(model, tables("turned", "mass,charge"), {}, &unseen);
  EXPECT_THAT(numbers_of_node(turned, 0), ElementsAre(1.5F, 0.5F));
  EXPECT_THAT(unseen.by_place, IsEmpty());
  const std::string mapped = folder_ / "set.agentset";
  write_data(read_data(tables("turned", "mass,charge"), {}), mapped);
  EXPECT_THAT(numbers_of_node(read_labelled(model, mapped, {}, &unseen), 1), ElementsAre(3.5F, 2.5F));
  EXPECT_THAT(unseen.by_place, IsEmpty());
}

TEST_F(Reading, ColumnsOfWhichNoNameAgreesAreTakenByTheirPlacesAndThatIsTold) {
  const Model model = small_model(read_data(tables("train", "charge,mass"), {}).schema);
  UnseenValues unseen;
  const Dataset data = read_for_model(model, tables("other", "q,m"), {}, &unseen);
  EXPECT_THAT(numbers_of_node(data, 0), ElementsAre(0.5F, 1.5F));
  EXPECT_EQ(data.schema.nodes, schema_of(model).nodes);
  EXPECT_THAT(unseen.by_place,
              ElementsAre("the model's node columns 'charge', 'mass' are taken from 'q', 'm', by their places"));

  DataOptions asked;
  asked.format = "gin";
  const std::string gin = file("1\n2 dog\n1 1 1\n3 1 0\n", "new.txt");
  EXPECT_EQ(read_labelled(trained_on(labelled_), gin, asked, &unseen).graphs.targets(0)[0], 1);
  EXPECT_THAT(unseen.by_place, ElementsAre("the model's node column 'node_feat0' is taken from 'tag', by its place",
                                           "the model's target column 'y' is taken from 'class', by its place"));
}

TEST_F(Reading, AComputedColumnStandsForNoOther) {
  const std::string bare = "{\"num_nodes\":2," + kEdge + ",\"y\":1.5}\n";
  const std::string numbers = "{\"node_feat\":[[0.5],[2]]," + kEdge + ",\"y\":1.5}\n";
  expect_mismatch(
      trained_on(numbers), bare,
      "the model was trained on the node columns 'node_feat0' (numbers); the data has 'constant' (numbers)");
  expect_mismatch(
      trained_on(bare), numbers,
      "the model was trained on the node columns 'constant' (numbers); the data has 'node_feat0' (numbers)");
  DataOptions options;
  options.degree = true;
  Model degrees = trained_on(bare, options);
  degrees.card().reading = "";
  expect_mismatch(degrees, labelled_,
                  "the model was trained on the node columns 'degree' (categories); the data has 'node_feat0' "
                  "(categories)");
}

TEST_F(Reading, ComputedColumnsKeepTheirNamesBesideOthersThatAreFoundByPlace) {
  DataOptions options;
  options.degree = true;
  const Model model = trained_on(labelled_, options);
  UnseenValues unseen;
  const Dataset data = read_for_model(model, file("1\n2 0\n1 1 1\n3 1 0\n", "new.txt"), {}, &unseen);
  EXPECT_THAT(data.graphs.view(0).node_categories.row(0), ElementsAre(0, 0));
  EXPECT_THAT(data.graphs.view(0).node_categories.row(1), ElementsAre(2, 0));
  EXPECT_THAT(unseen.by_place, ElementsAre("the model's node column 'node_feat0' is taken from 'tag', by its place"));
}

TEST_F(Reading, WordsWhereTheModelReadsNumbersAreAMismatch) {
  const Model model = trained_on("{\"node_feat\":[[0.5],[2]]," + kEdge + ",\"y\":1.5}\n");
  const std::string words = "{\"node_feat\":[[\"a\"],[\"b\"]]," + kEdge + ",\"y\":1.5}\n";
  for (const bool labelled : {false, true}) {
    expect_mismatch(
        model, words,
        "the model was trained on numbers where the data has words: " + (folder_ / "set.jsonl").string() + ":1:",
        labelled);
  }
  const auto kind_of_refusal = [&](const std::string& text, const DataOptions& asked = {}) {
    return refusal_of([&] { static_cast<void>(read_for_model(model, file(text), asked)); }).kind;
  };
  EXPECT_EQ(kind_of_refusal("{\"node_feat\":[[null],[2]]," + kEdge + "}\n"), ErrorKind::kData);
  EXPECT_EQ(kind_of_refusal("{\"node_feat\":[[0.5],[\"a\"]]," + kEdge + "}\n"), ErrorKind::kData) << "a slip";
  EXPECT_EQ(kind_of_refusal(words + "{\"node_feat\":"), ErrorKind::kData) << "it cannot be read as words either";
  DataOptions asked;
  asked.node_features = FeatureKind::kDense;
  EXPECT_EQ(kind_of_refusal(words, asked), ErrorKind::kData) << "the user says that these are numbers";
}

TEST_F(Reading, TargetsThatOnlyTheModelNamesAreAMismatchWhereTheyAreMissing) {
  DataOptions options;
  options.targets = {"act"};
  const Model lines = trained_on("{\"node_feat\":[[1],[2]]," + kEdge + ",\"act\":0.5}\n", options);
  expect_mismatch(lines, labelled_, "has no target 'act'", true);
  DataOptions asked;
  asked.targets = {"act"};
  const std::string source = file(labelled_);
  EXPECT_EQ(refusal_of([&] { static_cast<void>(read_labelled(lines, source, asked)); }).kind, ErrorKind::kUsage);

  options.targets = {"y"};
  const Model of_tables = small_model(read_data(tables("train", "charge,mass"), options).schema, options);
  const std::string other = tables("other", "charge,mass");
  file("graph,z\n1,cat\n", "other/graphs.csv");
  const Refusal refusal = refusal_of([&] { static_cast<void>(read_labelled(of_tables, other, {})); });
  EXPECT_EQ(refusal.kind, ErrorKind::kMismatch);
  EXPECT_THAT(refusal.message, HasSubstr("has no column 'y'"));

  options = {};
  options.task = Task::kRegression;
  const Model numbers = trained_on("{\"node_feat\":[[1],[2]]," + kEdge + ",\"y\":4}\n", options);
  expect_mismatch(numbers, "{\"node_feat\":[[1],[2]]," + kEdge + "}\n", "has no targets", true);
}

TEST_F(Reading, TheHintNamesTheOptionThatAddsAMissingColumn) {
  DataOptions options;
  options.degree = true;
  Model model = trained_on(labelled_, options);
  model.card().reading = "";
  try {
    static_cast<void>(read_for_model(model, file(labelled_), {}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.hint().c_str(), "--degree adds the column 'degree'");
  }
}

TEST_F(Reading, AModelWithoutOrWithAWrongSchemaSaysSo) {
  Model model = trained_on(labelled_);
  model.card().schema = "{";
  EXPECT_EQ(refusal_of([&] { static_cast<void>(schema_of(model)); }).kind, ErrorKind::kData);
  model.card().schema = schema_to_json(Schema{});
  EXPECT_THAT(refusal_of([&] { static_cast<void>(schema_of(model)); }).message, HasSubstr("than its weights"));
  model.card().schema = "";
  EXPECT_EQ(refusal_of([&] { static_cast<void>(schema_of(model)); }).kind, ErrorKind::kMismatch);
  EXPECT_EQ(task_of(model), Task::kClassification);
}

TEST_F(Reading, GinTagsStayWhereAModelReadsThem) {
  const std::string train = file("2\n2 0\n0 1 1\n1 1 0\n1 1\n2 0\n", "train.txt");
  const Model model = small_model(read_data(train, {}).schema);
  const Dataset data = read_for_model(model, file("1\n2 0\n1 1 1\n1 1 0\n", "new.txt"), {});
  EXPECT_EQ(data.schema.nodes, schema_of(model).nodes);
}

// Only headers are looked at: these tests need no RDKit.
class CardColumns : public Reading {
 protected:
  CardColumns() {
    DataOptions options;
    options.id_column = "name";
    options.smiles_column = "structure";
    model_ = std::make_unique<Model>(trained_on(labelled_, options));
  }
  DataOptions read_with(const std::string& source, const DataOptions& asked = {}) {
    return reading_options_for(*model_, source, asked, WithTargets::kNo);
  }
  std::unique_ptr<Model> model_;
};

TEST_F(CardColumns, HoldWhereTheTableHasThem) {
  const DataOptions reading = read_with(file("Name,structure,smiles\nx,CC,CC\n", "new.csv"));
  EXPECT_EQ(reading.id_column, "name");
  EXPECT_EQ(reading.smiles_column, "structure");
  std::filesystem::create_directory(folder_ / "three");
  for (const char* name : {"three/graphs.csv", "three/nodes.csv", "three/edges.csv"}) file("graph,name\nx,y\n", name);
  EXPECT_EQ(read_with(folder_ / "three").id_column, "name");
}

TEST_F(CardColumns, GiveWayToTheUsualNamesWhereItHasNot) {
  const DataOptions without_id = read_with(file("structure,mass\nCC,30\n", "new.csv"));
  EXPECT_EQ(without_id.id_column, "");
  EXPECT_EQ(without_id.smiles_column, "structure");
  const DataOptions usual = read_with(file("name,SMILES\nx,CC\n", "new.csv"));
  EXPECT_EQ(usual.id_column, "name");
  EXPECT_EQ(usual.smiles_column, "");
  std::filesystem::create_directory(folder_ / "three");
  for (const char* name : {"three/graphs.csv", "three/nodes.csv", "three/edges.csv"}) file("graph,y\nx,1\n", name);
  EXPECT_EQ(read_with(folder_ / "three").id_column, "");
}

TEST_F(CardColumns, OfJsonLinesHoldForEachLine) {
  const std::string graph = "{\"node_feat\": [[3]], \"edge_index\": [[], []]";
  const std::string source =
      file(graph + ", \"name\": \"x\"}\n" + graph + ", \"id\": \"y\"}\n" + graph + "}\n", "new.jsonl");
  const Dataset data = read_data(source, read_with(source));
  EXPECT_EQ(data.graphs.id(0), "x");
  EXPECT_EQ(data.graphs.id(1), "y");
  EXPECT_EQ(data.graphs.id(2), "");
}

TEST_F(CardColumns, DoNotMakeATableOfAnyText) {
  const std::string source = file("hello world foo\nbar\n", "odd.txt");
  EXPECT_THAT(refusal_of([&] { static_cast<void>(read_for_model(*model_, source, {})); }).message,
              HasSubstr("cannot tell the format"));
}

TEST_F(CardColumns, AreNoReasonToRefuseGraphsThatAreNoTable) {
  EXPECT_EQ(read_for_model(*model_, file(labelled_), {}).graphs.size(), 2U);
}

TEST_F(CardColumns, ATableWithoutAnySmilesIsAMismatch) {
  const std::string source = file("code,mass\nx,30\n", "new.csv");
  for (const char* format : {"", "smiles"}) {
    DataOptions asked;
    asked.format = format;
    const Refusal refusal = refusal_of([&] { static_cast<void>(read_with(source, asked)); });
    EXPECT_EQ(refusal.kind, ErrorKind::kMismatch);
    EXPECT_EQ(refusal.message, "the model was trained with SMILES from column 'structure', which " + source +
                                   " lacks; its columns are code, mass");
  }
  EXPECT_THAT(refusal_of([&] { static_cast<void>(read_for_model(*model_, file("\x80\x81\n", "odd"), {})); }).message,
              HasSubstr("cannot tell the format of"));
}

TEST_F(CardColumns, ATableWithoutTheTargetsIsAMismatch) {
  DataOptions options;
  options.targets = {"active"};
  const Model model = trained_on("{\"node_feat\":[[1],[2]]," + kEdge + ",\"active\":\"cat\"}\n", options);
  const std::string source = file("smiles,mass\nCC,30\n", "new.csv");
  const auto read = [&](const DataOptions& asked) {
    return reading_options_for(model, source, asked, WithTargets::kYes).targets;
  };
  const Refusal refusal = refusal_of([&] { static_cast<void>(read({})); });
  EXPECT_EQ(refusal.kind, ErrorKind::kMismatch);
  EXPECT_EQ(refusal.message, "the model was trained to predict 'active', but " + source +
                                 " has no such column; columns are smiles, mass");
  DataOptions asked;
  asked.targets = {"mass"};
  EXPECT_THAT(read(asked), ElementsAre("mass"));
  file("smiles,Active\nCC,cat\n", "new.csv");
  EXPECT_THAT(read({}), ElementsAre("active"));
}

TEST_F(CardColumns, WhatTheUserNamesStaysADemand) {
  DataOptions asked;
  asked.id_column = "label";
  asked.smiles_column = "molecule";
  const DataOptions reading = read_with(file("smiles,mass\nCC,30\n", "new.csv"), asked);
  EXPECT_EQ(reading.id_column, "label");
  EXPECT_EQ(reading.smiles_column, "molecule");
  EXPECT_EQ(refusal_of([&] { static_cast<void>(read_for_model(*model_, folder_ / "new.csv", asked)); }).kind,
            ErrorKind::kUsage);
}

TEST_F(Reading, OutputsAreNamedByClassesOrTargets) {
  EXPECT_THAT(output_names(trained_on(labelled_)), ElementsAre("cat", "dog"));
  EXPECT_THAT(output_names(trained_on("{\"num_nodes\":2,\"y\":[0.5,1]}\n")), ElementsAre("y0", "y1"));
  EXPECT_THAT(output_names(trained_on("{\"num_nodes\":2,\"y\":\"cat\"}\n")), ElementsAre("cat", "output1"));
}

}  // namespace
}  // namespace agentnet
