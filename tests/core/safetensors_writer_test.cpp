#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/files/safetensors.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::ElementsAre;

template <class T>
TensorData tensor(const std::string& name, const std::vector<T>& values, std::vector<std::uint64_t> shape) {
  return {name, kDtypeOf<T>, std::move(shape), std::as_bytes(std::span(values))};
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const std::vector<float> kSix = {0, 1, 2, 3, 4, 5};

TEST(SafetensorsWriter, WritesTheBytesOfTheReferenceCrate) {
  // Lengths, key order and padding as the crate's own tests pin them down.
  EXPECT_EQ(text_of(serialize_safetensors({}, {})), std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
  EXPECT_EQ(text_of(serialize_safetensors({}, {{"framework", "pt"}})),
            std::string("\x28\0\0\0\0\0\0\0", 8) + R"({"__metadata__":{"framework":"pt"}})" + "     ");
  const std::string payload(reinterpret_cast<const char*>(kSix.data()), 24);
  EXPECT_EQ(text_of(serialize_safetensors({tensor("attn.0", kSix, {1, 2, 3})}, {})),
            std::string("\x40\0\0\0\0\0\0\0", 8) +
                R"({"attn.0":{"dtype":"F32","shape":[1,2,3],"data_offsets":[0,24]}})" + payload);
  EXPECT_EQ(text_of(serialize_safetensors({tensor("attn0", kSix, {1, 1, 2, 3})}, {})),
            std::string("\x48\0\0\0\0\0\0\0", 8) +
                R"({"attn0":{"dtype":"F32","shape":[1,1,2,3],"data_offsets":[0,24]}})" + "       " + payload);
}

TEST(SafetensorsWriter, PutsLargerTypesFirstThenSortsByName) {
  const std::vector<std::uint8_t> u8 = {1};
  const std::vector<float> f32 = {1};
  const std::vector<double> f64 = {1};
  const std::vector<std::int64_t> i64 = {1};
  const auto bytes = serialize_safetensors(
      {tensor("a", u8, {}), tensor("c", f32, {}), tensor("b", f32, {}), tensor("y", f64, {}), tensor("z", i64, {})},
      {});
  const SafetensorsFile file = SafetensorsFile::parse(bytes, "test");
  std::vector<std::string> names;
  for (const TensorInfo& info : file.tensors()) names.push_back(info.name);
  EXPECT_THAT(names, ElementsAre("z", "y", "b", "c", "a"));
}

TEST(SafetensorsWriter, PayloadFollowsTheAnnouncedOrder) {
  const std::vector<std::uint8_t> small = {7};
  std::vector<TensorData> tensors = {tensor("a", small, {1}), tensor("b", kSix, {6})};
  const auto bytes = serialize_safetensors(tensors, {});
  sort_as_written(tensors);
  std::vector<std::byte> expected;
  for (const TensorData& data : tensors) expected.insert(expected.end(), data.bytes.begin(), data.bytes.end());
  const SafetensorsFile file = SafetensorsFile::parse(bytes, "test");
  EXPECT_TRUE(std::ranges::equal(file.payload(), expected));
}

TEST(SafetensorsWriter, EscapesNamesAndTextsSoThatTheyComeBack) {
  const std::string odd = "quote\" back\\slash \n\t\x01 d\xC3\xA9j\xC3\xA0";
  const auto bytes = serialize_safetensors({tensor(odd, kSix, {6})}, {{odd, odd}});
  const SafetensorsFile file = SafetensorsFile::parse(bytes, "test");
  EXPECT_NE(file.find(odd), nullptr);
  EXPECT_EQ(file.metadata().at(odd), odd);
}

// Random tensors of every type, with some empty and some scalar.
rc::Gen<std::map<std::string, std::pair<Dtype, std::vector<std::uint64_t>>>> some_tensors() {
  const auto name = rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc._ \"\\")));
  const auto dtype = rc::gen::map(rc::gen::inRange(0, 13), [](int i) { return static_cast<Dtype>(i); });
  const auto shape = rc::gen::resize(4, rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange(0, 4)));
  return rc::gen::container<std::map<std::string, std::pair<Dtype, std::vector<std::uint64_t>>>>(
      name, rc::gen::pair(dtype, shape));
}

RC_GTEST_PROP(SafetensorsWriter, WhatIsWrittenIsReadBackAndAligned, ()) {
  const auto wanted = *some_tensors();
  std::vector<std::vector<std::byte>> storage;
  std::vector<TensorData> tensors;
  for (const auto& [name, type] : wanted) {
    std::uint64_t size = dtype_size(type.first);
    for (const std::uint64_t dimension : type.second) size *= dimension;
    storage.emplace_back(size);
    for (std::byte& byte : storage.back()) byte = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
    tensors.push_back({name, type.first, type.second, storage.back()});
  }
  const std::map<std::string, std::string> metadata = {{"a", "b"}};
  const auto bytes = serialize_safetensors(tensors, metadata);
  const SafetensorsFile file = SafetensorsFile::parse(bytes, "test");
  RC_ASSERT(file.metadata() == metadata);
  RC_ASSERT(file.tensors().size() == tensors.size());
  for (const TensorData& data : tensors) {
    const TensorInfo& info = file.at(data.name);
    RC_ASSERT(info.dtype == data.dtype);
    RC_ASSERT(info.shape == data.shape);
    RC_ASSERT(std::ranges::equal(info.data, data.bytes));
    RC_ASSERT(static_cast<std::size_t>(info.data.data() - bytes.data()) % dtype_size(info.dtype) == 0u);
  }
  std::reverse(tensors.begin(), tensors.end());
  RC_ASSERT(serialize_safetensors(tensors, metadata) == bytes);
}

TEST(SafetensorsWriter, FileHoldsTheSerializedBytes) {
  const TempFolder folder;
  const std::vector<TensorData> tensors = {tensor("x", kSix, {2, 3})};
  write_safetensors(folder / "m", tensors, {{"a", "b"}});
  EXPECT_EQ(read_text(folder / "m"), text_of(serialize_safetensors(tensors, {{"a", "b"}})));
}

void expect_refusal(const std::vector<TensorData>& tensors, const std::map<std::string, std::string>& metadata,
                    const std::string& message) {
  const TempFolder folder;
  write_text(folder / "m", "old");
  for (const bool to_file : {false, true}) {
    try {
      if (to_file) {
        write_safetensors(folder / "m", tensors, metadata);
      } else {
        static_cast<void>(serialize_safetensors(tensors, metadata));
      }
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(error.what(), message);
    }
  }
  EXPECT_EQ(read_text(folder / "m"), "old");
}

TEST(SafetensorsWriter, RefusesANameGivenTwice) {
  expect_refusal({tensor("x", kSix, {6}), tensor("x", kSix, {6})}, {},
                 "cannot write tensor 'x': its name is already taken");
}

TEST(SafetensorsWriter, RefusesTheNameOfTheMetadata) {
  expect_refusal({tensor("__metadata__", kSix, {6})}, {},
                 "cannot write tensor '__metadata__': its name is already taken");
}

TEST(SafetensorsWriter, RefusesBytesThatDoNotFitTheShape) {
  expect_refusal({tensor("x", kSix, {5})}, {}, "cannot write tensor 'x': shape [5] of F32 does not take 24 bytes");
  expect_refusal({tensor("x", kSix, {std::uint64_t{1} << 62, 4})}, {},
                 "cannot write tensor 'x': shape [4611686018427387904, 4] of F32 does not take 24 bytes");
}

TEST(SafetensorsWriter, RefusesTextThatIsNotUtf8) {
  expect_refusal({tensor("x\xFF", kSix, {6})}, {}, "cannot write 'x\\xff' to a safetensors file: it is not UTF-8");
  expect_refusal({}, {{"key", "\xC3"}}, "cannot write '\\xc3' to a safetensors file: it is not UTF-8");
}

TEST(SafetensorsWriter, RefusesAHeaderThatNoReaderTakes) {
  std::string endless;
  endless.resize(100'000'000, ' ');
  expect_refusal({}, {{"a", endless}}, "cannot write a safetensors header above the limit of 100000000 bytes");
}

}  // namespace
}  // namespace agentnet
