// 41,127 SMILES strings to atom and bond features, and to scaffolds, on one thread and on two.
//
//   bench_smiles
//
// Reads ogbg_molhiv of the shared folder (AGENTNET_SHARED_DIR, or `shared` beside the source tree); skips without it.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "data/io/lines.h"
#include "data/molecules/molecule.h"

namespace agentnet {
namespace {

std::filesystem::path set_file() {
  const char* named = std::getenv("AGENTNET_SHARED_DIR");
  const auto shared = named != nullptr && *named != '\0'
                          ? std::filesystem::path(named)
                          : std::filesystem::path(AGENTNET_SOURCE_DIR).parent_path() / "shared";
  return shared / "data" / "ogbg_molhiv" / "mapping" / "mol.csv.gz";
}

template <class F>
double seconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run(const std::filesystem::path& path) {
  const Input input = Input::open(path);
  Lines lines(input, input.members().at(0));
  std::vector<std::string> smiles;
  static_cast<void>(lines.next());  // column names
  while (lines.next()) smiles.emplace_back(lines.line().substr(lines.line().find(',') + 1));

  fmt::print("{} SMILES strings\n{:<10} {:>9} {:>9} {:>6}\n", smiles.size(), "", "1 thread", "2 threads", "ratio");
  ThreadPool one(1), two(2);
  const auto row = [&](const char* name, const auto& f) {
    const double alone = seconds([&] { f(one); }), both = seconds([&] { f(two); });
    fmt::print("{:<10} {:>8.2f}s {:>8.2f}s {:>6.2f}\n", name, alone, both, alone / both);
  };
  row("features", [&](ThreadPool& pool) { static_cast<void>(molecules_from_smiles(smiles, pool)); });
  row("scaffolds", [&](ThreadPool& pool) { static_cast<void>(murcko_scaffolds(smiles, pool)); });
}

}  // namespace
}  // namespace agentnet

int main() {
  const auto path = agentnet::set_file();
  if (!agentnet::can_read_smiles() || !std::filesystem::exists(path)) {
    fmt::print("skipped: {}\n", agentnet::can_read_smiles() ? "no " + path.string() : "built without RDKit");
    return 0;
  }
  try {
    agentnet::run(path);
  } catch (const agentnet::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return agentnet::exit_code(error.kind());
  }
  return 0;
}
