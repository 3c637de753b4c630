#include "data/io/read_in_parts.h"

#include <numeric>
#include <vector>

#include "agentnet/error.h"
#include "data/formats/formats.h"
#include "data/huge/mapped_set.h"
#include "data/synthetic/synthetic.h"

namespace agentnet {
namespace {

constexpr const char* kMappedFormat = "agentset";

std::uint64_t take_whole(Dataset data, const std::function<void(Dataset&&)>& take) {
  const std::uint64_t rows = data.num_rows();
  if (data.rows.empty()) {
    data.rows.resize(data.graphs.size());
    std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  }
  take(std::move(data));
  return rows;
}

bool is_built_in(const std::string& source) { return source.starts_with(kSyntheticPrefix); }

}  // namespace

std::uint64_t read_in_parts(const std::string& source, const DataOptions& options, RowParts parts,
                            const std::function<void(Dataset&&)>& take) {
  if (parts.rows == 0) throw Error(ErrorKind::kUsage, "a part of no rows", "read at least one row at a time");
  if (is_built_in(source)) return take_whole(read_data(source, options), take);
  const Input input = open_source(source, unpack_limit(options));
  const Format& format = format_for(input, options);
  if (format.read_parts != nullptr) return format.read_parts(input, options, parts, take);
  Dataset data = format.read(input, options);
  require_kept_columns(data, options);
  return take_whole(std::move(data), take);
}

std::string format_of(const std::string& source, const DataOptions& options) {
  if (is_built_in(source)) return {};
  return format_for(open_source(source, unpack_limit(options)), options).name;
}

bool is_made_already(const std::string& source) {
  if (is_built_in(source)) return true;
  const Input input = Input::open(source);
  return input.members().size() == 1 && !input.is_folder() &&
         format_by_name(kMappedFormat).detect({input, input.members()[0], input.head()});
}

}  // namespace agentnet
