#include "paper/set_sizes.h"

#include <fmt/core.h>

#include <array>

#include "agentnet/error.h"
#include "data/tables/statistics.h"
#include "paper/public_data.h"

namespace agentnet {
namespace {

struct Sizes {
  const char* name;  // the paper's
  const char* set;   // as find_public_set() knows it
  std::array<const char*, 6> paper;
};
constexpr std::array kColumns = {"graphs", "mean nodes", "most nodes", "fewest nodes", "mean degree", "highest degree"};
constexpr std::array kSizes = {
    Sizes{"MUTAG", "MUTAG", {"188", "17.9", "28", "10", "2.2", "4"}},
    Sizes{"PTC", "PTC", {"344", "25.6", "109", "2", "2.0", "4"}},
    Sizes{"PROTEINS", "PROTEINS", {"1113", "39.1", "620", "4", "3.73", "25"}},
    Sizes{"IMDB-B", "IMDB-BINARY", {"1000", "19.8", "136", "12", "9.8", "135"}},
    Sizes{"IMDB-M", "IMDB-MULTI", {"1500", "13.0", "89", "7", "10.1", "88"}},
    Sizes{"DD", "DD", {"1178", "284.3", "5748", "30", "5.0", "19"}},
    Sizes{"REDDIT-B", "REDDIT-BINARY", {"2000", "429.6", "3782", "6", "2.3", "3062"}},
    Sizes{"ogbg-molhiv", "ogbg-molhiv", {"41127", "25.5", "222", "2", "2.2", "10"}},
    Sizes{"ogbg-molpcba", "ogbg-molpcba", {"437929", "26.0", "332", "1", "2.2", "5"}},
    Sizes{"ogbg-ppa", "ogbg-ppa", {"158100", "243.4", "300", "50", "18.62", "299"}},
    Sizes{"ZINC", "ZINC", {"12000", "23.2", "37", "9", "2.2", "4"}},
    Sizes{"QM9", "QM9", {"130831", "18.0", "29", "3", "2.0", "5"}},
};

// With as many digits as the paper's figure has.
std::string as_the_paper_writes(double value, std::string_view paper) {
  const std::size_t point = paper.find('.');
  const std::size_t digits = point == std::string_view::npos ? 0 : paper.size() - point - 1;
  return fmt::format("{:.{}f}", value, digits);
}

SetStatistics counted(const std::string& source, const SizesOptions& options) {
  DataOptions reading;
  reading.threads = options.threads;
  return statistics_of(read_data(source, reading));
}

}  // namespace

PaperTable set_sizes_table(const SizesOptions& options) {
  PaperTable table{4, "sizes of the public sets", "set", {kColumns.begin(), kColumns.end()}, {}};
  for (const Sizes& sizes : kSizes) {
    PaperTable::Row row{sizes.name, {}};
    for (const char* figure : sizes.paper) row.cells.push_back({.paper = figure, .experiment = ""});
    std::string source;
    try {
      source = find_public_set(sizes.set, options.data, options.made);
    } catch (const Error& e) {  // it is not there: a blank line of the table, and a word
      if (e.kind() != ErrorKind::kUsage) throw;
      if (options.say) options.say(std::string(e.what()) + "; " + e.hint());
    }
    if (!source.empty()) {
      if (options.say) options.say(fmt::format("counting {}", source));
      const SetStatistics s = counted(source, options);
      const std::array values = {
          static_cast<double>(s.graphs), s.nodes.mean, s.nodes.max, s.nodes.min, s.degree.mean, s.degree.max};
      for (std::size_t c = 0; c < values.size(); ++c) {
        row.cells[c].ours = as_the_paper_writes(values.at(c), sizes.paper.at(c));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace agentnet
