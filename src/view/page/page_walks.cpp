#include "view/page/page_walks.h"

#include "predict/reading.h"
#include "view/tables/how_wrong.h"

namespace agentnet {

void add_walks(PageData& page, const WalkChoice& choice) {
  const Dataset& data = *page.data;
  std::vector<double> targets;
  const Task task = task_of(*page.model);
  const std::size_t width = task == Task::kClassification ? 1 : static_cast<std::size_t>(page.model->outputs());
  for (const std::size_t g : page.graphs) {
    const auto row = data.graphs.targets(g);
    if (data.schema.task == task && row.size() == width) targets.insert(targets.end(), row.begin(), row.end());
  }
  const Answers answers = {task, page.predictions->outputs, page.predictions->mean, targets};

  ExplainOptions options;
  options.walks = choice.walks;
  options.influence = choice.influence;
  options.recorded = choice.recorded;
  const std::vector<std::size_t> chosen = graphs_to_explain(answers, choice.graphs);
  for (const std::size_t row : chosen) {
    if (choice.should_stop && choice.should_stop(page.explanations.size(), chosen.size())) return;
    options.walks.first_graph = choice.walks.first_graph + row;  // the walks that its prediction was made of
    const GraphView view = data.graphs.view(page.graphs[row]);
    page.explanations.push_back(std::move(explain(*page.model, {&view, 1}, options).front()));
    page.explained.push_back(row);
  }
}

}  // namespace agentnet
