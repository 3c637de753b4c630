// The paper's tables with our figures, as Markdown, CSV, JSON and a page.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/json.h"
#include "core/text.h"
#include "data/syntax/csv.h"
#include "paper/aligned_table.h"
#include "paper/tables.h"

namespace agentnet {
namespace {

const ExperimentResult* result_of(const PaperCell& cell, const std::vector<ExperimentResult>& results) {
  return best_result(results, cell.experiment, cell.method).result;
}

// How much is behind a figure: "3 seeds, small, best of 8 settings, 12 min".
std::string behind(const PaperCell& cell, const std::vector<ExperimentResult>& results) {
  const BestResult best = best_result(results, cell.experiment, cell.method);
  std::string text = fmt::format("{}, {}", best.result->over(), best.result->seeds.front().scale);
  if (best.points > 0) {
    text += fmt::format(", best of {} settings{}", best.points,
                        best.result->point.empty() ? "" : ": " + best.result->point);
  }
  return text + ", " + training_time(best.result->seconds());
}

// Ours as the paper gives its figure, with one rollout; of a validation part there is the average alone.
std::string ours(const PaperCell& cell, const ExperimentResult& result) {
  return result.text(cell.valid ? result.valid() : result.one_rollout());
}

std::string averaged(const PaperCell& cell, const ExperimentResult& result) {
  const std::string text = cell.valid ? "-" : result.text(result.averaged());
  return text == "-" ? "" : text;
}

// "98.7 ± 0.4, mean of 8: 100.0 ± 0.0 (3 seeds, small)"
std::string cell_text(const PaperCell& cell, const std::vector<ExperimentResult>& results) {
  const ExperimentResult* const result = result_of(cell, results);
  if (result == nullptr) return cell.ours;
  std::string text = ours(cell, *result);
  if (const std::string mean = averaged(cell, *result); !mean.empty()) {
    text += fmt::format(", mean of {}: {}", result->seeds.front().rollouts, mean);
  }
  return text + fmt::format(" ({})", behind(cell, results));
}

std::string in_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string table_markdown(const PaperTable& table, const std::vector<ExperimentResult>& results) {
  std::vector<std::vector<std::string>> rows = {{table.head}};
  rows.front().insert(rows.front().end(), table.columns.begin(), table.columns.end());
  for (const PaperTable::Row& row : table.rows) {
    std::vector<std::string> theirs = {row.name}, mine = {"- ours"};
    for (const PaperCell& cell : row.cells) {
      theirs.push_back(cell.paper);
      mine.push_back(cell_text(cell, results));
    }
    rows.push_back(std::move(theirs));
    rows.push_back(std::move(mine));
  }
  return fmt::format("Table {} of the paper: {}\n\n{}", table.number, table.title, aligned_markdown(rows));
}

std::string table_csv(const PaperTable& table, const std::vector<ExperimentResult>& results) {
  std::string text = "table,row,column,paper,ours_one_rollout,ours_averaged,over,scale,seconds,point,points\n";
  for (const PaperTable::Row& row : table.rows) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const PaperCell& cell = row.cells[c];
      text += fmt::format("{},{},{},{},", table.number, csv_field(row.name), csv_field(table.columns[c]),
                          csv_field(cell.paper));
      const BestResult best = best_result(results, cell.experiment, cell.method);
      if (best.result == nullptr) {
        text += csv_field(cell.ours) + ",,,,,,\n";
        continue;
      }
      text += fmt::format("{},{},{},{},{:.1f},{},{}\n", ours(cell, *best.result), averaged(cell, *best.result),
                          best.result->over(), best.result->seeds.front().scale, best.result->seconds(),
                          csv_field(best.result->point), best.points);
    }
  }
  return text;
}

std::string table_json(const PaperTable& table, const std::vector<ExperimentResult>& results) {
  Json j;
  j["table"] = table.number;
  j["title"] = table.title;
  j["columns"] = table.columns;
  j["rows"] = Json::array();
  for (const PaperTable::Row& row : table.rows) {
    Json cells = Json::array();
    for (const PaperCell& cell : row.cells) {
      Json one = {{"paper", cell.paper}, {"experiment", cell.experiment}, {"ours", nullptr}};
      one["method"] = cell.method.empty() ? "agentnet" : cell.method;
      if (!cell.ours.empty()) one["ours"] = {{"one_rollout", cell.ours}};
      if (const ExperimentResult* const result = result_of(cell, results); result != nullptr) {
        one["ours"] = {{"one_rollout", ours(cell, *result)},
                       {"averaged", averaged(cell, *result)},
                       {"over", result->over()},
                       {"scale", result->seeds.front().scale},
                       {"point", result->point},
                       {"points", best_result(results, cell.experiment, cell.method).points},
                       {"seconds", result->seconds()}};
      }
      cells.push_back(std::move(one));
    }
    j["rows"].push_back({{"name", row.name}, {"cells", std::move(cells)}});
  }
  return j.dump(2) + "\n";
}

std::string table_html(const PaperTable& table, const std::vector<ExperimentResult>& results) {
  std::string text = fmt::format(R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Table {0} of the paper</title>
<style>
body {{ font: 15px/1.4 system-ui, sans-serif; margin: 2rem; color: #222; background: #fff; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .35rem .8rem; text-align: left; vertical-align: top; border-bottom: 1px solid #ddd; }}
.ours {{ color: #0b5cad; display: block; }}
.how {{ color: #666; font-size: 12px; display: block; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #ddd; background: #16181c; }}
  th, td {{ border-color: #333; }}
  .ours {{ color: #7db8ff; }}
  .how {{ color: #999; }}
}}
</style>
<h1>Table {0}</h1>
<p>{1}. The paper's figures, <span class="ours" style="display: inline">ours under them</span>; what was not run is blank.</p>
<table>
<tr><th>{2}</th>)",
                                 table.number, in_html(table.title), in_html(table.head));
  for (const std::string& column : table.columns) text += fmt::format("<th>{}</th>", in_html(column));
  text += "</tr>\n";
  for (const PaperTable::Row& row : table.rows) {
    text += fmt::format("<tr><th>{}</th>", in_html(row.name));
    for (const PaperCell& cell : row.cells) {
      text += "<td>" + in_html(cell.paper);
      if (!cell.ours.empty()) text += fmt::format("<span class=\"ours\">{}</span>", in_html(cell.ours));
      if (const ExperimentResult* const result = result_of(cell, results); result != nullptr) {
        std::string how = behind(cell, results);
        if (const std::string mean = averaged(cell, *result); !mean.empty()) {
          how = fmt::format("mean of {}: {}; {}", result->seeds.front().rollouts, mean, how);
        }
        text += fmt::format("<span class=\"ours\">{}</span><span class=\"how\">{}</span>", in_html(ours(cell, *result)),
                            in_html(how));
      }
      text += "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</table>\n</html>\n";
}

}  // namespace agentnet
