#include "output/page_file.h"

#include <fmt/core.h>

#include <ostream>

#include "agentnet/error.h"
#include "core/counted.h"
#include "core/files/whole_file.h"
#include "core/print.h"

namespace agentnet {

void plan_page(const std::filesystem::path& path, bool force) {
  require_viewer();
  std::error_code error;
  if (!force && std::filesystem::exists(path, error)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} exists already", path.string()),
                "choose another name, or replace it with --force");
  }
  const std::filesystem::path folder = path.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    throw Error(ErrorKind::kUsage, fmt::format("there is no folder {} for the page", folder.string()),
                "make it first, or choose another name");
  }
}

void write_page(const std::filesystem::path& path, const PageData& page, const Console& console) {
  std::size_t walks = 0;
  const std::string html = page_html(page, &walks);
  write_whole_file(path, html);
  tell_left_out(page, walks, console);
  print_to(console.err, "page: {} ({}, {} with walks, {:.1f} MB); open it in a browser\n", path.string(),
           counted(page.graphs.size(), "graph"), walks, static_cast<double>(html.size()) / 1e6);
}

void tell_left_out(const PageData& page, std::size_t walks, const Console& console) {
  if (walks == page.explanations.size()) return;
  print_to(console.err, "note: the walks of {} are too large for the page and are left out\n",
           counted(page.explanations.size() - walks, "graph"));
}

}  // namespace agentnet
