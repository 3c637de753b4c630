#include "run/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// A reader of event files that shares nothing with the writer: CRC bit by bit, protobuf field by field.

std::uint32_t plain_crc32c(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82F63B78U : crc >> 1;
  }
  return crc ^ 0xFFFFFFFFU;
}

class Bytes {
 public:
  explicit Bytes(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  std::string take(std::size_t count) {
    if (count > bytes_.size() - at_) throw std::runtime_error("cut short");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  template <class T>
  T number() {  // this machine is little-endian, as is the file
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

struct Event {
  double wall_time = -1;
  std::int64_t step = -1;
  std::string version;
  std::vector<std::pair<std::string, float>> values;
};

std::pair<std::string, float> parse_value(Bytes bytes) {
  std::pair<std::string, float> value;
  while (!bytes.at_end()) {
    const std::uint64_t key = bytes.varint();
    if (key == (1 << 3 | 2)) {
      value.first = bytes.take(bytes.varint());
    } else if (key == (2 << 3 | 5)) {
      value.second = bytes.number<float>();
    } else {
      throw std::runtime_error("unknown field of Value");
    }
  }
  return value;
}

Event parse_event(Bytes bytes) {
  Event event;
  while (!bytes.at_end()) {
    const std::uint64_t key = bytes.varint();
    if (key == (1 << 3 | 1)) {
      event.wall_time = bytes.number<double>();
    } else if (key == (2 << 3 | 0)) {
      event.step = static_cast<std::int64_t>(bytes.varint());
    } else if (key == (3 << 3 | 2)) {
      event.version = bytes.take(bytes.varint());
    } else if (key == (5 << 3 | 2)) {
      Bytes summary(bytes.take(bytes.varint()));
      while (!summary.at_end()) {
        if (summary.varint() != (1 << 3 | 2)) throw std::runtime_error("unknown field of Summary");
        event.values.push_back(parse_value(Bytes(summary.take(summary.varint()))));
      }
    } else {
      throw std::runtime_error("unknown field of Event");
    }
  }
  return event;
}

void check_crc(Bytes& bytes, const std::string& of) {
  const std::uint32_t crc = plain_crc32c(of);
  if (bytes.number<std::uint32_t>() != ((crc >> 15) | (crc << 17)) + 0xA282EAD8U) throw std::runtime_error("bad CRC");
}

std::vector<Event> parse_file(const std::string& file) {
  Bytes bytes(file);
  std::vector<Event> events;
  while (!bytes.at_end()) {
    const std::string length = bytes.take(8);
    check_crc(bytes, length);
    const std::string data = bytes.take(Bytes(length).number<std::uint64_t>());
    check_crc(bytes, data);
    events.push_back(parse_event(Bytes(data)));
  }
  return events;
}

// RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
TEST(Crc32c, AgreesWithPublishedValues) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
  std::string ascending;
  for (char c = 0; c < 32; ++c) ascending.push_back(c);
  EXPECT_EQ(crc32c(ascending), 0x46DD794EU);
}

TEST(Tensorboard, AFileIsReadBackByAnIndependentReader) {
  const std::vector<TensorboardScalar> first = {{"train/loss", 0.6931F}, {"valid/accuracy", 0.5F}};
  const std::vector<TensorboardScalar> second = {{"train/loss", 0.25F}};
  const std::vector<Event> events = parse_file(tensorboard_header(1.75e9) + tensorboard_record(1, 1.75e9 + 0.5, first) +
                                               tensorboard_record(300, 1.75e9 + 1, second));
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_EQ(events[0].wall_time, 1.75e9);
  EXPECT_THAT(events[0].values, IsEmpty());
  EXPECT_EQ(events[1].version, "");
  EXPECT_EQ(events[1].wall_time, 1.75e9 + 0.5);
  EXPECT_EQ(events[1].step, 1);
  EXPECT_THAT(events[1].values, ElementsAre(Pair("train/loss", 0.6931F), Pair("valid/accuracy", 0.5F)));
  EXPECT_EQ(events[2].step, 300);
  EXPECT_THAT(events[2].values, ElementsAre(Pair("train/loss", 0.25F)));
}

TEST(Tensorboard, NumbersOfAnySizeSurvive) {
  const std::string long_tag(300, 'x');  // its length takes two bytes
  const std::vector<TensorboardScalar> scalars = {
      {long_tag, -0.0F}, {"\xC3\xA4", std::numeric_limits<float>::infinity()}, {"nan", std::nanf("")}};
  for (const std::int64_t step :
       {std::int64_t{0}, std::int64_t{127}, std::int64_t{128}, std::numeric_limits<std::int64_t>::max()}) {
    const std::vector<Event> events = parse_file(tensorboard_record(step, 0, scalars));
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].step, step);
    ASSERT_EQ(events[0].values.size(), 3U);
    EXPECT_EQ(events[0].values[0].first, long_tag);
    EXPECT_TRUE(std::signbit(events[0].values[0].second));
    EXPECT_EQ(events[0].values[1], std::pair("\xC3\xA4" + std::string(), std::numeric_limits<float>::infinity()));
    EXPECT_TRUE(std::isnan(events[0].values[2].second));
  }
}

TEST(Tensorboard, ARecordWithoutNumbersIsStillARecord) {
  const std::vector<Event> events = parse_file(tensorboard_record(5, 1, {}));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].step, 5);
}

// The first record of every file that TensorFlow writes, apart from its time: 24 bytes of data.
TEST(Tensorboard, TheHeaderIsThatOfTensorFlow) {
  const std::string header = tensorboard_header(0);
  ASSERT_EQ(header.size(), 8U + 4 + 24 + 4);
  EXPECT_EQ(header.substr(0, 8), std::string("\x18\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(header.substr(8, 4), "\xA3\x7F\x4B\x22");
  EXPECT_EQ(header.substr(12, 24), std::string("\x09\0\0\0\0\0\0\0\0\x1A\x0D", 11) + "brain.Event:2");
}

}  // namespace
}  // namespace agentnet
