// Files, folders and archives, whole and damaged.
#include "data/io/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "data/formats/formats.h"
#include "data/molecules/molecule.h"
#include "support/archives.h"
#include "support/read_members.h"
#include "support/same_sets.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<std::string> kPackings = {".gz", ".xz", ".zst", ".bz2"};
const std::vector<std::string> kArchives = {".zip", ".tar", ".tar.gz", ".tar.xz", ".tar.zst"};

// Text that does not pack well, so that a cut anywhere loses some of it.
std::string gin_text(int graphs) {
  std::string text = std::to_string(graphs) + "\n";
  for (int g = 0; g < graphs; ++g) {
    const std::int64_t tag = std::int64_t{g} * g * 7919 % 104729;
    text += "2 " + std::to_string(g % 2) + "\n" + std::to_string(tag) + " 1 1\n" + std::to_string(tag / 3) + " 1 0\n";
  }
  return text;
}

std::string jsonl_text(int graphs) {
  std::string text;
  for (int g = 0; g < graphs; ++g)
    text += "{\"num_nodes\":2,\"y\":" + std::to_string(std::int64_t{g} * g * 7919 % 104729) + ".5}\n";
  return text;
}

ArchiveMembers tu_members(int graphs) {
  std::string edges, indicator, labels;
  for (int g = 0; g < graphs; ++g) {
    edges += std::to_string(2 * g + 1) + ", " + std::to_string(2 * g + 2) + "\n";
    indicator += std::to_string(g + 1) + "\n" + std::to_string(g + 1) + "\n";
    labels += std::to_string(std::int64_t{g} * g * 31 % 7) + "\n";
  }
  return {{"X/X_A.txt", edges}, {"X/X_graph_indicator.txt", indicator}, {"X/X_graph_labels.txt", labels}};
}

class Inputs : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& bytes) {
    write_text(folder_ / name, bytes);
    return folder_ / name;
  }
  std::string error_at(const std::string& path, const std::string& format = {}) {
    DataOptions options;
    options.format = format;
    std::string text = error_from([&] { static_cast<void>(read_data(path, options)); });
    const std::string place = folder_.path().string() + "/";
    for (std::size_t at = text.find(place); at != text.npos; at = text.find(place)) text.erase(at, place.size());
    return text;
  }
  TempFolder folder_;
};

TEST_F(Inputs, PackedFilesReadAsPlainOnes) {
  const std::string text = gin_text(50);
  const std::string plain = described(read_data(file("set.txt", text), {}));
  for (const std::string& ending : kPackings) {
    const Dataset data = read_data(file("set.txt" + ending, packed(text, ending)), {});
    EXPECT_EQ(data.format, "gin") << ending;
    EXPECT_EQ(described(data), plain) << ending;
  }
  EXPECT_EQ(described(read_data(file("no-ending", packed(text, ".xz")), {})), plain);
}

TEST_F(Inputs, AFileOfSeveralPackedPartsIsReadToItsEnd) {
  const std::string text = jsonl_text(50), more = jsonl_text(3);
  for (const std::string ending : {".gz", ".zst", ".bz2"}) {
    const Dataset data = read_data(file("set.jsonl" + ending, packed(text, ending) + packed(more, ending)), {});
    EXPECT_EQ(data.graphs.size(), 53U) << ending;
  }
}

TEST_F(Inputs, ArchivesReadAsFolders) {
  const ArchiveMembers members = tu_members(20);
  std::filesystem::create_directories(folder_ / "plain/X");
  for (const auto& [name, text] : members) write_text(folder_ / ("plain/" + name), text);
  const std::string plain = described(read_data(folder_ / "plain", {}));
  ArchiveMembers backwards(members.rbegin(), members.rend());
  for (const std::string& ending : kArchives) {
    EXPECT_EQ(described(read_data(file("set" + ending, archive_of(members, ending)), {})), plain) << ending;
    EXPECT_EQ(described(read_data(file("back" + ending, archive_of(backwards, ending)), {})), plain) << ending;
  }
}

TEST_F(Inputs, PackedMembersOfAnArchiveAreUnpacked) {
  ArchiveMembers members;
  for (const auto& [name, text] : tu_members(20)) members.emplace_back(name + ".gz", packed(text, ".gz"));
  const Dataset data = read_data(file("set.zip", archive_of(members, ".zip")), {});
  EXPECT_EQ(data.format, "tu");
  EXPECT_EQ(data.graphs.size(), 20U);
}

TEST_F(Inputs, AnArchiveOfOneFileIsThatFile) {
  for (const std::string& ending : kArchives) {
    const Dataset data =
        read_data(file("set" + ending, archive_of({{"deep/set.jsonl.xz", packed(jsonl_text(9), ".xz")}}, ending)), {});
    EXPECT_EQ(data.format, "jsonl");
    EXPECT_EQ(data.graphs.size(), 9U);
  }
}

// What this process has asked the system for since it began, in bytes.
std::uint64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  io >> name >> bytes;
  EXPECT_EQ(name, "rchar:");
  return bytes;
}

std::uint64_t bytes_of(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return std::filesystem::file_size(path);
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

// Detecting the format, finding columns and reading are one way through the file; so are the members of an archive.
TEST_F(Inputs, EveryByteIsReadOnce) {
  const Dataset set = read_data("synthetic:motif?graphs=1500", {});
  std::vector<std::string> sources;
  for (const Format& format : formats()) {
    if (format.write == nullptr || std::string_view(format.name) == "edgelist") continue;  // one graph
    const std::string path = folder_ / (std::string("set-") + format.name + "." + format.ending);
    static_cast<void>(format.write(set, path));
    sources.push_back(path);
  }
  EXPECT_GE(sources.size(), 6U);
  std::string edges;
  for (int i = 0; i < 20000; ++i) edges += std::to_string(i) + " " + std::to_string(i * 7 % 20000) + "\n";
  sources.push_back(file("edges.txt", edges));
  std::string table = "smiles,name,y\n";
  for (int i = 0; i < 20000; ++i) table += "CCO,molecule" + std::to_string(i) + "," + std::to_string(i % 9) + ".5\n";
  if (can_read_smiles()) sources.push_back(file("table.csv", table));
  for (const std::string& ending : kPackings) sources.push_back(file("set" + ending, packed(gin_text(9000), ending)));
  for (const std::string ending : {".zip", ".tar", ".tar.gz"}) {
    sources.push_back(file("many" + ending, archive_of(tu_members(300000), ending)));
  }
  for (const std::string& source : sources) {
    // First bytes are looked at before; what unpacks a tar does so in blocks of 256 KiB. GraphML may declare its
    // columns anywhere, and is gone through twice.
    const std::uint64_t heads = source.ends_with(".tar.gz") ? 600000 : 20000;
    const std::uint64_t passes = source.ends_with(".graphml") ? 2 : 1;
    const std::uint64_t size = bytes_of(source), before = bytes_read();
    static_cast<void>(read_data(source, {}));
    const std::uint64_t read = bytes_read() - before;
    EXPECT_LE(read, passes * size + heads) << source;
    EXPECT_GT(size, 2 * heads) << source << " is too small to tell";
  }
}

TEST_F(Inputs, HiddenFilesOfMacosAreNoMembers) {
  ArchiveMembers members = tu_members(3);
  members.emplace_back("__MACOSX/X/._X_A.txt", "\x00\x05\x16\x07");
  EXPECT_EQ(read_data(file("set.zip", archive_of(members, ".zip")), {}).graphs.size(), 3U);
}

TEST_F(Inputs, MembersAreSortedAndNamedWithoutTheirPacking) {
  const Input input = Input::open(file(
      "set.tar.xz", archive_of({{"b.csv.gz", packed("b", ".gz")}, {"a/c.txt", "c"}, {"a/b.bz2", "x"}}, ".tar.xz")));
  EXPECT_TRUE(input.is_folder());
  EXPECT_FALSE(input.is_plain_file());
  EXPECT_THAT(input.members(), ElementsAre("a/b", "a/c.txt", "b.csv"));
  EXPECT_EQ(input.place("b.csv"), (folder_ / "set.tar.xz/b.csv.gz").string());
  EXPECT_EQ(read_all(*input.stream("b.csv"), "b"), "b");
  EXPECT_EQ(read_all(*input.stream("a/b"), "b"), "x");
}

TEST_F(Inputs, TooMuchForOneTextIsRefused) {
  const Input input = Input::from_text("file", std::string(300, 'x'));
  EXPECT_EQ(read_all(*input.stream(), "file", 300).size(), 300U);
  EXPECT_EQ(error_from([&] { static_cast<void>(read_all(*input.stream(), "file", 299)); }),
            "file has more than 299 bytes | split it");
}

TEST_F(Inputs, WhatIsNotThereIsNamed) {
  EXPECT_EQ(error_at(folder_ / "none"),
            "there is no file or folder 'none' | check the path; built-in sets are called synthetic:NAME");
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_THAT(error_at(folder_ / "empty"), StartsWith("cannot tell the format of empty | name it with --format: tu, "));
  write_text(folder_ / "table.csv", "structure,y\nethane,1\n");
  EXPECT_THAT(error_at(folder_ / "table.csv"),
              testing::HasSubstr("| name the column of SMILES strings with --smiles-column"));
  EXPECT_EQ(error_at(folder_ / "empty", "gin"), "empty holds no files | check the path");
  EXPECT_EQ(error_at(folder_ / "empty", "agentset"), "empty holds no files | check the path");
}

TEST_F(Inputs, APipeIsRefusedRatherThanCalledEmpty) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_at(folder_ / "pipe"), "usage: pipe is a pipe, and is read more than once | save it to a file first");
}

TEST_F(Inputs, AColumnThatIsSaidToHoldSmilesMakesATableOne) {
  const Input table = Input::from_text("set.csv", "code,\"Structure\",mass\r\nx,ethane,30.1\r\n");
  EXPECT_EQ(find_format(table, ""), nullptr);
  EXPECT_EQ(find_format(table, "smile"), nullptr);
  ASSERT_NE(find_format(table, "structure"), nullptr);
  EXPECT_STREQ(find_format(table, "structure")->name, "smiles");
  DataOptions options;
  options.smiles_column = "Structure";
  EXPECT_STREQ(format_for(table, options).name, "smiles");
  options.format = "edgelist";
  EXPECT_STREQ(format_for(table, options).name, "edgelist");
}

TEST_F(Inputs, EmptyFilesAreNamedHoweverTheyArePacked) {
  EXPECT_EQ(error_at(file("set.txt", "")), "set.txt is empty | check the file");
  for (const std::string& ending : kPackings) {
    EXPECT_EQ(error_at(file("set.txt" + ending, packed("", ending))),
              "set.txt" + ending + " is empty | check the file");
  }
}

TEST_F(Inputs, UnknownFormatsAreNamedWithASuggestion) {
  EXPECT_THAT(error_at(file("set.txt", "hello world\n")),
              StartsWith("cannot tell the format of set.txt | name it with"));
  EXPECT_EQ(error_at(folder_ / "set.txt", "json"), "usage: there is no format 'json' | did you mean jsonl?");
}

// However much of a packed file is there, it gives all graphs or an error.
TEST_F(Inputs, APackedFileCutAnywhereIsRefused) {
  const std::string text = jsonl_text(400);
  for (const std::string& ending : kPackings) {
    const std::string whole = packed(text, ending);
    for (std::size_t part = 1; part < 40; ++part) {
      for (const std::size_t length : {part, whole.size() * part / 40, whole.size() - part}) {
        const std::string error = error_at(file("set.jsonl" + ending, whole.substr(0, length)));
        EXPECT_NE(error, "accepted") << ending << " cut to " << length << " of " << whole.size();
        if (length > 8) {
          EXPECT_THAT(error, HasSubstr("damaged archive: ")) << ending << " cut to " << length;
        }
      }
    }
  }
}

TEST_F(Inputs, AnArchiveCutAnywhereIsRefused) {
  const ArchiveMembers members = tu_members(200);
  const std::string plain = described(read_data(file("whole.zip", archive_of(members, ".zip")), {}));
  for (const std::string& ending : kArchives) {
    const std::string whole = archive_of(members, ending);
    for (std::size_t part = 1; part < 60; ++part) {
      for (const std::size_t length : {whole.size() * part / 60, whole.size() - part, part * 512}) {
        if (length >= whole.size()) continue;
        const std::string path = file("set" + ending, whole.substr(0, length));
        // Only the directory behind the last member of a zip, or zeros at the end of a tar, may be missing.
        const std::string error = error_at(path, "tu");
        if (error == "accepted") {
          EXPECT_EQ(described(read_data(path, {})), plain) << ending << " cut to " << length;
          EXPECT_GT(length, whole.size() / 2) << ending;
        }
      }
    }
  }
}

TEST_F(Inputs, ATarCutBetweenTwoMembersIsRefused) {
  const std::string whole = archive_of(tu_members(3), ".tar");
  EXPECT_EQ(error_at(file("set.tar", whole.substr(0, 2 * 1024)), "tu"),
            "set.tar: damaged archive: its end is missing | copy or download it again");
}

TEST_F(Inputs, DamageInsideAPackedMemberIsNamedWithIt) {
  ArchiveMembers members = tu_members(200);
  const std::string packed_labels = packed(members[2].second, ".gz");
  members[2] = {"X/X_graph_labels.txt.gz", packed_labels.substr(0, packed_labels.size() / 2)};
  EXPECT_THAT(error_at(file("set.zip", archive_of(members, ".zip"))),
              StartsWith("set.zip/X/X_graph_labels.txt.gz: damaged archive: "));
}

TEST_F(Inputs, FoldersOfSeveralFilesNeedNameOne) {
  std::filesystem::create_directory(folder_ / "two");
  write_text(folder_ / "two/a.jsonl", jsonl_text(1));
  write_text(folder_ / "two/b.jsonl", jsonl_text(1));
  EXPECT_EQ(error_at(folder_ / "two", "jsonl"),
            "two holds 2 files, but this format is a single one | name one of them, such as two/a.jsonl");
}

TEST_F(Inputs, ColumnsThatTheFormatDoesNotHaveAreRefused) {
  DataOptions options;
  options.keep = {"split"};
  const std::string path = file("set.txt", gin_text(2));
  EXPECT_EQ(error_from([&] { static_cast<void>(read_data(path, options)); }),
            "usage: " + path + " has no column 'split' to keep | the format gin has no further columns");
}

}  // namespace
}  // namespace agentnet
