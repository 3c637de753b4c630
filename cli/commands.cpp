#include "commands.h"

#include <array>

#include "command_list.h"

namespace agentnet {

std::span<const Command> commands() {
  static constexpr std::array kAll = {
      Command{"demo", "Train on built-in graphs that message-passing networks cannot tell apart", "agentnet demo",
              define_demo},
      Command{"train", "Learn from a set of labelled graphs", "agentnet train MUTAG.zip -o run1", define_train},
      Command{"predict", "Ask a model about new graphs: a line per row of the data",
              "agentnet predict run1 new.csv -o predictions.csv\n  agentnet predict run1 --part test", define_predict},
      Command{"gather", "Join the parts of a prediction that several programs made",
              "for i in 1 2 3; do agentnet predict run1/model.safetensors new.csv --shard $i/3 -o parts; done\n"
              "  agentnet gather parts -o predictions.csv",
              define_gather},
      Command{"eval", "Measure a model on labelled graphs",
              "agentnet eval run1\n  agentnet eval run1/model.safetensors MUTAG.zip", define_eval},
      Command{"explain", "Show why: where agents went, what the answer depends on, pictures",
              "agentnet explain run1/model.safetensors MUTAG.zip --format svg,html -o why", define_explain},
      Command{"view", "Look at predictions and the walks behind them in a browser",
              "agentnet view run1\n  agentnet view run1 --export page.html\n"
              "  agentnet view run1/model.safetensors new.csv",
              define_view},
      Command{"serve", "Answer over HTTP: predictions, explanations, the Open Inference Protocol",
              "agentnet serve run1\n  curl -d '{\"smiles\": [\"CCO\"]}' http://127.0.0.1:8000/predict", define_serve},
      Command{"cv", "Cross-validate: what settings are worth, by a protocol that is named",
              "agentnet cv MUTAG.zip -o cv1\n  agentnet cv --resume cv1 --only-folds 0-4 --max-time 2h", define_cv},
      Command{"compare", "Compare models on the same folds: which is the right tool, and which differences are real",
              "agentnet compare MUTAG.zip --models agentnet,gin,wl,forest --budget 10m -o comparison", define_compare},
      Command{"tune", "Search for the settings that are best here: random, with successive halving, and honest",
              "agentnet tune MUTAG.zip -o tune1 --trials 40 --budget 30m\n"
              "  agentnet tune MUTAG.zip -o tune2 --space wide --nested\n"
              "  agentnet tune --worker tune2",
              define_tune},
      Command{"paper", "Run the paper's experiments, with its figures beside ours", "agentnet paper run 4cycles",
              define_paper},
      Command{"theory", "Run the paper's theorems on all small graphs, and say which hold",
              "agentnet theory\n  agentnet theory cliques cycles --json\n  agentnet theory show trees -o trees.html",
              define_theory},
      Command{"estimate", "Estimate what is in a graph of any size from random walks, with confidence intervals",
              "agentnet estimate big.graph --what triangles,clustering --error 0.05", define_estimate},
      Command{"inspect", "Say what a set of graphs holds, and suggest settings", "agentnet inspect MUTAG.zip",
              define_inspect},
      Command{"convert", "Write a set of graphs in another format", "agentnet convert MUTAG.zip mutag.agentset",
              define_convert},
      Command{"generate", "Write a built-in set of graphs",
              "agentnet generate 'synthetic:ladder?nodes=64&graphs=300&seed=3' ladder.jsonl", define_generate},
      Command{"fetch", "Download a public set of graphs", "agentnet fetch MUTAG", define_fetch},
      Command{"info", "Say what a model file holds", "agentnet info demo.safetensors", define_info},
      Command{"completion", "Print a script that completes commands and options in bash, zsh or fish",
              "source <(agentnet completion bash)", define_completion},
      Command{"man", "Print the manual page of a command", "agentnet man train | man -l -", define_man},
  };
  return kAll;
}

}  // namespace agentnet
