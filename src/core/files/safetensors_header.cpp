#include "core/files/safetensors_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "agentnet/error.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr std::string_view kMetadataKey = "__metadata__";
constexpr const char* kDamagedHint = "the file is damaged or not a safetensors file: copy or export it again";
constexpr const char* kWriterHint =
    "the program that wrote this file broke the format: export it again, e.g. with safetensors.torch";

// Follows the JSON event by event, because a parser that builds a tree keeps the last of two equal names
// and says nothing. Depth 1 is the header, 2 the metadata or a tensor, 3 a list of numbers in a tensor.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  HeaderReader(std::string_view json, const std::string& source) : json_(json), source_(source) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t /*elements*/) override {
    if (place_ == Place::kOutside) {
      place_ = Place::kHeader;
      return true;
    }
    if (place_ != Place::kHeader) unexpected("an object");
    if (key_ == kMetadataKey) {
      place_ = Place::kMetadata;
    } else {
      place_ = Place::kTensor;
      header_.entries.emplace_back().name = key_;
    }
    keys_.clear();
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor) {
      for (const char* key : {"dtype", "shape", "data_offsets"}) {
        if (!keys_.contains(key)) fail(fmt::format("{} has no \"{}\"", tensor(), key));
      }
    }
    place_ = place_ == Place::kHeader ? Place::kOutside : Place::kHeader;
    return true;
  }

  bool key(std::string& name) override {
    if (place_ == Place::kHeader) {
      if (!names_.insert(name).second) fail(fmt::format("the header lists {} twice", in_quotes(name)));
    } else {
      if (!keys_.insert(name).second) fail(fmt::format("{} has {} twice", owner(), in_quotes(name)));
      if (place_ == Place::kTensor && name != "dtype" && name != "shape" && name != "data_offsets") {
        fail(
            fmt::format("{} has an unknown key {}; expected dtype, shape and data_offsets", tensor(), in_quotes(name)));
      }
    }
    (place_ == Place::kHeader ? key_ : inner_key_) = std::move(name);
    return true;
  }

  bool start_array(std::size_t /*elements*/) override {
    if (place_ != Place::kTensor || inner_key_ == "dtype") unexpected("a list");
    place_ = Place::kNumbers;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    SafetensorsEntry& entry = header_.entries.back();
    if (inner_key_ == "shape") {
      entry.shape = numbers_;
    } else {
      if (numbers_.size() != 2) {
        fail(fmt::format("{}: data_offsets must be two numbers, [begin, end], not {}", tensor(), numbers_.size()));
      }
      entry.begin = numbers_[0];
      entry.end = numbers_[1];
    }
    place_ = Place::kTensor;
    return true;
  }

  bool string(std::string& text) override {
    if (place_ == Place::kMetadata) {
      header_.metadata.emplace(inner_key_, std::move(text));
      return true;
    }
    if (place_ != Place::kTensor || inner_key_ != "dtype") unexpected("a text");
    const std::optional<Dtype> dtype = dtype_from_name(text);
    if (!dtype) {
      throw Error(
          ErrorKind::kData, fmt::format("{}: {} has the unknown dtype {}", source_, tensor(), in_quotes(text)),
          "agentnet reads BOOL, U8, I8, U16, I16, F16, BF16, U32, I32, F32, U64, I64 and F64: convert the tensor");
    }
    header_.entries.back().dtype = *dtype;
    return true;
  }

  bool number_unsigned(std::uint64_t value) override {
    if (place_ != Place::kNumbers) unexpected("a number");
    numbers_.push_back(value);
    return true;
  }
  bool number_integer(std::int64_t value) override { return bad_number(std::to_string(value)); }
  bool number_float(double /*value*/, const std::string& text) override { return bad_number(text); }
  bool boolean(bool value) override { unexpected(value ? "true" : "false"); }
  bool null() override { unexpected("null"); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { unexpected("binary data"); }

  bool parse_error(std::size_t position, const std::string& /*token*/, const nlohmann::json::exception&) override {
    // nlohmann counts the characters it has read, the one at fault being the last of them.
    constexpr std::size_t kShown = 16;
    const std::size_t read = std::clamp<std::size_t>(position, 1, json_.size());
    const std::size_t start = read > kShown ? read - kShown : 0;
    throw Error(ErrorKind::kData,
                fmt::format("{}: byte {}: the header is not valid JSON at {}", source_,
                            kSafetensorsLengthBytes + read - 1, in_quotes(json_.substr(start, read - start))),
                kDamagedHint);
  }

 private:
  enum class Place { kOutside, kHeader, kMetadata, kTensor, kNumbers };

  bool bad_number(const std::string& text) {
    if (place_ != Place::kNumbers) unexpected("a number");
    fail(fmt::format("{}: {} must hold whole numbers from 0 to 2^64 - 1, not {}", tensor(), inner_key_, text));
  }

  [[noreturn]] void unexpected(const std::string& found) const {
    switch (place_) {
      case Place::kHeader:
        if (key_ == kMetadataKey) fail(fmt::format("{} must be an object, not {}", kMetadataKey, found));
        fail(fmt::format("{} must be an object with dtype, shape and data_offsets, not {}", tensor(), found));
      case Place::kMetadata:
        fail(fmt::format("the metadata {} must be a text, not {}", in_quotes(inner_key_), found));
      case Place::kTensor:
        fail(fmt::format("{}: {} must be {}, not {}", tensor(), inner_key_,
                         inner_key_ == "dtype" ? "a text" : "a list of numbers", found));
      case Place::kNumbers:
        fail(fmt::format("{}: {} must hold numbers only, not {}", tensor(), inner_key_, found));
      case Place::kOutside:
        break;
    }
    fail(fmt::format("the header must be an object, not {}", found));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kData, source_ + ": " + what, kWriterHint);
  }

  std::string tensor() const { return "tensor " + in_quotes(key_); }
  std::string owner() const { return place_ == Place::kMetadata ? "the metadata" : tensor(); }

  std::string_view json_;
  const std::string& source_;
  SafetensorsHeader header_;
  Place place_ = Place::kOutside;
  std::string key_, inner_key_;  // of depth 1 and 2
  std::set<std::string> names_, keys_;
  std::vector<std::uint64_t> numbers_;
};

std::string json_text(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kUsage, "cannot write " + in_quotes(text) + " to a safetensors file: it is not UTF-8",
                "use names and texts in UTF-8");
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& source) {
  const auto fail = [&](std::size_t position, const std::string& what) {
    throw Error(ErrorKind::kData, fmt::format("{}: byte {}: {}", source, kSafetensorsLengthBytes + position, what),
                kDamagedHint);
  };
  if (json.empty()) fail(0, "the header is empty");
  if (json.front() != '{')
    fail(0, fmt::format("the header must start with '{{', not {}", in_quotes(json.substr(0, 1))));
  if (const std::size_t valid = valid_utf8_prefix(json); valid != json.size()) {
    fail(valid, "the header is not valid UTF-8");
  }
  // The JSON parser would take a zero byte for the end of its input and skip what follows.
  if (const std::size_t zero = json.find('\0'); zero != std::string_view::npos)
    fail(zero, "the header has a zero byte");
  const std::size_t last = json.find_last_not_of(' ');
  if (json[last] != '}') {
    fail(last, fmt::format("the header must end with '}}' and spaces, not {}", in_quotes(json.substr(last, 1))));
  }

  json = json.substr(0, last + 1);
  HeaderReader reader(json, source);
  nlohmann::json::sax_parse(json, &reader);
  return reader.take();
}

std::string format_safetensors_header(const SafetensorsHeader& header) {
  std::string out = "{";
  const auto separate = [&] { return out.size() > 1 ? "," : ""; };
  if (!header.metadata.empty()) {
    out += fmt::format("\"{}\":{{", kMetadataKey);
    const char* comma = "";
    for (const auto& [key, value] : header.metadata) {
      out += fmt::format("{}{}:{}", comma, json_text(key), json_text(value));
      comma = ",";
    }
    out += "}";
  }
  for (const SafetensorsEntry& entry : header.entries) {
    out += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", separate(),
                       json_text(entry.name), dtype_name(entry.dtype), join_text(entry.shape, ","), entry.begin,
                       entry.end);
  }
  return out + "}";
}

}  // namespace agentnet
