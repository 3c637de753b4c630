#include "data/read_in_parts.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "agentnet/error.h"
#include "data/formats.h"
#include "data/mapped_set.h"
#include "data/synthetic.h"

namespace agentnet {
namespace {

constexpr const char* kMappedFormat = "agentset";

// The graphs [first, last) of a set that has no bad rows.
Dataset part_of(const Dataset& data, std::size_t first, std::size_t last) {
  std::vector<std::size_t> graphs(last - first);
  std::iota(graphs.begin(), graphs.end(), first);
  Dataset part;
  part.source = data.source;
  part.format = data.format;
  part.schema = data.schema;
  part.graphs = data.graphs.subset(graphs);
  part.rows.assign(graphs.begin(), graphs.end());
  for (const auto& [name, values] : data.columns) {
    part.columns[name].assign(values.begin() + static_cast<std::ptrdiff_t>(first),
                              values.begin() + static_cast<std::ptrdiff_t>(last));
  }
  return part;
}

void take_whole(Dataset data, const std::function<void(Dataset&&)>& take) {
  if (data.rows.empty()) {
    data.rows.resize(data.graphs.size());
    std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  }
  take(std::move(data));
}

bool is_built_in(const std::string& source) { return source.starts_with(kSyntheticPrefix); }

}  // namespace

void read_in_parts(const std::string& source, const DataOptions& options, std::size_t rows,
                   const std::function<void(Dataset&&)>& take) {
  if (rows == 0) throw Error(ErrorKind::kUsage, "a part of no rows", "read at least one row at a time");
  if (is_built_in(source)) return take_whole(read_data(source, options), take);
  const Input input = Input::open(source);
  const Format& format = options.format.empty() ? detect_format(input) : format_by_name(options.format);
  if (format.read_parts != nullptr) return format.read_parts(input, options, rows, take);
  Dataset data = format.read(input, options);
  require_kept_columns(data, options);
  const bool mapped = format.name == std::string_view(kMappedFormat);
  if (mapped) check_mapped_set(data);
  if (!mapped || data.graphs.size() <= rows) return take_whole(std::move(data), take);
  for (std::size_t first = 0; first < data.graphs.size(); first += rows) {
    take(part_of(data, first, std::min(first + rows, data.graphs.size())));
  }
}

std::string format_of(const std::string& source, const DataOptions& options) {
  if (is_built_in(source)) return {};
  return options.format.empty() ? detect_format(Input::open(source)).name : format_by_name(options.format).name;
}

bool is_made_already(const std::string& source) {
  if (is_built_in(source)) return true;
  const Input input = Input::open(source);
  return input.members().size() == 1 && !input.is_folder() &&
         format_by_name(kMappedFormat).detect({input, input.members()[0], input.head()});
}

}  // namespace agentnet
