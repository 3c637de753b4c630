// Damaged set files, used in every way that this program uses them: refused with a reason, or used; never a crash.
#include <fcntl.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "graph/set_file.h"
#include "set_file_property.h"
#include "set_use_property.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::StartsWith;

#ifdef AGENTNET_SANITIZED
constexpr int kMutants = 150;  // per sample and way; what crashes does so early
#else
constexpr int kMutants = 400;
#endif

struct Sample {
  const char* name;
  Dataset (*make)();
};

void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name; }

class DamagedSets : public ::testing::TestWithParam<Sample> {
 protected:
  DamagedSets() : data_(GetParam().make()), bytes_(bytes_of_set(data_)), model_(model_for(data_)) {
    for (const SetSectionPlace& section : sections_of_set(bytes_)) {
      if (section.bytes > 0) sections_.push_back(section);
    }
  }

  // Writes the file and uses it.
  int refused(const std::string& bytes, std::uint64_t check_up_to, bool any_settings = false) {
    write_text(path_, bytes);
    SetUser user(model_, any_settings);
    const int count = user.use(path_, check_up_to);
    message_ = user.last_message();
    return count;
  }

  // The same section again and again would be a waste: the long ones get no more than the short ones.
  const SetSectionPlace& any_section(std::mt19937_64& random) { return sections_[random() % sections_.size()]; }

  std::string with_flipped_bit(std::mt19937_64& random) {
    const SetSectionPlace& section = any_section(random);
    std::string bytes = bytes_;
    char& byte = bytes[section.offset + random() % section.bytes];
    byte = static_cast<char>(byte ^ (1 << (random() % 8)));
    what_ = section.name;
    return bytes;
  }

  std::string with_changed_number(std::mt19937_64& random) {
    const SetSectionPlace& section = any_section(random);
    std::string bytes = bytes_;
    const std::size_t width = section.bytes % 8 == 0 ? 8 : section.bytes % 4 == 0 ? 4 : 1;
    const std::uint64_t at = section.offset + random() % (section.bytes / width) * width;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, width);
    const std::uint64_t choices[] = {
        0, value + 1, value - 1, ~std::uint64_t{0}, std::uint64_t{1} << 31, section.bytes / width};
    value = choices[random() % std::size(choices)];
    std::memcpy(bytes.data() + at, &value, width);
    what_ = section.name;
    return bytes;
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "set.agentset";
  Dataset data_;
  std::string bytes_, what_, message_;
  Model model_;
  std::vector<SetSectionPlace> sections_;
};

constexpr int kUses = 7;

TEST_P(DamagedSets, ASoundSetIsUsedInEveryWay) {
  for (const std::uint64_t check_up_to : {std::uint64_t{0}, kAnySize}) {
    EXPECT_EQ(refused(bytes_, check_up_to), 0) << message_;
    EXPECT_EQ(refused(as_huge_set(bytes_), check_up_to), 0) << message_;
  }
}

TEST_P(DamagedSets, AFlippedBitInASectionIsRefusedByAllWhoCheckTheWholeFile) {
  std::mt19937_64 random(1);
  for (int i = 0; i < kMutants; ++i) {
    const std::string bytes = with_flipped_bit(random);
    SCOPED_TRACE("mutant " + std::to_string(i) + " of section " + what_);
    ASSERT_EQ(refused(bytes, DataOptions{}.check_up_to), kUses);
  }
}

TEST_P(DamagedSets, AFlippedBitIsRefusedOrUsedWhereTheFileIsTooLargeToCheckAllOfIt) {
  std::mt19937_64 random(2);
  int refusals = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string bytes = with_flipped_bit(random);
    SCOPED_TRACE("mutant " + std::to_string(i) + " of section " + what_);
    ASSERT_NO_THROW(refusals += refused(bytes, 0));
  }
  EXPECT_GT(refusals, 0);
}

TEST_P(DamagedSets, AChangedNumberIsRefusedOrUsedEvenIfItsChecksumsMatch) {
  std::mt19937_64 random(3);
  int refusals = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string bytes = with_checksums(with_changed_number(random));
    SCOPED_TRACE("mutant " + std::to_string(i) + " of section " + what_);
    ASSERT_NO_THROW(refusals += refused(bytes, i % 2 == 0 ? 0 : kAnySize, /*any_settings=*/true));
  }
  EXPECT_GT(refusals, 0);
}

// Bytes of such a file are copied when they are read; only the small one is written each time.
TEST_P(DamagedSets, AChangedNumberIsRefusedOrUsedInAHugeFile) {
  std::mt19937_64 random(4);
  const std::string huge = as_huge_set(bytes_);
  write_text(path_, huge);
  const int fd = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  int refusals = 0;
  for (int i = 0; i < kMutants / 2; ++i) {
    const std::string changed = with_changed_number(random);
    SCOPED_TRACE("mutant " + std::to_string(i) + " of section " + what_);
    const std::string begin = as_huge_set(with_checksums(changed)).substr(0, bytes_.size());
    ASSERT_EQ(::pwrite(fd, begin.data(), begin.size(), 0), static_cast<ssize_t>(begin.size()));
    SetUser user(model_, /*any_settings=*/true);
    ASSERT_NO_THROW(refusals += user.use(path_, 0));
  }
  ::close(fd);
  EXPECT_GT(refusals, 0);
}

INSTANTIATE_TEST_SUITE_P(Samples, DamagedSets,
                         ::testing::Values(Sample{"everything", sample_of_everything}, Sample{"hub", sample_with_hub}),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

// Single damages, each of which crashed a command or was taken for a bug of the program.
class SingleDamage : public ::testing::Test {
 protected:
  SingleDamage() : bytes_(bytes_of_set(sample_of_everything())), model_(model_for(sample_of_everything())) {}

  template <class T>
  std::string with_value(const std::string& section, std::size_t index, T value) const {
    std::string bytes = bytes_;
    for (const SetSectionPlace& place : sections_of_set(bytes)) {
      if (place.name != section) continue;
      std::memcpy(bytes.data() + place.offset + index * sizeof(T), &value, sizeof(T));
      return with_checksums(std::move(bytes));
    }
    throw std::logic_error("no section " + section);
  }

  // What comes of using the file, without its path.
  template <class F>
  std::string error(const std::string& bytes, const F& f) {
    write_text(path_, bytes);
    DataOptions options;
    options.check_up_to = 0;
    try {
      f(options);
    } catch (const Error& error) {
      std::string text = error.what();
      const auto at = text.find(path_.string());
      if (error.kind() != ErrorKind::kData || at != 0) return "not an error about the file: " + text;
      return text.substr(path_.string().size());
    }
    return "accepted";
  }
  std::string predict_error(const std::string& bytes) {
    return error(bytes, [&](const DataOptions& options) {
      const Dataset data = read_for_model(model_, path_, options);
      static_cast<void>(predict(model_, data.graphs.views(), {}));
    });
  }
  std::string explain_error(const std::string& bytes) {
    return error(bytes, [&](const DataOptions& options) {
      const Dataset data = read_for_model(model_, path_, options);
      static_cast<void>(explain(model_, data.graphs.views(), {}));
    });
  }
  std::string statistics_error(const std::string& bytes) {
    return error(bytes,
                 [&](const DataOptions& options) { static_cast<void>(statistics_of(read_data(path_, options))); });
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "set.agentset";
  std::string bytes_;
  Model model_;
};

TEST_F(SingleDamage, AGraphWithoutNodes) {
  EXPECT_EQ(predict_error(with_value("first_node", 1, std::uint64_t{0})), ": graph 0 has no nodes");
}

TEST_F(SingleDamage, OffsetsOutsideTheGraph) {
  const std::string bytes = with_value("offsets", 1, std::uint64_t{1} << 40);
  const std::string message = " are damaged: they lie outside the graph";  // of node 0 or 1, whichever is met first
  EXPECT_THAT(explain_error(bytes), AllOf(StartsWith(": graph 0: the neighbours of node "), EndsWith(message)));
  EXPECT_THAT(predict_error(bytes), AllOf(StartsWith(": graph 0: the neighbours of node "), EndsWith(message)));
  EXPECT_EQ(statistics_error(bytes), ": graph 0: the neighbours of node 0" + message);
}

TEST_F(SingleDamage, ANeighbourThatIsNotThere) {
  const std::string bytes = with_value("neighbours", 0, std::uint32_t{3});
  EXPECT_EQ(statistics_error(bytes), ": graph 0: the neighbours of node 0 are damaged: there is no node 3");
  EXPECT_EQ(predict_error(bytes), ": graph 0: the neighbours of node 0 are damaged: there is no node 3");
}

TEST_F(SingleDamage, NeighboursOutOfOrder) {
  EXPECT_EQ(predict_error(with_value("neighbours", 0, std::uint32_t{2})),
            ": graph 0: the neighbours of node 0 are damaged: they are out of order");
}

TEST_F(SingleDamage, ACategoryOutsideItsVocabulary) {
  EXPECT_EQ(predict_error(with_value("node_categories", 0, std::int32_t{77})),
            ": graph 0: node 0 has category 77 in column 0, the model knows 4");
  EXPECT_EQ(predict_error(with_value("node_categories", 0, std::int32_t{-1})),
            ": graph 0: node 0 has category -1 in column 0, the model knows 4");
}

TEST_F(SingleDamage, RowsOfEdgesThatAreNotThere) {
  EXPECT_EQ(predict_error(with_value("edge_rows", 1, std::uint64_t{1} << 50)),
            ": graph 0: entry 0 of the neighbour lists has features that are not there");
}

TEST_F(SingleDamage, AClassThatIsNone) {
  for (const double target : {2.0, -1.0, 0.5, 1e300}) {
    EXPECT_EQ(statistics_error(with_value("targets", 3, target)),
              fmt::format(": graph 3: target 'y' cannot be {}", target));
  }
}

TEST_F(SingleDamage, APartOfTheSplitThatIsNone) {
  EXPECT_EQ(error(with_value("split", 2, std::uint8_t{9}),
                  [&](DataOptions options) {
                    options.official = true;
                    static_cast<void>(read_data(path_, options));
                  }),
            ": graph 2: its part of the split is damaged");
}

}  // namespace
}  // namespace agentnet
