// The tables of the paper, copied from its text (arXiv 2206.11010): figures are means with standard deviations.
#include "paper/tables.h"

#include <fmt/core.h>

#include "agentnet/error.h"
#include "core/text.h"

namespace agentnet {
namespace {

using Row = PaperTable::Row;
using Figures = std::vector<const char*>;

// Of a table whose columns are experiments: `suffix` makes a variant's name ("4cycles-random") out of a column's.
Row row(const std::vector<std::string>& experiments, const char* name, const Figures& figures,
        const std::string& method = "", const std::string& suffix = "") {
  Row made{name, {}};
  for (std::size_t c = 0; c < figures.size(); ++c) {
    made.cells.push_back({figures[c], experiments[c] + suffix, method});
  }
  return made;
}

PaperTable expressiveness() {
  const std::vector<std::string> sets = {"4cycles", "csl", "2wl"};
  PaperTable t{
      1, "test accuracy (%) on sets that 1-WL cannot solve", "model", {"4-cycles", "circular skip links", "2-WL"}, {}};
  t.rows = {
      row(sets, "GIN", {"50.0 ± 0.0", "10.0 ± 0.0", "50.0 ± 0.0"}, "gin"),
      row(sets, "GIN with random features", {"99.7 ± 0.4", "95.8 ± 2.1", "92.4 ± 1.6"}, "gin-random"),
      row(sets, "SMP", {"100.0 ± 0.0", "100.0 ± 0.0", "50.0 ± 0.0"}, "smp"),
      row(sets, "DropGIN", {"100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"}, "dropgin"),
      row(sets, "ESAN (edges deleted)", {"100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"}, "esan-edge-deleted"),
      row(sets, "1-2-3 GNN", {"100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"}, "kgnn123"),
      row(sets, "PPGN", {"100.0 ± 0.0", "100.0 ± 0.0", "50.0 ± 0.0"}, "ppgn"),
      row(sets, "CRaWl", {"100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"}, "crawl"),
      row(sets, "Random Walk AgentNet", {"100.0 ± 0.0", "100.0 ± 0.0", "50.5 ± 4.5"}, "", "-random"),
      row(sets, "Simplified AgentNet", {"100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"}, "", "-simplified"),
      row(sets, "AgentNet", {"100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"}),
  };
  return t;
}

PaperTable classification() {
  const std::vector<std::string> sets = {"MUTAG", "PTC", "PROTEINS", "IMDB-B", "IMDB-M", "DD", "REDDIT-B"};
  PaperTable t{2, "accuracy (%) of 10 folds, epoch chosen on the folds", "model", sets, {}};
  t.rows = {
      row(sets, "GIN",
          {"89.4 ± 5.6", "64.6 ± 7.0", "76.2 ± 2.8", "75.1 ± 5.1", "52.3 ± 2.8", "76.9 ± 3.7", "92.4 ± 2.5"}, "gin"),
      row(sets, "DropGIN",
          {"90.4 ± 7.0", "66.3 ± 8.6", "76.3 ± 6.1", "75.7 ± 4.2", "51.4 ± 2.8", "76.4 ± 3.4", "89.9 ± 1.7"},
          "dropgin"),
      row(sets, "ESAN (best of 8 versions)",
          {"91.1 ± 7.0", "69.2 ± 6.5", "77.1 ± 4.6", "77.1 ± 2.6", "53.5 ± 3.4", "81.2 ± 2.3", "93.3 ± 1.3"}, "esan"),
      row(sets, "1-2-3 GNN", {"88.8 ± 7.0", "64.0 ± 6.0", "76.8 ± 3.7", "73.6 ± 2.2", "51.1 ± 3.8", "OOM", "OOM"},
          "kgnn123"),
      row(sets, "PPGN (best of 3 versions)",
          {"90.6 ± 8.7", "66.2 ± 6.5", "77.2 ± 4.7", "73 ± 5.8", "50.5 ± 3.6", "OOM", "OOM"}, "ppgn"),
      row(sets, "CRaWl",
          {"90.4 ± 7.1", "68.0 ± 6.5", "76.2 ± 3.7", "73.4 ± 2.1", "47.8 ± 3.9", "78.3 ± 5.5", "92.8 ± 2.2"}, "crawl"),
      row(sets, "1-AgentNet",
          {"89.4 ± 10.9", "66.6 ± 7.6", "75.1 ± 3.4", "74.9 ± 3.9", "52.3 ± 3.9", "67.4 ± 3.0", "77.9 ± 3.0"}, "",
          "-1"),
      row(sets, "AgentNet",
          {"93.6 ± 8.6", "67.4 ± 5.9", "76.7 ± 3.2", "75.2 ± 4.6", "52.2 ± 3.8", "80.1 ± 2.7", "94.2 ± 1.2"}),
  };
  return t;
}

// Of a table with a column for the validation part and one for the test part.
Row valid_and_test(const char* name, const char* valid, const char* test, const std::string& experiment,
                   const std::string& method = "") {
  return {name, {{valid, experiment, method, /*valid=*/true}, {test, experiment, method}}};
}

PaperTable molhiv() {
  const std::string set = "ogbg-molhiv";
  PaperTable t{3, "ROC-AUC (%) on ogbg-molhiv", "model", {"validation", "test"}, {}};
  t.rows = {
      valid_and_test("GIN", "82.32 ± 0.90", "75.58 ± 1.40", set, "gin-mol"),
      valid_and_test("GIN + virtual node", "84.79 ± 0.68", "77.07 ± 1.49", set, "gin-mol-virtual"),
      valid_and_test("CRaWl", "83.44 ± 0.96", "77.78 ± 0.87", set, "crawl"),
      valid_and_test("ESAN (best of any version)", "84.28 ± 0.90", "78.00 ± 1.42", set, "esan"),
      valid_and_test("AgentNet", "84.77 ± 0.92", "78.33 ± 0.69", set),
  };
  return t;
}

PaperTable qm9() {
  const std::vector<std::string> methods = {"mpnn", "gnn1", "kgnn123", "ppgn", "dropmpnn", "dropgnn1", ""};
  struct Property {
    const char* name;
    Figures figures;
  };
  const std::vector<Property> properties = {
      {"mu", {"0.358", "0.493", "0.473", "0.0934", "0.059", "0.453", "0.254"}},
      {"alpha", {"0.89", "0.78", "0.27", "0.318", "0.173", "0.767", "0.198"}},
      {"homo", {"0.00541", "0.00321", "0.00337", "0.00174", "0.00193", "0.00306", "0.00183"}},
      {"lumo", {"0.00623", "0.00350", "0.00351", "0.0021", "0.00177", "0.00306", "0.0016"}},
      {"gap", {"0.0066", "0.0049", "0.0048", "0.0029", "0.00282", "0.0046", "0.0025"}},
      {"r2", {"28.5", "34.1", "22.9", "3.78", "0.392", "30.8", "1.28"}},
      {"zpve", {"0.00216", "0.00124", "0.00019", "0.000399", "0.000112", "0.000895", "0.000232"}},
      {"u0", {"2.05", "2.32", "0.0427", "0.022", "0.0409", "1.80", "0.145"}},
      {"u298", {"2.0", "2.08", "0.111", "0.0504", "0.0536", "1.86", "0.146"}},
      {"h298", {"2.02", "2.23", "0.0419", "0.0294", "0.0481", "2.00", "0.155"}},
      {"g298", {"2.02", "1.94", "0.0469", "0.24", "0.0508", "2.12", "0.119"}},
      {"cv", {"0.42", "0.27", "0.0944", "0.0144", "0.0596", "0.259", "0.0708"}},
  };
  PaperTable t{5,
               "mean absolute error on QM9",
               "property",
               {"MPNN", "1-GNN", "1-2-3 GNN", "PPGN", "DropMPNN", "Drop-1-GNN", "AgentNet"},
               {}};
  for (const Property& property : properties) {
    Row made{property.name, {}};
    for (std::size_t m = 0; m < methods.size(); ++m) {
      made.cells.push_back({property.figures[m], std::string("qm9-") + property.name, methods[m]});
    }
    t.rows.push_back(std::move(made));
  }
  return t;
}

PaperTable larger_ogb() {
  PaperTable t{6,
               "average precision (%) on ogbg-molpcba and accuracy (%) on ogbg-ppa",
               "model",
               {"MolPCBA validation", "MolPCBA test", "PPA validation", "PPA test"},
               {}};
  const auto both = [](const char* name, const Figures& figures, const std::string& method) {
    Row made = valid_and_test(name, figures[0], figures[1], "ogbg-molpcba", method);
    const Row ppa = valid_and_test(name, figures[2], figures[3], "ogbg-ppa", method);
    made.cells.insert(made.cells.end(), ppa.cells.begin(), ppa.cells.end());
    return made;
  };
  t.rows = {
      both("GIN", {"23.05 ± 0.27", "22.66 ± 0.28", "65.62 ± 1.07", "68.92 ± 1.00"}, "gin-mol"),
      both("GIN + virtual node", {"27.98 ± 0.25", "27.03 ± 0.23", "66.78 ± 1.05", "70.37 ± 1.07"}, "gin-mol-virtual"),
      both("ESAN", {"28.46 ± 0.22", "26.64 ± 0.27", "OOM", "OOM"}, "esan"),
      both("CRaWl", {"30.75 ± 0.20", "29.86 ± 0.25", "63.66 ± 0.56", "70.25 ± 0.52"}, "crawl"),
      both("AgentNet", {"26.22 ± 0.26", "25.49 ± 0.27", "67.24 ± 0.65", "72.33 ± 0.62"}, ""),
  };
  return t;
}

PaperTable zinc() {
  const std::vector<std::string> set = {"zinc"};
  PaperTable t{7, "mean absolute error on ZINC (12,000 molecules)", "model", {"test"}, {}};
  t.rows = {
      row(set, "PPGN", {"0.256 ± 0.054"}, "ppgn"),
      row(set, "GIN", {"0.252 ± 0.017"}, "gin"),
      row(set, "PNA", {"0.188 ± 0.004"}, "pna"),
      row(set, "DGN", {"0.168 ± 0.003"}, "dgn"),
      row(set, "HIMP", {"0.151 ± 0.006"}, "himp"),
      row(set, "SMP", {"0.138 ± ?"}, "smp"),
      row(set, "ESAN (Edge Dropout)", {"0.172 ± 0.005"}, "esan-edge-deleted"),
      row(set, "ESAN (Node Dropout)", {"0.166 ± 0.004"}, "esan-node-deleted"),
      row(set, "ESAN (Ego Graphs)", {"0.107 ± 0.005"}, "esan-ego-nets"),
      row(set, "ESAN (Ego Graphs + Root ID)", {"0.102 ± 0.003"}, "esan-ego-nets-plus"),
      row(set, "GSN", {"0.108 ± 0.018"}, "gsn"),
      row(set, "CIN-small", {"0.094 ± 0.004"}, "cin-small"),
      row(set, "CIN", {"0.079 ± 0.006"}, "cin"),
      row(set, "CRaWl", {"0.085 ± 0.004"}, "crawl"),
      row(set, "AgentNet", {"0.258 ± 0.033"}),
      row(set, "AgentNet (embedding size 128)", {"0.144 ± 0.016"}, "", "-128"),
  };
  return t;
}

PaperTable ablation() {
  const std::vector<std::string> sets = {"4cycles", "csl", "2wl"};
  PaperTable t{8,
               "what AgentNet's steps are worth: test accuracy (%)",
               "model",
               {"4-cycles", "circular skip links", "2-WL"},
               {}};
  t.rows = {
      row(sets, "GIN", {"50.0 ± 0.0", "10.0 ± 0.0", "50.0 ± 0.0"}, "gin"),
      row(sets, "GIN with random features", {"99.7 ± 0.4", "95.8 ± 2.1", "92.4 ± 1.6"}, "gin-random"),
      row(sets, "Random Walk AgentNet", {"100.0 ± 0.0", "100.0 ± 0.0", "50.5 ± 4.5"}, "", "-random"),
      row(sets, "Simplified AgentNet", {"100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"}, "", "-simplified"),
      row(sets, "no neighbourhood update", {"75.8 ± 17.9", "40.6 ± 5.8", "51.2 ± 2.0"}, "", "-no-neighbourhood"),
      row(sets, "no node update", {"92.4 ± 9.7", "89.8 ± 8.9", "98.9 ± 0.6"}, "", "-no-node-update"),
      row(sets, "no node update, all nodes look around", {"50.0 ± 0.0", "10.0 ± 0.8", "49.7 ± 1.2"}, "",
          "-no-node-update-all"),
      row(sets, "AgentNet", {"100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"}),
  };
  return t;
}

PaperTable molhiv_ablation() {
  const std::string set = "ogbg-molhiv";
  PaperTable t{9, "what AgentNet's steps are worth: ROC-AUC (%) on ogbg-molhiv", "model", {"validation", "test"}, {}};
  t.rows = {
      valid_and_test("GIN", "82.32 ± 0.90", "75.58 ± 1.40", set, "gin-mol"),
      valid_and_test("GIN + virtual node", "84.79 ± 0.68", "77.07 ± 1.49", set, "gin-mol-virtual"),
      valid_and_test("ESAN (best of any version)", "84.28 ± 0.90", "78.00 ± 1.42", set, "esan"),
      valid_and_test("Random Walk AgentNet", "85.61 ± 1.29", "77.89 ± 1.29", set + "-random"),
      valid_and_test("no neighbourhood update", "84.06 ± 0.76", "75.41 ± 1.41", set + "-no-neighbourhood"),
      valid_and_test("no node update", "84.70 ± 1.40", "76.71 ± 1.37", set + "-no-node-update"),
      valid_and_test("no node update, all nodes look around", "84.40 ± 0.89", "75.47 ± 0.85",
                     set + "-no-node-update-all"),
      valid_and_test("AgentNet", "84.77 ± 0.92", "78.33 ± 0.69", set),
  };
  return t;
}

}  // namespace

const std::vector<PaperTable>& paper_tables() {
  static const std::vector<PaperTable> all = {expressiveness(), classification(), molhiv(),   qm9(),
                                              larger_ogb(),     zinc(),           ablation(), molhiv_ablation()};
  return all;
}

const PaperTable& paper_table(int number) {
  std::vector<int> numbers;
  for (const PaperTable& table : paper_tables()) {
    if (table.number == number) return table;
    numbers.push_back(table.number);
  }
  throw Error(ErrorKind::kUsage, fmt::format("the paper has no table {} of results", number),
              fmt::format("there are {}", join_text(numbers, ", ")));
}

std::string paper_figure(std::string_view experiment, std::string_view method) {
  for (const PaperTable& table : paper_tables()) {
    for (const Row& row : table.rows) {
      for (const PaperCell& cell : row.cells) {
        if (!cell.valid && cell.experiment == experiment && cell.method == method) return cell.paper;
      }
    }
  }
  return "";
}

}  // namespace agentnet
