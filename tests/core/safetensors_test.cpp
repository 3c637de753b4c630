#include "core/files/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "support/safetensors_bytes.h"
#include "support/shared_dir.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

SafetensorsFile parse(const std::vector<std::byte>& bytes) { return SafetensorsFile::parse(bytes, "test"); }

std::vector<std::string> names_of(const SafetensorsFile& file) {
  std::vector<std::string> names;
  for (const TensorInfo& tensor : file.tensors()) names.push_back(tensor.name);
  return names;
}

TEST(Safetensors, EmptyHeaderIsAFileWithoutTensors) {
  const auto bytes = file_bytes("{}");
  const SafetensorsFile file = parse(bytes);
  EXPECT_THAT(file.tensors(), IsEmpty());
  EXPECT_THAT(file.metadata(), IsEmpty());
  EXPECT_THAT(file.payload(), IsEmpty());
}

TEST(Safetensors, GivesNameTypeShapeAndBytesOfATensor) {
  const auto bytes = file_bytes("{" + entry("a.b", "U16", "[3,2]", "[0,12]") + "}", 12);
  const SafetensorsFile file = parse(bytes);
  ASSERT_EQ(file.tensors().size(), 1u);
  const TensorInfo& tensor = file.at("a.b");
  EXPECT_EQ(tensor.dtype, Dtype::kU16);
  EXPECT_THAT(tensor.shape, ElementsAre(3, 2));
  EXPECT_EQ(tensor.count(), 6u);
  EXPECT_THAT(tensor.copy<std::uint16_t>(), ElementsAre(0x0201, 0x0403, 0x0605, 0x0807, 0x0a09, 0x0c0b));
}

TEST(Safetensors, ListsTensorsInTheOrderOfTheirData) {
  const auto bytes = file_bytes("{" + entry("z", "U8", "[2]", "[3,5]") + "," + entry("m", "U8", "[]", "[2,3]") + "," +
                                    entry("a", "U8", "[1,2]", "[0,2]") + "}",
                                5);
  const SafetensorsFile file = parse(bytes);
  EXPECT_THAT(names_of(file), ElementsAre("a", "m", "z"));
  EXPECT_THAT(file.at("z").copy<std::uint8_t>(), ElementsAre(4, 5));
  EXPECT_EQ(file.payload().size(), 5u);
}

TEST(Safetensors, ScalarHasOneElementAndAZeroDimensionNone) {
  const auto bytes =
      file_bytes("{" + entry("none", "F64", "[4,0]", "[0,0]") + "," + entry("one", "U8", "[]", "[0,1]") + "}", 1);
  const SafetensorsFile file = parse(bytes);
  EXPECT_THAT(names_of(file), ElementsAre("none", "one"));
  EXPECT_EQ(file.at("none").count(), 0u);
  EXPECT_THAT(file.at("none").copy<double>(), IsEmpty());
  EXPECT_THAT(file.at("none").as<double>(), IsEmpty());
  EXPECT_EQ(file.at("one").count(), 1u);
}

TEST(Safetensors, ReadsMetadata) {
  const auto bytes = file_bytes(R"({"__metadata__":{"config":"{\"h\": 64}","caf\u00e9":"","a":"1"}})");
  EXPECT_THAT(parse(bytes).metadata(),
              ElementsAre(Pair("a", "1"), Pair("caf\xC3\xA9", ""), Pair("config", "{\"h\": 64}")));
}

TEST(Safetensors, TakesAnyJsonWhitespaceInsideAndSpacesBehindTheHeader) {
  const auto bytes =
      file_bytes("{ \n\t\"x\" : { \"shape\" : [ 1 ],\r \"data_offsets\":[0,1], \"dtype\":\"I8\"}}      ", 1);
  EXPECT_EQ(parse(bytes).at("x").count(), 1u);
}

TEST(Safetensors, TakesEveryDtypeOfTheFormatAndNamesItTheSame) {
  for (const auto& [name, size] : std::vector<std::pair<std::string, std::size_t>>{{"BOOL", 1},
                                                                                   {"U8", 1},
                                                                                   {"I8", 1},
                                                                                   {"I16", 2},
                                                                                   {"U16", 2},
                                                                                   {"F16", 2},
                                                                                   {"BF16", 2},
                                                                                   {"I32", 4},
                                                                                   {"U32", 4},
                                                                                   {"F32", 4},
                                                                                   {"F64", 8},
                                                                                   {"I64", 8},
                                                                                   {"U64", 8}}) {
    const auto bytes =
        file_bytes("{" + entry("x", name, "[3]", "[0," + std::to_string(3 * size) + "]") + "}", 3 * size);
    const SafetensorsFile file = parse(bytes);
    EXPECT_EQ(dtype_name(file.at("x").dtype), name);
    EXPECT_EQ(dtype_size(file.at("x").dtype), size);
  }
  EXPECT_EQ(dtype_from_name("f32"), std::nullopt);
}

TEST(Safetensors, FindGivesNullAndAtThrowsForAMissingTensor) {
  const auto bytes = file_bytes("{" + entry("x", "U8", "[1]", "[0,1]") + "}", 1);
  const SafetensorsFile file = parse(bytes);
  EXPECT_EQ(file.find("y"), nullptr);
  EXPECT_NE(file.find("x"), nullptr);
  try {
    static_cast<void>(file.at("y"));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_STREQ(error.what(), "test: there is no tensor 'y'");
  }
}

TEST(Safetensors, RefusesToReadATensorAsAnotherType) {
  const auto bytes = file_bytes("{" + entry("x", "F32", "[1]", "[0,4]") + "}", 4);
  const SafetensorsFile file = parse(bytes);
  for (const auto& read : std::vector<std::function<void()>>{[&] { static_cast<void>(file.at("x").as<double>()); },
                                                             [&] { static_cast<void>(file.at("x").copy<double>()); }}) {
    try {
      read();
      FAIL() << "no exception";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      EXPECT_STREQ(error.what(), "tensor 'x' holds F32, not F64");
    }
  }
}

TEST(Safetensors, CopiesATensorAtAnyAddressButShowsOnlyAlignedOnesInPlace) {
  const std::vector<float> values = {1.5f, -2.0f};
  const std::string header = "{" + entry("x", "F32", "[2]", "[0,8]") + "}";
  for (std::size_t padding = 0; padding < 4; ++padding) {
    auto bytes = file_bytes(header + std::string(padding, ' '), 8);
    std::memcpy(bytes.data() + bytes.size() - 8, values.data(), 8);
    const SafetensorsFile file = parse(bytes);
    const TensorInfo& tensor = file.at("x");
    EXPECT_EQ(tensor.copy<float>(), values);
    if (reinterpret_cast<std::uintptr_t>(tensor.data.data()) % alignof(float) == 0) {
      EXPECT_THAT(tensor.as<float>(), ElementsAre(1.5f, -2.0f));
    } else {
      EXPECT_THROW(static_cast<void>(tensor.as<float>()), Error);
    }
  }
}

TEST(Safetensors, OpensAFileAndOutlivesItsName) {
  const TempFolder folder;
  const std::vector<float> values = {1, 2, 3};
  write_safetensors(folder / "m", {{"x", Dtype::kF32, {3}, std::as_bytes(std::span(values))}}, {{"key", "value"}});
  SafetensorsFile file = SafetensorsFile::open(folder / "m");
  std::filesystem::remove(folder / "m");
  const SafetensorsFile moved = std::move(file);
  EXPECT_THAT(moved.at("x").as<float>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(moved.metadata(), ElementsAre(Pair("key", "value")));
  EXPECT_EQ(moved.source_name(), (folder / "m").string());
}

// Files that another program wrote.
TEST(Safetensors, ReadsTheGoldenFiles) {
  int files = 0;
  for (const auto& item : std::filesystem::directory_iterator(committed_golden_dir())) {
    if (item.path().extension() != ".safetensors") continue;
    const SafetensorsFile file = SafetensorsFile::open(item.path());
    EXPECT_NE(file.find("out.final"), nullptr) << item.path();
    EXPECT_TRUE(file.metadata().contains("config")) << item.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace agentnet
