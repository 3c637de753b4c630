// Small files that ask for much: what is read takes work in proportion to the file, or is refused before it is done.
// Work is counted (support/work_counter.h): twice the input may be a little more than twice the work.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "agentnet/data.h"
#include "core/suggest.h"
#include "data/formats/formats.h"
#include "data/formats/readers.h"
#include "data/molecules/molecule.h"
#include "data/splits/splits.h"
#include "data/syntax/csv.h"
#include "data/syntax/xml.h"
#include "data/tables/vocabulary.h"
#include "support/archives.h"
#include "support/read_members.h"
#include "support/temp_folder.h"
#include "support/work_counter.h"

namespace agentnet {
namespace {

using ::testing::HasSubstr;

std::string joined(std::size_t count, const std::function<std::string(std::size_t)>& piece, const char* between = ",") {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : between) + piece(i);
  return text;
}

// Of the same length, so that comparing two of them has to look at their letters.
std::string name_of(std::size_t i) { return fmt::format("c{:07}", i); }

// Calls run(n) and run(2 n). Constant parts (buffers, the first thousand comparisons) are allowed for.
void expect_linear(std::size_t n, const std::function<void(std::size_t)>& run) {
  if (!work_is_counted()) GTEST_SKIP() << "sanitizers leave nothing to count";
  run(2);  // what is made once
  const Work once = work_of([&] { run(n); });
  const Work twice = work_of([&] { run(2 * n); });
  const auto expect = [](const char* what, std::uint64_t small, std::uint64_t large, std::uint64_t constant) {
    EXPECT_LE(static_cast<double>(large), 2.2 * static_cast<double>(small) + static_cast<double>(constant)) << what;
  };
  expect("bytes allocated", once.allocated, twice.allocated, 1 << 20);
  expect("bytes in use", once.peak, twice.peak, 1 << 20);
  expect("comparisons", once.compared, twice.compared, 10000);
  expect("bytes searched", once.searched, twice.searched, 100000);
}

TEST(WorkCounter, TellsSquaresFromLines) {
  if (!work_is_counted()) GTEST_SKIP() << "sanitizers leave nothing to count";
  const auto compare_all = [](std::size_t n) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < n; ++i) names.push_back(name_of(i));
    std::size_t found = 0;
    for (const std::string& name : names) {
      found += static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    }
    EXPECT_EQ(found, n * (n - 1) / 2);
  };
  const Work once = work_of([&] { compare_all(500); }), twice = work_of([&] { compare_all(1000); });
  EXPECT_GT(once.compared, 500U * 499 / 2);
  EXPECT_GT(twice.compared, 3 * once.compared);
  EXPECT_GE(once.allocated, 500 * sizeof(std::string));
}

// The fields before a quoted field of many lines were copied at every line.
TEST(Bombs, CsvFieldsBeforeAQuotedFieldOfManyLines) {
  expect_linear(2000, [](std::size_t n) {
    const std::string text = "a,b" + std::string(n / 10, ',') + "\n" + std::string(n / 10, ',') + "x,\"" +
                             joined(
                                 n, [](std::size_t) { return std::string("y"); }, "\n") +
                             "\"\n";
    const Input input = Input::from_text("file", text);
    CsvReader table(input, "file");
    ASSERT_TRUE(table.next());
    EXPECT_EQ(table.field(n / 10), "x");
    EXPECT_EQ(table.field(n / 10 + 1).size(), 2 * n - 1);
  });
}

TEST(Bombs, CsvThatTheIssueNames) {
  if (!work_is_counted()) GTEST_SKIP() << "sanitizers leave nothing to count";
  const std::string header = joined(2001, name_of);
  const std::string text = header + "\n" + joined(2000, [](std::size_t) { return std::string("1"); }) + ",\"" +
                           std::string(20000, '\n') + "\"\n";
  const Work work = work_of([&] {
    const Input input = Input::from_text("file", text);
    CsvReader table(input, "file");
    ASSERT_TRUE(table.next());
    EXPECT_EQ(table.field(1999), "1");
    EXPECT_EQ(table.field(2000).size(), 20000U);
  });
  EXPECT_LT(work.peak, 10U << 20);  // it was 1.3 GB
}

TEST(Bombs, CsvColumns) {
  expect_linear(2000, [](std::size_t n) {
    const Input input = Input::from_text("file", joined(n, name_of) + "\n" + std::string(n - 1, ',') + "\n");
    CsvReader table(input, "file");
    EXPECT_EQ(table.required_column(name_of(n - 1)), n - 1);
    for (std::size_t c = 0; c < n; ++c) EXPECT_EQ(table.column({"C" + name_of(c).substr(1)}), c);
    ASSERT_TRUE(table.next());
  });
}

TEST(Bombs, CsvFeatureColumns) {
  expect_linear(1000, [](std::size_t n) {
    const auto one = [](std::size_t) { return std::string("1"); };
    const Dataset data = read_members_as(
        read_csv_triple, {{"graphs.csv", "graph," + joined(n, name_of) + "\ng," + joined(n, one) + "\n"},
                          {"nodes.csv", "graph," + joined(n, name_of) + "\ng," + joined(n, one) + "\n"},
                          {"edges.csv", "graph,source,target\n"}});
    EXPECT_EQ(data.schema.targets.size(), n);
    EXPECT_EQ(data.schema.nodes.categories.size(), n);
  });
}

TEST(Bombs, MessagesDoNotListAllColumns) {
  const Input input = Input::from_text("file", joined(5000, name_of) + "\n");
  const CsvReader table(input, "file");
  const std::string text = error_from([&] { static_cast<void>(table.required_column("something else")); });
  EXPECT_THAT(text, HasSubstr("c0000000, c0000001"));
  EXPECT_THAT(text, HasSubstr("and 4988 more"));
  EXPECT_LT(text.size(), 500U);
}

TEST(Bombs, SuggestionsLookAtNoLongNames) {
  const std::string name(100000, 'a');
  const std::vector<std::string> names(3, name + "b");
  EXPECT_EQ(closest_match(name, names), std::nullopt);
  EXPECT_EQ(closest_match("abcdef", std::vector<std::string>{name, "abcdeg"}), "abcdeg");
}

TEST(Bombs, JsonKeys) {
  expect_linear(2000, [](std::size_t n) {
    const auto entry = [](std::size_t i) { return fmt::format("\"{}\":1", name_of(i)); };
    const Dataset data = read_text_as(read_jsonl, "{\"num_nodes\":1," + joined(n, entry) + "}\n");
    EXPECT_EQ(data.graphs.size(), 1U);
  });
}

TEST(Bombs, JsonTargets) {
  expect_linear(2000, [](std::size_t n) {
    DataOptions options;
    for (std::size_t i = 0; i < n; ++i) options.targets.push_back(name_of(i));
    const auto entry = [](std::size_t i) { return fmt::format("\"{}\":1", name_of(i)); };
    const Dataset data = read_text_as(read_jsonl, "{\"num_nodes\":1," + joined(n, entry) + "}\n", options);
    EXPECT_EQ(data.schema.targets.size(), n);
  });
}

// A wide target, and then lines that leave it out: blanks that stand nowhere.
TEST(Bombs, JsonBlanksThatNoLineHolds) {
  const std::string wide = "{\"num_nodes\":1,\"y\":[" + joined(10000, [](std::size_t) { return "1"; }) + "]}\n";
  std::string text = wide;
  for (int i = 0; i < 1000; ++i) text += "{\"num_nodes\":1}\n";
  EXPECT_THAT(error_of(read_jsonl, text), HasSubstr("the lines without 'y' stand for far more blanks"));
  // A few are as before.
  EXPECT_EQ(read_text_as(read_jsonl, wide + "{\"num_nodes\":1}\n").graphs.size(), 2U);
}

TEST(Bombs, XmlAttributes) {
  expect_linear(2000, [](std::size_t n) {
    const std::string text = "<a " +
                             joined(
                                 n, [](std::size_t i) { return name_of(i) + "=\"1\""; }, " ") +
                             "/>";
    XmlReader xml(text, "file");
    EXPECT_EQ(xml.next(), XmlReader::Event::kStart);
    EXPECT_EQ(xml.attributes().size(), n);
  });
}

TEST(Bombs, XmlAttributesThatAreThereTwice) {
  for (const std::size_t before : {1, 7, 8, 9, 20}) {
    const std::string text = "<a " +
                             joined(
                                 before, [](std::size_t i) { return name_of(i) + "=\"1\""; }, " ") +
                             " " + name_of(before / 2) + "=\"2\"/>";
    XmlReader xml(text, "file");
    EXPECT_THAT(error_from([&] { xml.next(); }), HasSubstr("is there twice")) << before;
  }
}

TEST(Bombs, XmlDocumentTypes) {
  expect_linear(2000, [](std::size_t n) {
    const std::string text = joined(
                                 n, [](std::size_t) { return "<!DOCTYPE a>"; }, "") +
                             "<a/>";
    XmlReader xml(text, "file");
    EXPECT_EQ(xml.next(), XmlReader::Event::kStart);
  });
}

TEST(Bombs, GraphmlKeys) {
  expect_linear(500, [](std::size_t n) {
    const auto key = [](std::size_t i) {
      return fmt::format(R"(<key id="{}" for="node" attr.type="int"/>)", name_of(i));
    };
    const auto data = [](std::size_t i) { return fmt::format(R"(<data key="{}">1</data>)", name_of(i)); };
    const std::string text = "<graphml>" + joined(n, key, "") + "<graph edgedefault=\"directed\"><node id=\"n\">" +
                             joined(n, data, "") + "</node></graph></graphml>";
    EXPECT_EQ(read_text_as(read_graphml, text).schema.nodes.categories.size(), n);
  });
}

// Keys with defaults, and nodes that write none of them out.
TEST(Bombs, GraphmlDefaults) {
  const auto keys = [](std::size_t n, const char* owner) {
    return joined(
        n,
        [&](std::size_t i) {
          return fmt::format(R"(<key id="{}" for="{}" attr.type="int"><default>1</default></key>)", name_of(i), owner);
        },
        "");
  };
  const auto node = [](std::size_t i) { return fmt::format("<node id=\"{}\"/>", i); };
  EXPECT_THAT(error_of(read_graphml, "<graphml>" + keys(4000, "node") + "<graph edgedefault=\"directed\">" +
                                         joined(2000, node, "") + "</graph></graphml>"),
              HasSubstr("stand for far more values than the file holds"));
  const auto graph = [](std::size_t) { return "<graph edgedefault=\"directed\"><node id=\"n\"/></graph>"; };
  EXPECT_THAT(error_of(read_graphml, "<graphml>" + keys(4000, "graph") + joined(2000, graph, "") + "</graphml>"),
              HasSubstr("stand for far more values than the file holds"));
  EXPECT_EQ(read_text_as(read_graphml, "<graphml>" + keys(20, "node") + "<graph edgedefault=\"directed\">" +
                                           joined(500, node, "") + "</graph></graphml>")
                .graphs.view(0)
                .num_nodes,
            500U);
}

TEST(Bombs, TuColumns) {
  expect_linear(1000, [](std::size_t n) {
    const std::string row = joined(n, [](std::size_t) { return "0.5"; }) + "\n";
    const Dataset data = read_members_as(read_tu, {{"X_A.txt", "1, 1\n"},
                                                   {"X_graph_indicator.txt", "1\n"},
                                                   {"X_graph_attributes.txt", row},
                                                   {"X_node_attributes.txt", row},
                                                   {"X_edge_attributes.txt", row}});
    EXPECT_EQ(data.schema.targets.size(), n);
  });
}

TEST(Bombs, OgbColumns) {
  expect_linear(1000, [](std::size_t n) {
    const std::string row = joined(n, [](std::size_t) { return "0.5"; }) + "\n";
    const Dataset data = read_members_as(read_ogb, {{"raw/num-node-list.csv", "1\n"},
                                                    {"raw/num-edge-list.csv", "0\n"},
                                                    {"raw/edge.csv", ""},
                                                    {"raw/node-feat.csv", row},
                                                    {"raw/graph-label.csv", row}});
    EXPECT_EQ(data.schema.targets.size(), n);
  });
}

TEST(Bombs, EdgeListFields) {
  expect_linear(20000, [](std::size_t n) {
    const std::string line = joined(
        n + 4, [](std::size_t) { return "1"; }, " ");
    EXPECT_THAT(error_of(read_edge_list, line + "\n"), HasSubstr("there is more on the line"));
  });
}

TEST(Bombs, VocabulariesOfManyColumns) {
  expect_linear(1000, [](std::size_t n) {
    const auto one = [](std::size_t) { return std::string("1"); };
    Dataset data =
        read_members_as(read_csv_triple, {{"nodes.csv", "graph," + joined(n, name_of) + "\ng," + joined(n, one) + "\n"},
                                          {"edges.csv", "graph,source,target\n"}});
    const Schema schema = data.schema;
    EXPECT_EQ(apply_vocabulary(data, schema).nodes, 0U);
    Schema others = schema;
    for (CategoryColumn& column : others.nodes.categories) column.name[0] = 'd';
    EXPECT_EQ(apply_vocabulary(data, others).nodes, 0U);
  });
}

// Sizes that only the header claims: nothing is taken for them.
TEST(Bombs, HeadersThatClaimMuch) {
  const std::string huge = "1152921504606846976";  // 2^60
  const auto expect_refused = [](Reader reader, const std::string& text) {
    SCOPED_TRACE(text);
    const Work work = work_of([&] { EXPECT_NE(error_of(reader, text), "accepted"); });
    EXPECT_LT(work.peak, 4U << 20);  // where nothing is counted, it is 0
  };
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
  expect_refused(read_matrix_market, banner + huge + " " + huge + " " + huge + "\n1 1\n");
  expect_refused(read_matrix_market, banner + "4294967295 4294967295 " + huge + "\n1 1\n");
  expect_refused(read_matrix_market, banner + "3 3 " + huge + "\n1 1\n");
  expect_refused(read_metis, huge + " " + huge + "\n2\n1\n");
  expect_refused(read_metis, "4294967296 1\n2\n1\n");
  expect_refused(read_metis, "2 1 011 1000\n2\n1\n");
  expect_refused(read_gin, huge + "\n1 0\n0 0\n");
  expect_refused(read_gin, "1\n4294967295 0\n0 0\n");
  expect_refused(read_gin, "1\n2 0\n0 " + huge + " 1\n0 0\n");
  expect_refused(read_jsonl, "{\"num_nodes\":" + huge + "}\n");
  expect_refused(read_jsonl, "{\"num_nodes\":4294967295}\n");
}

class Archives : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& bytes) {
    write_text(folder_ / name, bytes);
    return folder_ / name;
  }
  TempFolder folder_;
};

// Every member took a way through all those before it.
TEST_F(Archives, ListsOfFoldsInAnArchive) {
  expect_linear(200, [&](std::size_t n) {
    ArchiveMembers members;
    for (std::size_t fold = 0; fold < n; ++fold) {
      members.emplace_back(fmt::format("train_idx-{}.txt", fold), "0\n1\n");
      members.emplace_back(fmt::format("test_idx-{}.txt", fold), "2\n");
    }
    std::reverse(members.begin(), members.end());
    for (const char* ending : {".zip", ".tar.gz"}) {
      const auto splits = read_split_file(file(fmt::format("folds{}{}", n, ending), archive_of(members, ending)), 3);
      ASSERT_EQ(splits.size(), n);
      EXPECT_EQ(splits[n - 1].test, std::vector<std::size_t>{2});
    }
  });
}

TEST_F(Archives, EveryMemberInOneGo) {
  const ArchiveMembers members = {{"b.txt.gz", packed("two", ".gz")}, {"a.txt", "one"}, {"x/._a.txt", "hidden"}};
  for (const char* ending : {".zip", ".tar", ".tar.xz"}) {
    const Input input = Input::open(file(std::string("all") + ending, archive_of(members, ending)));
    std::string found;
    input.for_each(
        [&](const std::string& member, ByteStream& stream) { found += member + "=" + read_all(stream, member) + ";"; });
    EXPECT_EQ(found, "b.txt=two;a.txt=one;") << ending;
    const Input some = input.unpacked([](const std::string& member) { return member == "b.txt"; }, 100);
    EXPECT_EQ(some.members(), std::vector<std::string>{"b.txt"});
    EXPECT_EQ(some.place("b.txt"), input.place("b.txt"));
    EXPECT_EQ(read_all(*some.stream("b.txt"), "b.txt"), "two");
    EXPECT_THAT(error_from([&] { static_cast<void>(input.unpacked([](const std::string&) { return true; }, 2)); }),
                HasSubstr("has more than"));
  }
}

TEST_F(Archives, MembersAreFoundByTheirNames) {
  expect_linear(2000, [&](std::size_t n) {
    ArchiveMembers members;
    for (std::size_t i = 0; i < n; ++i) members.emplace_back(name_of(i), "");
    const Input input = Input::from_texts("set", members);
    for (std::size_t i = 0; i < n; ++i) EXPECT_TRUE(input.has(name_of(i)));
  });
}

constexpr UnpackLimit kTight = {.ratio = 50, .free = 1 << 20};

std::string read_all_members(const std::string& path, UnpackLimit limit) {
  return error_from([&] {
    const Input input = Input::open(path, limit);
    for (const std::string& member : input.members()) {
      std::string block(1 << 16, 0);
      const auto stream = input.stream(member);
      while (stream->read(block.data(), block.size()) > 0) continue;
    }
  });
}

TEST_F(Archives, WhatUnpacksToFarMoreThanItsSizeIsRefused) {
  const std::string zeros(8 << 20, '0');
  for (const char* ending : {".gz", ".xz", ".zst", ".bz2"}) {
    const std::string path = file(std::string("zeros") + ending, packed(zeros, ending));
    const std::string text = read_all_members(path, kTight);
    EXPECT_THAT(text, HasSubstr("unpack to more than 1048576, over 50 times as many")) << ending;
    EXPECT_THAT(text, HasSubstr("--max-unpack-ratio"));
    EXPECT_EQ(read_all_members(path, {.ratio = 10000000, .free = 1 << 20}), "accepted") << ending;
    EXPECT_EQ(read_all_members(path, {.ratio = 50, .free = 16 << 20}), "accepted") << ending;
  }
  for (const char* ending : {".zip", ".tar.gz", ".tar.zst"}) {
    const ArchiveMembers members = {{"a", zeros}, {"b", "1"}};
    EXPECT_THAT(read_all_members(file(std::string("set") + ending, archive_of(members, ending)), kTight),
                HasSubstr("over 50 times as many"))
        << ending;
  }
}

// The packings of packings multiply.
TEST_F(Archives, PackingsInsideOfPackingsCountAgainstTheFile) {
  const std::string inner = packed(std::string(8 << 20, '0'), ".gz");
  ASSERT_GT(inner.size(), (8U << 20) / 2000);
  const std::string path = file("nested.zip", archive_of({{"a.csv.gz", inner}}, ".zip"));
  EXPECT_THAT(read_all_members(path, kTight), HasSubstr("over 50 times as many"));
}

// A member that is only passed by costs as much to unpack as one that is read.
TEST_F(Archives, MembersThatAreLeftOutCount) {
  const std::string path = file("left.tar.gz", archive_of({{"a", std::string(8 << 20, '0')}, {"b", "1"}}, ".tar.gz"));
  EXPECT_THAT(error_from([&] { static_cast<void>(Input::open(path, kTight)); }), HasSubstr("over 50 times as many"));
}

TEST_F(Archives, TextThatPacksAsTextDoesIsRead) {
  std::string text;
  for (std::uint64_t i = 0; i < 200000; ++i) text += std::to_string(i * 7919 % 104729) + "\n";
  EXPECT_EQ(read_all_members(file("plain.gz", packed(text, ".gz")), kTight), "accepted");
}

TEST_F(Archives, TheOptionReachesTheReader) {
  DataOptions options;
  options.max_unpack_ratio = 1;
  EXPECT_EQ(unpack_limit(options).ratio, 1U);
  const std::string path = file("set.jsonl.gz", packed("{\"num_nodes\":1}\n", ".gz"));
  EXPECT_EQ(read_data(path, options).graphs.size(), 1U);  // far below what is free
}

TEST(Bombs, FoldsOfEveryGraph) {
  const std::vector<std::string> few = {"0", "1", "2"};
  EXPECT_EQ(column_split(few, "fold").size(), 3U);
  std::vector<std::string> many;
  for (int i = 0; i < 12000; ++i) many.push_back(std::to_string(i));
  EXPECT_THAT(error_from([&] { static_cast<void>(column_split(many, "fold")); }),
              HasSubstr("12000 folds of 12000 graphs are lists of more than"));
  EXPECT_THAT(error_from([&] { static_cast<void>(k_folds(12000, 12000, 1)); }), HasSubstr("make fewer folds"));
}

TEST(Atoms, AreCountedWithoutRdkit) {
  EXPECT_EQ(count_atoms("CCO"), 3U);
  EXPECT_EQ(count_atoms("ClCCBr"), 4U);
  EXPECT_EQ(count_atoms("c1ccccc1"), 6U);
  EXPECT_EQ(count_atoms("[13CH4].[Na+].[OH-]"), 3U);
  EXPECT_EQ(count_atoms("C[C@@H](N)C(=O)O"), 6U);
  EXPECT_EQ(count_atoms("C%12CC%12"), 3U);
  EXPECT_EQ(count_atoms("*C"), 2U);
  EXPECT_EQ(count_atoms("  CC name of it"), 2U);
  EXPECT_EQ(count_atoms("[C"), 1U);
  EXPECT_EQ(count_atoms(""), 0U);
}

class Molecules : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_smiles()) GTEST_SKIP() << "built without RDKit";
  }
};

TEST_F(Molecules, OfTooManyAtomsAreBadRows) {
  EXPECT_EQ(kMaxAtoms, DataOptions{}.max_atoms);
  const std::string text = "smiles,y\nCC,1\n" + std::string(2000, 'C') + ",0\nCCO,0\n";
  const Dataset data = read_text_as(read_smiles_csv, text);
  EXPECT_EQ(data.graphs.size(), 2U);
  ASSERT_EQ(data.bad_rows.size(), 1U);
  EXPECT_EQ(data.bad_rows[0].row, 1U);
  EXPECT_EQ(data.bad_rows[0].where, "file:3:1");
  EXPECT_THAT(data.bad_rows[0].message, HasSubstr("2000 atoms, more than 600; --max-atoms allows more"));

  DataOptions options;
  options.max_atoms = 2;
  const Dataset small = read_text_as(read_smiles_csv, "smiles,y\nCC,1\nCCO,0\n", options);
  ASSERT_EQ(small.bad_rows.size(), 1U);
  EXPECT_EQ(small.bad_rows[0].row, 1U);
  EXPECT_EQ(murcko_scaffold("C1CC1", 2), std::nullopt);
  EXPECT_EQ(murcko_scaffold("C1CC1", 3), "C1CC1");
}

TEST_F(Molecules, WhoseStringsAreTooLongAreBadRows) {
  const std::string name(100000, 'x');
  EXPECT_THAT(std::get<std::string>(molecule_from_smiles("CC " + name)), HasSubstr("too many for 600 atoms"));
  EXPECT_TRUE(std::holds_alternative<Molecule>(molecule_from_smiles("CC " + name, 10000)));
}

}  // namespace
}  // namespace agentnet
