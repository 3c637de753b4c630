// The ways in which a safetensors file can be bad, each with what the user gets to read.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/files/safetensors.h"
#include "support/safetensors_bytes.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

constexpr const char* kCut = "the file was cut short or is not a safetensors file: copy or download it again";
constexpr const char* kDamaged = "the file is damaged or not a safetensors file: copy or export it again";
constexpr const char* kWriter =
    "the program that wrote this file broke the format: export it again, e.g. with safetensors.torch";
constexpr const char* kWrong = "the header and the data disagree: copy or export the file again";
constexpr const char* kNoFile = "this is not a safetensors file, or its first bytes are damaged";
constexpr const char* kDtypes =
    "agentnet reads BOOL, U8, I8, U16, I16, F16, BF16, U32, I32, F32, U64, I64 and F64: convert the tensor";

struct BadFile {
  std::string name;
  std::vector<std::byte> bytes;
  std::string message;
  std::string hint;
};

std::ostream& operator<<(std::ostream& out, const BadFile& file) { return out << file.name; }

// A header of one tensor x of four bytes, of which one part is bad.
std::vector<std::byte> with_shape(const std::string& shape) {
  return file_bytes("{" + entry("x", "U8", shape, "[0,4]") + "}", 4);
}
std::vector<std::byte> with_offsets(const std::string& offsets) {
  return file_bytes("{" + entry("x", "U8", "[4]", offsets) + "}", 4);
}
std::vector<std::byte> with_dtype(const std::string& dtype) {
  return file_bytes("{" + entry("x", dtype, "[4]", "[0,4]") + "}", 4);
}
// Tensors a and b of four bytes each, at these places, in a payload of eight.
std::vector<std::byte> two_tensors(const std::string& a, const std::string& b, std::size_t payload = 8) {
  return file_bytes("{" + entry("a", "U8", "[4]", a) + "," + entry("b", "U8", "[4]", b) + "}", payload);
}

const std::string kGood = entry("x", "U8", "[4]", "[0,4]");

std::vector<BadFile> length_cases() {
  const std::vector<std::byte> empty, seven(7);
  return {
      {"EmptyFile", empty, "the file has 0 bytes, too few for the 8 of a safetensors header length", kCut},
      {"ShorterThanTheLengthField", seven, "the file has 7 bytes, too few for the 8 of a safetensors header length",
       kCut},
      {"HeaderAboveTheLimit", file_bytes("{}", 0, 100'000'001),
       "byte 0: a header of 100000001 bytes is announced, above the limit of 100000000", kNoFile},
      {"HeaderLengthWithAllBitsSet", file_bytes("{}", 0, ~std::uint64_t{0}),
       "byte 0: a header of 18446744073709551615 bytes is announced, above the limit of 100000000", kNoFile},
      {"HeaderLongerThanTheFile", file_bytes("{}", 0, 3),
       "byte 0: a header of 3 bytes is announced, but only 2 bytes follow", kCut},
      {"HeaderAtTheLimitButNotThere", file_bytes("{}", 0, 100'000'000),
       "byte 0: a header of 100000000 bytes is announced, but only 2 bytes follow", kCut},
      {"HeaderOfLengthZero", file_bytes("", 0), "byte 8: the header is empty", kDamaged},
  };
}

std::vector<BadFile> text_cases() {
  return {
      {"HeaderStartsWithASpace", file_bytes(" {}"), "byte 8: the header must start with '{', not ' '", kDamaged},
      {"HeaderStartsWithAByteOrderMark", file_bytes("\xEF\xBB\xBF{}"),
       "byte 8: the header must start with '{', not '\\xef'", kDamaged},
      {"HeaderIsAList", file_bytes("[]"), "byte 8: the header must start with '{', not '['", kDamaged},
      {"HeaderIsNotUtf8", file_bytes("{\"a\xFF\":1}"), "byte 11: the header is not valid UTF-8", kDamaged},
      {"HeaderHasAZeroByteAfterItsEnd", file_bytes(std::string("{}\0}", 4)), "byte 10: the header has a zero byte",
       kDamaged},
      {"HeaderHasAZeroByteInAName", file_bytes(std::string("{\"a\0b\":1}", 9)), "byte 11: the header has a zero byte",
       kDamaged},
      {"HeaderEndsInText", file_bytes("{} x"), "byte 11: the header must end with '}' and spaces, not 'x'", kDamaged},
      {"HeaderIsPaddedWithNewlines", file_bytes("{}\n"),
       "byte 10: the header must end with '}' and spaces, not '\\x0a'", kDamaged},
      {"HeaderIsFollowedByASecondObject", file_bytes("{}{}"), "byte 10: the header is not valid JSON at '{}{'",
       kDamaged},
      {"HeaderIsCutInTheMiddle", file_bytes("{\"x\":}"), "byte 13: the header is not valid JSON at '{\"x\":}'",
       kDamaged},
      {"HeaderHasATrailingComma", file_bytes("{" + kGood + ",}", 4),
       "byte 61: the header is not valid JSON at 'ffsets\":[0,4]},}'", kDamaged},
      {"HeaderHasAComment", file_bytes("{/**/}"), "byte 9: the header is not valid JSON at '{/'", kDamaged},
      {"HeaderHasAHalfSurrogate", file_bytes(R"({"\ud800":1})"),
       "byte 16: the header is not valid JSON at '{\"\\ud800\"'", kDamaged},
      {"HeaderHasANumberBeyondAllBounds", with_shape("[1e999]"),
       "byte 40: the header is not valid JSON at '\",\"shape\":[1e999'", kDamaged},
  };
}

std::vector<BadFile> form_cases() {
  return {
      {"TensorListedTwice", file_bytes("{" + kGood + "," + entry("x", "U8", "[4]", "[4,8]") + "}", 8),
       "the header lists 'x' twice", kWriter},
      {"TensorListedTwiceUnderAnEscapedName",
       file_bytes("{" + kGood + "," + entry("\\u0078", "U8", "[4]", "[4,8]") + "}", 8), "the header lists 'x' twice",
       kWriter},
      {"MetadataGivenTwice", file_bytes(R"({"__metadata__":{},"__metadata__":{}})"),
       "the header lists '__metadata__' twice", kWriter},
      {"MetadataKeyGivenTwice", file_bytes(R"({"__metadata__":{"a":"1","a":"2"}})"), "the metadata has 'a' twice",
       kWriter},
      {"MetadataValueIsANumber", file_bytes(R"({"__metadata__":{"a":1}})"),
       "the metadata 'a' must be a text, not a number", kWriter},
      {"MetadataValueIsAnObject", file_bytes(R"({"__metadata__":{"a":{}}})"),
       "the metadata 'a' must be a text, not an object", kWriter},
      {"MetadataValueIsNull", file_bytes(R"({"__metadata__":{"a":null}})"), "the metadata 'a' must be a text, not null",
       kWriter},
      {"MetadataIsAList", file_bytes(R"({"__metadata__":[]})"), "__metadata__ must be an object, not a list", kWriter},
      {"MetadataIsAText", file_bytes(R"({"__metadata__":"a"})"), "__metadata__ must be an object, not a text", kWriter},
      {"TensorIsAList", file_bytes(R"({"x":["U8",[4],[0,4]]})"),
       "tensor 'x' must be an object with dtype, shape and data_offsets, not a list", kWriter},
      {"TensorIsANumber", file_bytes(R"({"x":-1.5})"),
       "tensor 'x' must be an object with dtype, shape and data_offsets, not a number", kWriter},
      {"TensorIsTrue", file_bytes(R"({"x":true})"),
       "tensor 'x' must be an object with dtype, shape and data_offsets, not true", kWriter},
      {"DtypeIsMissing", file_bytes(R"({"x":{"shape":[4],"data_offsets":[0,4]}})", 4), "tensor 'x' has no \"dtype\"",
       kWriter},
      {"ShapeIsMissing", file_bytes(R"({"x":{"dtype":"U8","data_offsets":[0,4]}})", 4), "tensor 'x' has no \"shape\"",
       kWriter},
      {"OffsetsAreMissing", file_bytes(R"({"x":{"dtype":"U8","shape":[4]}})", 4), "tensor 'x' has no \"data_offsets\"",
       kWriter},
      {"ShapeGivenTwice", file_bytes(R"({"x":{"dtype":"U8","shape":[4],"shape":[4],"data_offsets":[0,4]}})", 4),
       "tensor 'x' has 'shape' twice", kWriter},
      {"UnknownKey", file_bytes(R"({"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"strides":[1]}})", 4),
       "tensor 'x' has an unknown key 'strides'; expected dtype, shape and data_offsets", kWriter},
  };
}

std::vector<BadFile> type_cases() {
  return {
      {"UnknownDtype", with_dtype("C64"), "tensor 'x' has the unknown dtype 'C64'", kDtypes},
      {"DtypeInLowerCase", with_dtype("u8"), "tensor 'x' has the unknown dtype 'u8'", kDtypes},
      {"DtypeOfLaterVersions", with_dtype("F8_E4M3"), "tensor 'x' has the unknown dtype 'F8_E4M3'", kDtypes},
      {"DtypeIsANumber", file_bytes(R"({"x":{"dtype":8,"shape":[4],"data_offsets":[0,4]}})", 4),
       "tensor 'x': dtype must be a text, not a number", kWriter},
      {"DtypeIsAList", file_bytes(R"({"x":{"dtype":[8],"shape":[4],"data_offsets":[0,4]}})", 4),
       "tensor 'x': dtype must be a text, not a list", kWriter},
      {"ShapeIsANumber", with_shape("4"), "tensor 'x': shape must be a list of numbers, not a number", kWriter},
      {"ShapeIsNull", with_shape("null"), "tensor 'x': shape must be a list of numbers, not null", kWriter},
      {"ShapeIsNested", with_shape("[[4]]"), "tensor 'x': shape must hold numbers only, not a list", kWriter},
      {"ShapeHoldsAText", with_shape("[\"4\"]"), "tensor 'x': shape must hold numbers only, not a text", kWriter},
      {"ShapeHoldsFalse", with_shape("[false]"), "tensor 'x': shape must hold numbers only, not false", kWriter},
      {"ShapeIsNegative", with_shape("[-4]"), "tensor 'x': shape must hold whole numbers from 0 to 2^64 - 1, not -4",
       kWriter},
      {"ShapeIsAFraction", with_shape("[4.0]"), "tensor 'x': shape must hold whole numbers from 0 to 2^64 - 1, not 4.0",
       kWriter},
      {"ShapeIsBeyond64Bits", with_shape("[18446744073709551616]"),
       "tensor 'x': shape must hold whole numbers from 0 to 2^64 - 1, not 18446744073709551616", kWriter},
      {"OffsetsAreNegative", with_offsets("[-4,0]"),
       "tensor 'x': data_offsets must hold whole numbers from 0 to 2^64 - 1, not -4", kWriter},
      {"OneOffset", with_offsets("[4]"), "tensor 'x': data_offsets must be two numbers, [begin, end], not 1", kWriter},
      {"ThreeOffsets", with_offsets("[0,2,4]"), "tensor 'x': data_offsets must be two numbers, [begin, end], not 3",
       kWriter},
  };
}

std::vector<BadFile> place_cases() {
  return {
      {"OffsetsAreSwapped", with_offsets("[4,0]"), "tensor 'x': data_offsets [4, 0] end before they begin", kWrong},
      {"ShapeTakesFewerBytes", with_shape("[3]"),
       "tensor 'x': shape [3] of U8 takes 3 bytes, but data_offsets [0, 4] span 4", kWrong},
      {"ShapeTakesMoreBytes", file_bytes("{" + entry("x", "F32", "[1, 2]", "[0,4]") + "}", 4),
       "tensor 'x': shape [1, 2] of F32 takes 8 bytes, but data_offsets [0, 4] span 4", kWrong},
      {"ShapeProductWrapsToTheRightSize", with_shape("[4294967296,4294967296,4]"),
       "tensor 'x': shape [4294967296, 4294967296, 4] of U8 has more than 2^64 bytes", kWrong},
      {"ShapeProductWrapsBeforeAZero", file_bytes("{" + entry("x", "U8", "[9223372036854775808,2,0]", "[0,0]") + "}"),
       "tensor 'x': shape [9223372036854775808, 2, 0] of U8 has more than 2^64 bytes", kWrong},
      {"ByteCountWraps", file_bytes("{" + entry("x", "F64", "[2305843009213693952]", "[0,0]") + "}"),
       "tensor 'x': shape [2305843009213693952] of F64 has more than 2^64 bytes", kWrong},
      {"HoleBeforeTheFirstTensor", with_offsets("[1,5]"), "data bytes 0 to 0, before tensor 'x', belong to no tensor",
       kWrong},
      {"HoleBetweenTensors", two_tensors("[0,4]", "[6,10]", 10),
       "data bytes 4 to 5, before tensor 'b', belong to no tensor", kWrong},
      {"TensorsOverlap", two_tensors("[0,4]", "[3,7]", 7),
       "tensor 'b' begins at data byte 3, inside tensor 'a', which ends at 4", kWrong},
      {"TensorsShareTheirBytes", two_tensors("[0,4]", "[0,4]", 4),
       "tensor 'b' begins at data byte 0, inside tensor 'a', which ends at 4", kWrong},
      {"EmptyTensorInsideAnother", file_bytes("{" + kGood + "," + entry("e", "U8", "[0]", "[2,2]") + "}", 4),
       "tensor 'e' begins at data byte 2, inside tensor 'x', which ends at 4", kWrong},
      {"PayloadCutShort", two_tensors("[0,4]", "[4,8]", 7),
       "tensor 'b' ends at data byte 8, but the file has only 7 bytes of data", kCut},
      {"PayloadMissing", two_tensors("[0,4]", "[4,8]", 0),
       "tensor 'b' ends at data byte 8, but the file has only 0 bytes of data", kCut},
      {"BytesAfterTheLastTensor", two_tensors("[0,4]", "[4,8]", 9),
       "the tensors end at data byte 8, but the file has 9 bytes of data", kWrong},
      {"BytesWithoutAnyTensor", file_bytes("{}", 3), "the tensors end at data byte 0, but the file has 3 bytes of data",
       kWrong},
      {"TensorFarBeyondTheFile",
       file_bytes("{" + entry("x", "U8", "[18446744073709551615]", "[0,18446744073709551615]") + "}", 4),
       "tensor 'x' ends at data byte 18446744073709551615, but the file has only 4 bytes of data", kCut},
      {"NameWithAnEscapeSequence", file_bytes(R"({"\u001b[31m":1})"),
       "tensor '\\x1b[31m' must be an object with dtype, shape and data_offsets, not a number", kWriter},
  };
}

class BadSafetensors : public testing::TestWithParam<BadFile> {};

const auto kName = [](const testing::TestParamInfo<BadFile>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Length, BadSafetensors, testing::ValuesIn(length_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Text, BadSafetensors, testing::ValuesIn(text_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Form, BadSafetensors, testing::ValuesIn(form_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Type, BadSafetensors, testing::ValuesIn(type_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Place, BadSafetensors, testing::ValuesIn(place_cases()), kName);

TEST_P(BadSafetensors, IsRefusedWithAReason) {
  const BadFile& bad = GetParam();
  try {
    static_cast<void>(SafetensorsFile::parse(bad.bytes, "m.safetensors"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_EQ(error.what(), "m.safetensors: " + bad.message);
    EXPECT_EQ(error.hint(), bad.hint);
  }
}

TEST(BadSafetensorsFile, IsNamedInTheMessage) {
  const TempFolder folder;
  write_text(folder / "m", "no");
  try {
    static_cast<void>(SafetensorsFile::open(folder / "m"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              (folder / "m").string() + ": the file has 2 bytes, too few for the 8 of a safetensors header length");
  }
}

TEST(BadSafetensorsFile, IsRefusedWhereverItWasCut) {
  const std::vector<std::byte> whole = two_tensors("[0,4]", "[4,8]");
  static_cast<void>(SafetensorsFile::parse(whole, "whole"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(static_cast<void>(SafetensorsFile::parse(std::span(whole).first(length), "cut")), Error) << length;
  }
}

}  // namespace
}  // namespace agentnet
