// New data for a model: read as its training data was, and refused where it cannot be.
#include "infer/reading.h"

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
  EXPECT_THAT(refusal_of([&] { static_cast<void>(read_for_model(*model_, file("\xff\xfe\n", "odd"), {})); }).message,
              HasSubstr("cannot tell the format of"));
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
