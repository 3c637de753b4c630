// MatrixMarket coordinate files: an entry (i, j) of a square matrix is an edge from node i to node j, counted from 1.
//
//   %%MatrixMarket matrix coordinate pattern|real|integer general|symmetric
//   % comments
//   rows columns entries
//   i j [value]
//
// The entries of a symmetric matrix stand for both directions. Values become the edge feature "weight".
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "core/text.h"
#include "data/formats/readers.h"
#include "data/formats/single_graph.h"
#include "data/io/lines.h"
#include "data/tables/builder.h"

namespace agentnet {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

class MatrixMarketReader {
 public:
  MatrixMarketReader(const Input& input, const DataOptions& options)
      : lines_(input, input.only_member()), source_(input.name()), options_(options), set_(options) {}

  Dataset read() {
    read_banner();
    read_size();
    const std::string where = lines_.where(lines_.line().data());
    for (std::uint64_t e = 0; e < entries_; ++e) read_entry(e);
    if (lines_.next_nonempty()) {
      lines_.fail_line(fmt::format("the file goes on after the last of its {} entries", entries_),
                       "correct the number of entries");
    }
    set_.add(std::move(parts_), {}, [&] { return where; });
    return std::move(set_).finish(source_, "matrixmarket");
  }

 private:
  // Reads a word of the banner that must be one of `known`.
  std::string word(Fields& banner, const char* what, std::initializer_list<std::string_view> known) {
    const char* at = banner.position();
    std::string found = lower_case(banner.text(what));
    if (std::find(known.begin(), known.end(), found) == known.end()) {
      lines_.fail(at, fmt::format("the {} {} cannot be read as a graph", what, in_quotes(found)),
                  fmt::format("write it as {}", join_text(known, " or ")));
    }
    return found;
  }

  void read_banner() {
    if (!lines_.next()) lines_.fail_at_end("the file is empty", "check the file");
    Fields banner(lines_);
    if (banner.at_end() || lower_case(banner.text("banner")) != "%%matrixmarket") {
      lines_.fail(lines_.line().data(), "the file does not begin with %%MatrixMarket",
                  "check the format, or name another with --format");
    }
    word(banner, "object", {"matrix"});
    word(banner, "layout", {"coordinate"});
    weighted_ = word(banner, "field", {"pattern", "real", "integer"}) != "pattern";
    parts_.undirected = word(banner, "symmetry", {"general", "symmetric"}) == "symmetric";
    banner.expect_end("the banner");
    if (weighted_) set_.edges.add({"weight"}, kind_of_weights(options_.edge_features));
  }

  void read_size() {
    do {
      if (!lines_.next_nonempty()) lines_.fail_at_end("the file ends where the size of the matrix should be");
    } while (lines_.line().starts_with('%'));
    Fields size(lines_);
    const char* rows_at = size.position();
    const std::uint64_t rows = size.count("number of rows");
    const char* columns_at = size.position();
    const std::uint64_t columns = size.count("number of columns");
    entries_ = size.count("number of entries");
    size.expect_end("the numbers of rows, columns and entries");
    if (rows != columns) {
      lines_.fail(columns_at, fmt::format("the matrix has {} rows but {} columns: it is no graph", rows, columns),
                  "give a square matrix");
    }
    if (rows == 0) lines_.fail(rows_at, "the matrix has no rows", "leave empty graphs out");
    if (!plausible_nodes(rows, entries_)) {
      lines_.fail(rows_at, fmt::format("the matrix has {} rows for {} entries", rows, entries_), "check the sizes");
    }
    parts_.num_nodes = rows;
  }

  std::uint32_t index(Fields& entry, const char* what) {
    const char* at = entry.position();
    const std::uint64_t i = entry.count(what);
    if (i == 0 || i > parts_.num_nodes) {
      lines_.fail(at, fmt::format("the {} {} is not between 1 and {}", what, i, parts_.num_nodes),
                  "rows and columns count from 1");
    }
    return static_cast<std::uint32_t>(i - 1);
  }

  void read_entry(std::uint64_t e) {
    if (!lines_.next_nonempty()) lines_.fail_at_end(fmt::format("the file ends after {} of {} entries", e, entries_));
    Fields entry(lines_);
    parts_.from.push_back(index(entry, "row"));
    parts_.to.push_back(index(entry, "column"));
    if (weighted_) {
      const char* at = entry.position();
      parts_.edge_dense.push_back(set_.edges.value(0, entry.text("value"), failing_at(lines_, at)));
    }
    if (!entry.at_end()) entry.expect_end(weighted_ ? "row, column and value" : "row and column");
  }

  Lines lines_;
  std::string source_;
  const DataOptions& options_;
  SetBuilder set_;
  GraphParts parts_;
  std::uint64_t entries_ = 0;
  bool weighted_ = false;
};

}  // namespace

Dataset read_matrix_market(const Input& input, const DataOptions& options) {
  return MatrixMarketReader(input, options).read();
}

}  // namespace agentnet
