// agentnet explain RUN|MODEL DATA: why the model says what it says of some graphs.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/explain.h"
#include "command_list.h"
#include "core/files/whole_file.h"
#include "core/print.h"
#include "core/suggest.h"
#include "core/text.h"
#include "data/io/output.h"
#include "interrupt.h"
#include "options/data_options.h"
#include "options/explain_choice.h"
#include "options/model_arguments.h"
#include "options/piped_data.h"
#include "options/run_source.h"
#include "output/explain_files.h"
#include "output/explain_report.h"
#include "output/progress.h"
#include "predict/not_finite.h"
#include "predict/reading.h"
#include "view/page/page.h"
#include "view/tables/class_table.h"

namespace agentnet {
namespace {

struct ExplainArguments {
  std::string model, folder, output;
  DataArguments data;
  RolloutArguments rollouts;
  GraphChoice choice;
  ExplainOptions options;
  std::vector<std::string> formats = {"jsonl"}, colours;
  MoleculeNames names;
  bool choice_given = false, classes = false, force = false, safe_csv = false;
};

int output_number(const std::vector<std::string>& names, const std::string& wanted) {
  if (wanted.empty()) return -1;
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  const auto meant = closest_match(wanted, names);
  throw Error(ErrorKind::kUsage, fmt::format("the model has no output {}", in_quotes(wanted)),
              meant ? fmt::format("did you mean {}?", *meant) : fmt::format("it has {}", join_text(names, ", ")));
}

// One group per predicted class; yes and no for a question; one for numbers.
std::vector<std::string> group_names(const ExplainedSet& set) {
  if (set.task == Task::kClassification) {
    std::vector<std::string> names;
    for (const std::string& name : set.outputs) names.push_back("predicted " + name);
    return names;
  }
  if (set.task == Task::kMultilabel) return {"predicted no", "predicted yes"};
  return {"all graphs"};
}

std::size_t group_of(const ExplainedGraph& explained) {
  const std::vector<double>& mean = explained.explanation.mean;
  if (explained.set.task == Task::kClassification) {
    return static_cast<std::size_t>(std::max_element(mean.begin(), mean.end()) - mean.begin());
  }
  if (explained.set.task != Task::kMultilabel) return 0;
  return mean[static_cast<std::size_t>(explained.explanation.output)] > 0.5 ? 1 : 0;
}

// What the user wants to see, as far as it was measured of this graph.
std::vector<Quantity> panels_for(const Explanation& explanation, const std::vector<Quantity>& wanted) {
  std::vector<Quantity> panels;
  for (const Quantity quantity : wanted) {
    if (node_values(explanation, quantity).size() == explanation.nodes.size()) panels.push_back(quantity);
  }
  return panels.empty() ? std::vector{Quantity::kVisits} : panels;
}

class ExplainRun {
 public:
  ExplainRun(const ExplainArguments& arguments, const Console& console)
      : arguments_(arguments),
        console_(console),
        formats_(formats_from_names(arguments.formats)),
        folder_(arguments.folder, arguments.force),
        model_(Model::load(model_file_of(arguments.model))) {
    check_arguments();
    DataOptions asked = arguments.data.parsed();
    const std::string source = reopenable(arguments.data.source, console);
    if (has(formats_, ExplainFormat::kHtml)) {
      keep_smiles(source, reading_options_for(model_, source, asked, WithTargets::kNo), asked);
    }
    read_ = read_with_truth(model_, source, asked, console);
    spelling_ = std::make_unique<Spelling>(data().schema, arguments.names);
    set_ = std::make_unique<ExplainedSet>(ExplainedSet{task_of(model_), output_names(model_), *spelling_});
    options_ = arguments.options;
    options_.walks = arguments.rollouts.options;
    options_.walks.threads = arguments.data.options.threads;
    options_.output = output_number(set_->outputs, arguments.output);
    chosen_ = chosen_for_explaining(data(), arguments.choice);
    plan_files();
    classes_ = std::make_unique<ClassTableBuilder>(group_names(*set_), random_walkers(model_), *spelling_);
  }

  void run() {
    if (!arguments_.choice_given && chosen_.size() < data().graphs.size()) {
      print_to(console_.err, "explaining the first {} of {} graphs; --first N, --ids and --all choose others\n",
               chosen_.size(), data().graphs.size());
    }
    const InterruptGuard guard;
    if (to_files()) folder_.make();
    if (to_files() && has(formats_, ExplainFormat::kJsonLines)) {
      lines_ = std::make_unique<TextOutput>(folder_.path(ExplainFolder::kJsonLines));
    }
    explain_all();
    if (lines_ != nullptr) lines_->commit();
    finish();
  }

 private:
  [[nodiscard]] const Dataset& data() const { return read_.data; }
  [[nodiscard]] std::size_t row_of(std::size_t g) const {
    return data().rows.empty() ? g : static_cast<std::size_t>(data().rows[g]);
  }
  [[nodiscard]] bool to_files() const { return !arguments_.folder.empty(); }
  // Where people read: standard output belongs to the data if that goes there.
  [[nodiscard]] std::ostream& talk() const {
    return !to_files() && has(formats_, ExplainFormat::kJsonLines) ? console_.err : console_.text();
  }

  void check_arguments() {
    if (arguments_.colours.empty()) {
      colours_ = {Quantity::kVisits, Quantity::kInfluence};
      if (arguments_.options.leave_one_out > 0) colours_.push_back(Quantity::kLeftOut);
    }
    for (const std::string& name : arguments_.colours) colours_.push_back(quantity_from_name(name));
    const bool left_out = std::find(colours_.begin(), colours_.end(), Quantity::kLeftOut) != colours_.end();
    if (left_out && arguments_.options.leave_one_out == 0) {
      throw Error(ErrorKind::kUsage, "--colour leave-one-out shows what was not measured",
                  "add --leave-one-out 100: graphs of up to 100 nodes are run without each of their nodes");
    }
    if (!arguments_.colours.empty() && !has(formats_, ExplainFormat::kSvg)) {
      throw Error(ErrorKind::kUsage, "--colour is about pictures, and none are asked for", "add --format svg");
    }
    for (const ExplainFormat format : formats_) {
      if (to_files() || format == ExplainFormat::kJsonLines) continue;
      throw Error(ErrorKind::kUsage, "only jsonl can go to standard output", "name a folder for the files with -o DIR");
    }
    if (has(formats_, ExplainFormat::kHtml)) require_viewer();
  }

  void plan_files() {
    FileNames names;
    for (const std::size_t g : chosen_) {
      const std::string_view id = data().graphs.id(g);
      names_.push_back(names.name_for(id.empty() ? "graph-" + id_or_row(data(), g) : std::string(id)));
    }
    if (!to_files()) return;
    for (const std::string& name : names_) {
      if (has(formats_, ExplainFormat::kSvg)) folder_.plan(name + ".svg");
      if (has(formats_, ExplainFormat::kGraphml)) folder_.plan(name + ".graphml");
    }
    if (has(formats_, ExplainFormat::kSvg)) {
      folder_.plan(ExplainFolder::kClassesCsv);
      folder_.plan(ExplainFolder::kClassesSvg);
    }
    if (has(formats_, ExplainFormat::kHtml)) folder_.plan(ExplainFolder::kPage);
    if (has(formats_, ExplainFormat::kJsonLines)) folder_.plan(ExplainFolder::kJsonLines);
  }

  // Graphs whose numbers follow one another are walked together; their draws are those that predict makes.
  void explain_all() {
    const std::size_t together = options_.leave_one_out > 0 ? 1 : 32;  // progress is shown between them
    ProgressLine progress(console_);
    std::size_t i = 0;
    options_.walks.may_end = [&] {
      if (!InterruptGuard::interrupted()) return;
      throw Error(ErrorKind::kInterrupted, fmt::format("interrupted after {} of {} graphs", i, chosen_.size()));
    };
    while (i < chosen_.size()) {
      std::vector<GraphView> views;
      while (i + views.size() < chosen_.size() && views.size() < together &&
             row_of(chosen_[i + views.size()]) == row_of(chosen_[i]) + views.size()) {
        views.push_back(data().graphs.view(chosen_[i + views.size()]));
      }
      options_.walks.first_graph = row_of(chosen_[i]);  // draws by row are those of `agentnet predict`
      std::vector<Explanation> explanations = explain(model_, views, options_);
      for (std::size_t j = 0; j < views.size(); ++j) take(i + j, std::move(explanations[j]));
      i += views.size();
      progress.show(static_cast<double>(i) / static_cast<double>(chosen_.size()),
                    fmt::format("{} of {} graphs", i, chosen_.size()));
    }
    options_.walks.may_end = {};
  }

  // Writes what belongs to one graph.
  void take(std::size_t i, Explanation explanation) {
    const std::size_t g = chosen_[i];
    explanation.graph = g;
    const ExplainedGraph explained{.set = *set_,
                                   .id = id_or_row(data(), g),
                                   .row = row_of(g),
                                   .graph = data().graphs.view(g),
                                   .targets = read_.truth ? data().graphs.targets(g) : std::span<const double>(),
                                   .marks = data().graphs.notes(g).marks,
                                   .explanation = explanation};
    if (has(formats_, ExplainFormat::kJsonLines)) write_line(explanation_json(explained));
    if (has(formats_, ExplainFormat::kSvg)) write_picture(explained, names_[i]);
    if (has(formats_, ExplainFormat::kGraphml)) {
      write_whole_file(folder_.path(names_[i] + ".graphml"), explanation_graphml(explained));
    }
    if (options_.leave_one_out > 0 && explanation.left_out.empty()) ++not_left_out_;
    if (options_.fidelity > 0 && explanation.fidelity.nodes == 0) ++without_fidelity_;
    summary_.add(explained);
    const bool finite = answer_of(explained).is_finite;
    if (!finite && not_finite_++ == 0) first_not_finite_ = explained.id;
    if (finite && (arguments_.classes || has(formats_, ExplainFormat::kSvg))) {
      classes_->add(group_of(explained), explained.graph, explanation);
    }
    if (has(formats_, ExplainFormat::kHtml)) explanations_.push_back(std::move(explanation));
  }

  void write_line(const std::string& line) {
    if (lines_ != nullptr) return lines_->write(line);
    console_.out << line;
    check_output(console_);
  }

  void write_picture(const ExplainedGraph& explained, const std::string& name) {
    const Picture picture = draw_picture(picture_subject(explained), panels_for(explained.explanation, colours_));
    if (!picture.why_no_molecule.empty() && plain_molecules_++ == 0) why_plain_ = picture.why_no_molecule;
    write_whole_file(folder_.path(name + ".svg"), picture.svg);
  }

  void finish() {
    const ClassTable table = classes_->table();
    if (has(formats_, ExplainFormat::kSvg)) {
      write_whole_file(folder_.path(ExplainFolder::kClassesCsv),
                       class_table_csv(table, arguments_.safe_csv ? CsvFor::kSpreadsheets : CsvFor::kPrograms));
      write_whole_file(folder_.path(ExplainFolder::kClassesSvg), class_table_svg(table));
    }
    std::size_t walks = chosen_.size();
    if (has(formats_, ExplainFormat::kHtml)) write_page(&walks);
    summary_.print(talk());
    if (arguments_.classes) print_class_table(talk(), table);
    talk().flush();
    if (to_files()) print_to(console_.err, "wrote {}\n", written());
    if (not_finite_ > 0) {
      print_to(console_.err, "warning: {}, and nothing is explained by that; the first: {}\n",
               not_finite_text(not_finite_, chosen_.size()), first_not_finite_);
    }
    if (walks < chosen_.size()) {
      print_to(console_.err, "note: the page holds the walks of {} graphs of {}; more would be too large to open\n",
               walks, chosen_.size());
    }
    if (plain_molecules_ > 0) {
      print_to(console_.err, "note: {} {} drawn as a plain graph, not as a molecule; the first because: {}\n",
               plain_molecules_, plain_molecules_ == 1 ? "graph is" : "graphs are", why_plain_);
    }
    if (not_left_out_ > 0) {
      print_to(console_.err,
               "note: {} of {} graphs have more nodes than --leave-one-out or --most-nodes says and were not run "
               "without each node\n",
               not_left_out_, chosen_.size());
    }
    if (without_fidelity_ > 0) {
      print_to(console_.err,
               "note: fidelity was not measured of {} of {} graphs: they have one node, or more than --most-nodes\n",
               without_fidelity_, chosen_.size());
    }
  }

  void write_page(std::size_t* walks) {
    PageData page;
    page.title = fmt::format("{}: {} of {} graphs explained", data().source, chosen_.size(), data().graphs.size());
    page.model_file = arguments_.model;
    page.model = &model_;
    page.data = &data();
    page.graphs = chosen_;
    page.explanations = std::move(explanations_);
    page.names = arguments_.names;
    write_whole_file(folder_.path(ExplainFolder::kPage), page_html(page, walks));
  }

  [[nodiscard]] std::string written() const {
    std::vector<std::string> parts;
    if (has(formats_, ExplainFormat::kJsonLines)) parts.emplace_back(ExplainFolder::kJsonLines);
    if (has(formats_, ExplainFormat::kHtml)) parts.emplace_back(ExplainFolder::kPage);
    if (has(formats_, ExplainFormat::kSvg)) {
      parts.push_back(
          fmt::format("{} .svg, {} and {}", names_.size(), ExplainFolder::kClassesCsv, ExplainFolder::kClassesSvg));
    }
    if (has(formats_, ExplainFormat::kGraphml)) parts.push_back(fmt::format("{} .graphml", names_.size()));
    return fmt::format("{} in {}", join_text(parts, ", "), arguments_.folder);
  }

  const ExplainArguments& arguments_;
  const Console& console_;
  std::vector<ExplainFormat> formats_;
  ExplainFolder folder_;
  Model model_;
  DataWithTruth read_;
  std::unique_ptr<Spelling> spelling_;
  std::unique_ptr<ExplainedSet> set_;
  ExplainOptions options_;
  std::vector<Quantity> colours_;
  std::vector<std::size_t> chosen_;
  std::vector<std::string> names_;  // [chosen_] of files, without an ending
  std::unique_ptr<TextOutput> lines_;
  std::unique_ptr<ClassTableBuilder> classes_;
  ExplainSummary summary_;
  std::vector<Explanation> explanations_;  // for the page
  std::size_t plain_molecules_ = 0, not_left_out_ = 0, without_fidelity_ = 0, not_finite_ = 0;
  std::string why_plain_, first_not_finite_;
};

void add_what_to_measure(CLI::App& app, ExplainArguments& arguments) {
  ExplainOptions& options = arguments.options;
  app.add_option("--about", arguments.output,
                 "the class or target that influence is about; else the predicted class, or the first target");
  app.add_option("--recorded", options.recorded, "rollouts that are kept step by step")
      ->check(CLI::Range(0, 10000))
      ->capture_default_str();
  app.add_option("--leave-one-out", options.leave_one_out,
                 "graphs of up to so many nodes are also run without each node and each edge")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 32));
  app.add_option("--top", options.fidelity,
                 "measure fidelity: predictions with only this share of the nodes, the most influential, and without")
      ->check(CLI::Range(0.0, 0.99));
  app.add_option("--most-nodes", options.most_nodes, "of larger graphs, list only what was needed, the most visited")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 32))
      ->capture_default_str();
}

}  // namespace

CommandRun define_explain(CLI::App& app) {
  auto arguments = std::make_shared<ExplainArguments>();
  arguments->rollouts.options.rollouts = 64;
  app.add_option(kRunOrModel, arguments->model, kRunOrModelHelp)->required();
  add_data_options(app, arguments->data);
  for (const char* name : {"--task", "--keep", "--format"}) app.remove_option(app.get_option(name));
  app.add_option("--data-format", arguments->data.options.format, "instead of detecting it, as --format of predict")
      ->group("Reading the data");
  auto* ids =
      app.add_option("--ids", arguments->choice.ids, "explain these graphs")->delimiter(',')->allow_extra_args(false);
  auto* first = app.add_option("--first", arguments->choice.first, "explain so many graphs from the beginning")
                    ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 32))
                    ->capture_default_str();
  auto* all = app.add_flag("--all", arguments->choice.all, "explain all graphs");
  ids->excludes(first)->excludes(all);
  first->excludes(all);
  add_rollout_options(app, arguments->rollouts);
  app.remove_option(app.get_option("--confidence"));
  add_what_to_measure(app, *arguments);
  app.add_option("--format", arguments->formats,
                 "jsonl (everything), svg (pictures), html (a page to play the walks), graphml; several with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  CLI::Option* folder = app.add_option("-o,--output,--folder", arguments->folder,
                                       "write files into this folder; without it jsonl goes to the screen");
  app.add_flag("--force", arguments->force, "replace files that exist")->needs(folder);
  app.add_option("--colour", arguments->colours, "what pictures show: visits, influence, leave-one-out; a panel each")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--atoms", arguments->names.atoms,
                 "elements that node labels stand for, to draw molecules: C,N,O in the labels' order, or 0=C,1=N")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--bonds", arguments->names.bonds, "the same for edge labels: single, double, triple, aromatic")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--safe-csv", arguments->safe_csv, std::string("in classes.csv, ") + kSafeCsvHelp);
  app.add_flag("--classes", arguments->classes,
               "print which labels and substructures agents visit more than a random walk would, by predicted class");
  return [arguments, ids, first, all](const Console& console) {
    arguments->choice_given = ids->count() + first->count() + all->count() > 0;
    ExplainRun(*arguments, console).run();
  };
}

}  // namespace agentnet
