#include "predict/prediction_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <span>

#include "agentnet/error.h"
#include "core/files/checksum.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

RC_GTEST_PROP(RowShareTest, EveryRowBelongsToOnePart, ()) {
  RowShare share;
  share.parts = *rc::gen::inRange<std::uint64_t>(1, 8);
  share.block = *rc::gen::inRange<std::uint64_t>(1, 10);
  const auto rows = *rc::gen::inRange<std::uint64_t>(0, 200);
  std::uint64_t all = 0;
  for (share.part = 0; share.part < share.parts; ++share.part) {
    std::uint64_t own = 0;
    for (std::uint64_t row = 0; row < rows; ++row) own += share.has(row) ? 1 : 0;
    RC_ASSERT(share.count(rows) == own);
    all += own;
  }
  RC_ASSERT(all == rows);
}

PartRecord record_of_test() {
  PartRecord record;
  record.share = {.part = 1, .parts = 3, .block = 256};
  record.settings = R"({"seed":1})";
  record.rows = 600;
  record.own_rows = 256;
  record.bytes = 10;
  record.checksum = "abc";
  return record;
}

TEST(PartRecord, ComesBackAsItWas) {
  const TempFolder folder;
  const PartRecord record = record_of_test();
  write_part_record(folder / "r.json", record);
  const auto back = read_part_record(folder / "r.json");
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->share, record.share);
  EXPECT_EQ(back->form, record.form);
  EXPECT_EQ(back->settings, record.settings);
  EXPECT_EQ(back->rows, record.rows);
  EXPECT_EQ(back->own_rows, record.own_rows);
  EXPECT_EQ(back->bytes, record.bytes);
  EXPECT_EQ(back->checksum, record.checksum);
  EXPECT_EQ(read_part_record(folder / "none.json"), std::nullopt);
}

TEST(PartRecord, DamagedOnesAreRefused) {
  const TempFolder folder;
  write_part_record(folder / "r.json", record_of_test());
  const std::string good = read_text(folder / "r.json");
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    write_text(folder / "r.json", text);
    try {
      static_cast<void>(read_part_record(folder / "r.json"));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused("agentnet prediction part", "something else"));
  EXPECT_TRUE(refused("\"version\": 1", "\"version\": 2"));
  EXPECT_TRUE(refused("\"part\": 2", "\"part\": 0"));
  EXPECT_TRUE(refused("\"part\": 2", "\"part\": 4"));
  EXPECT_TRUE(refused("\"part\": 2", "\"part\": 3"));
  EXPECT_TRUE(refused("\"block\": 256", "\"block\": 0"));
  EXPECT_TRUE(refused("\"own_rows\": 256", "\"own_rows\": 255"));
  EXPECT_TRUE(refused("\"form\": \"csv\"", "\"form\": \"x\""));
  EXPECT_TRUE(refused("\"bytes\": 10", "\"bytes\": -1"));
  EXPECT_TRUE(refused("{", "["));
  EXPECT_TRUE(refused(good, ""));
}

// Lines of a part of CSV may hold line ends within quotes.
TEST(PartsFolderTest, JoinsRecordsRatherThanLines) {
  const TempFolder folder;
  const std::string header = "id,x\n";
  const std::vector<std::string> rows = {"\"a\nb\",1\n", "\"c\"\"\n\",2\n", "d,3\n", "e,4\n", "\"\n\n\",5\n"};
  for (const std::uint64_t part : {0, 1}) {
    std::string text = header;
    PartRecord record;
    record.share = {.part = part, .parts = 2, .block = 2};
    record.settings = "{}";
    record.rows = rows.size();
    for (std::uint64_t row = 0; row < rows.size(); ++row) text += record.share.has(row) ? rows[row] : "";
    record.own_rows = record.share.count(record.rows);
    record.bytes = text.size();
    Checksum sum;
    sum.update(std::as_bytes(std::span(text)));
    record.checksum = sum.hex();
    write_text(part_file(folder.path(), record.share, record.form), text);
    write_part_record(part_record_file(folder.path(), record.share), record);
  }
  std::string joined;
  PartsFolder(folder.path()).join([&](std::string_view line) { joined += line; });
  EXPECT_EQ(joined, header + rows[0] + rows[1] + rows[2] + rows[3] + rows[4]);
}

}  // namespace
}  // namespace agentnet
