// The options of every command that reads data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "commands.h"

namespace CLI {
class App;
}

namespace agentnet {

struct DataArguments {
  std::string source;  // DATA
  DataOptions options;
  std::string task;
  std::vector<std::string> targets, keep;  // as they were typed: parsed() finds the names in them
  bool directed = false, undirected = false;
  bool verify = false;
  bool source_is_kept = false;  // see SourceName

  // The options as the library wants them; call when the arguments are parsed. Throws Error (kUsage).
  [[nodiscard]] DataOptions parsed() const;
};

// Declares DATA and the options that say how to read it; `arguments` must live until the command runs.
void add_data_options(CLI::App& app, DataArguments& arguments, const char* argument_name = "DATA");
// The same for a command whose DATA may be named elsewhere (a config file). Where its name is kept, to read it again
// some day, it must not be a pipe.
enum class SourceName { kKept, kForNow };
void add_optional_data_options(CLI::App& app, DataArguments& arguments, SourceName name = SourceName::kKept);

// --max-memory; what it says holds for the whole process once apply_memory_limit() is called. 0: it was not given.
struct MemoryArguments {
  std::uint64_t bytes = 0;
};
void add_memory_option(CLI::App& app, MemoryArguments& arguments);
void apply_memory_limit(const MemoryArguments& arguments);

// Of --safe-csv, wherever CSV is written that people may open.
inline constexpr const char* kSafeCsvHelp =
    "put an apostrophe before texts that a spreadsheet would take for a formula (=, +, -, @)";

// For a command that shows graphs: has the SMILES texts of a table of molecules kept (DataOptions::keep). `reading` is
// how the source is going to be read.
void keep_smiles(const std::string& source, const DataOptions& reading, DataOptions& options);

// Dataset::notes: what the reader did that the user may not expect.
void tell_notes(const Dataset& data, const Console& console);

// Says which rows are not graphs. Throws Error (kData) if there are any, unless they may be left out.
void tell_bad_rows(const Dataset& data, bool leave_out, const Console& console);

}  // namespace agentnet
